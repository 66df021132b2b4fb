//! What a host asks for when it creates a game, as the core has it.
//! Fields that exclude each other are refused here, by their names.

use starkeep_contract::game::{CreateGame, RoundLength, Seed, StartMoney, Style};
use starkeep_contract::{Code, GameName, Nonce, Problem};
use starkeep_game_core::{GameId, NewGame, WorldId};

use super::Wire;

#[expect(clippy::unused_self, reason = "which words follow the dialect is for this module to know")]
impl Wire {
    /// `drawn_seed` is what random choices are drawn from where the request has no seed.
    pub fn new_game(self, id: GameId, drawn_seed: u64, request: &CreateGame) -> Result<NewGame, Problem> {
        check_given_world(request)?;
        Ok(NewGame {
            id,
            name: request.name.as_ref().map(|name: &GameName| name.as_str().to_owned()),
            max_rounds: request.max_rounds.as_u32(),
            max_players: request.max_players.as_u32(),
            round_length: request.duration.map(RoundLength::as_u32),
            seed: request.seed.map(Seed::as_u64),
            drawn_seed,
            style: request.style.map(style_word),
            nonce: request.nonce.as_ref().map(Nonce::to_string),
            given_world: request.gameworld_id.map(|world| WorldId(world.0)),
            start_money: request.start_money.map(StartMoney::as_u32),
        })
    }
}

fn style_word(style: Style) -> String {
    let word = match style {
        Style::Balanced => "balanced",
        Style::Symmetric => "symmetric",
        Style::Wild => "wild",
    };
    word.to_owned()
}

/// How a world is to be made cannot be said of one that is made.
fn check_given_world(request: &CreateGame) -> Result<(), Problem> {
    let fields = [
        ("seed", request.seed.is_some()),
        ("nonce", request.nonce.is_some()),
        ("style", request.style.is_some()),
    ];
    match fields.into_iter().find(|(_, is_given)| *is_given && request.gameworld_id.is_some()) {
        Some((field, _)) => {
            let text =
                format!("`{field}`: cannot be combined with `gameworldId`, whose gameworld is already made");
            Err(Problem::new(Code::InvalidField, text).at_field(field))
        }
        None => Ok(()),
    }
}
