//! Creating a game: what a host may ask for, and the game that comes of it.
//! Making its world happens in between, elsewhere; hence the check that is asked before and again at the commit.

use jiff::Timestamp;
use starkeep_core_types::{GameId, WorldId};

use crate::change::{Change, Event};
use crate::game::{Game, State};
use crate::made_world::MadeWorld;
use crate::policy::Policy;
use crate::rejection::Rejection;
use crate::roster::Roster;
use crate::settings::{
    DEFAULT_ROUND_LENGTH, DEFAULT_START_MONEY, Field, MAX_PLAYERS, MAX_ROUNDS, NAME_LENGTHS, Pace,
    START_MONEY,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewGame {
    pub id: GameId,
    /// None: it is named after its number.
    pub name: Option<String>,
    pub max_rounds: u32,
    pub max_players: u32,
    /// In milliseconds.
    pub round_length: Option<u32>,
    pub seed: Option<u64>,
    pub drawn_seed: u64,
    pub style: Option<String>,
    pub nonce: Option<String>,
    /// The world that it is to be played in, instead of a new one.
    pub given_world: Option<WorldId>,
    pub start_money: Option<u32>,
}

/// `active` is any created or running game.
pub fn check_new(policy: &Policy, new: &NewGame, active: Option<GameId>) -> Result<(), Rejection> {
    Field::MaxRounds.check(MAX_ROUNDS, new.max_rounds)?;
    Field::MaxPlayers.check(MAX_PLAYERS, new.max_players)?;
    Field::RoundLength.check(policy.round_lengths(), new.round_length())?;
    Field::StartMoney.check(START_MONEY, new.start_money())?;
    new.name.as_deref().map_or(Ok(()), check_name)?;
    if new.given_world.is_some() && !policy.takes_given_worlds {
        return Err(Rejection::NoGivenWorlds);
    }
    match active {
        Some(game) if policy.one_active_game => Err(Rejection::ActiveGameExists { game }),
        _ => Ok(()),
    }
}

/// `number` counts every game that was ever created, this one included.
/// `world` is None where the policy makes worlds at the start and the host named none.
pub fn create(
    policy: &Policy,
    new: NewGame,
    world: Option<MadeWorld>,
    active: Option<GameId>,
    number: u64,
    now: Timestamp,
) -> Result<Change, Rejection> {
    check_new(policy, &new, active)?;
    let game = Game {
        id: new.id,
        max_rounds: new.max_rounds,
        max_players: new.max_players,
        round_length: new.round_length(),
        start_money: new.start_money(),
        name: new.name.unwrap_or_else(|| format!("Game {number}")),
        pace: Pace::Clock,
        seed: new.seed,
        drawn_seed: new.drawn_seed,
        style: new.style,
        nonce: new.nonce,
        world: world.map(|world| world.id),
        world_is_given: new.given_world.is_some(),
        replenishment: world.map(|world| world.replenishment).unwrap_or_default(),
        replaced_world: None,
        roster: Roster::default(),
        created_at: now,
        state: State::Created { start: None },
    };
    Ok(Change {
        before: None,
        events: vec![Event::Created(game.id)],
        after: Some(game),
        new_round: None,
        roster: None,
        ready: None,
        unsent: None,
        retire: Vec::new(),
        replenish: false,
        end: None,
    })
}

/// White space around a name is taken off before; what is left of it is to be read in one line.
fn check_name(name: &str) -> Result<(), Rejection> {
    let length = u32::try_from(name.chars().count()).unwrap_or(u32::MAX);
    Field::NameLength.check(NAME_LENGTHS, length)?;
    if name.chars().any(char::is_control) {
        return Err(Rejection::ControlCharacters);
    }
    Ok(())
}

impl NewGame {
    fn round_length(&self) -> u32 {
        self.round_length.unwrap_or(DEFAULT_ROUND_LENGTH)
    }

    fn start_money(&self) -> u32 {
        self.start_money.unwrap_or(DEFAULT_START_MONEY)
    }
}
