//! Players who register, look themselves up, join games and leave them.
//! How a player shows who it is, is settled before: see `http::identity`.

use std::sync::Arc;

use starkeep_game_core::{Event, Game, GameId, Player, PlayerId, Token, check_registration};
use starkeep_platform::decision::{Decided, Decision, StoreFault};
use starkeep_platform::idempotency::AnswerRecorder;
use uuid::Uuid;

use super::{App, Outcome};
use crate::domain::{Change, Image, JoinRequest, Key, Players, Rejection};
use crate::wire::EventSeed;

impl App {
    pub async fn register(
        &self,
        name: String,
        mail: String,
        remember: AnswerRecorder<Player>,
    ) -> Outcome<Player> {
        let token = Token(self.chance.uuid());
        let player = Player { id: PlayerId(self.chance.uuid()), name, mail, token };
        let work = Decision::new(vec![], move |image: &Image| {
            let players = image.players();
            check_registration(players.named(&player.name), players.with_mail(&player.mail))?;
            let change = Change::PlayerRegistered(player.clone());
            Ok(Decided { change, events: vec![], output: player.clone() })
        });
        self.decide(work.record_answer(remember)).await
    }

    /// The token before it is worth nothing from then on; nothing is to be done for one that is worth nothing already.
    pub async fn renew_token(&self, old: Token, remember: AnswerRecorder<Player>) -> Outcome<Player> {
        let token = Token(self.chance.uuid());
        let work = Decision::new(vec![], move |image: &Image| {
            let player = image.players().with_token(old).ok_or(Rejection::NothingToDo)?;
            let renewed = Player { token, ..(**player).clone() };
            Ok(Decided {
                change: Change::TokenRenewed { player: renewed.id, token },
                events: vec![],
                output: renewed,
            })
        });
        self.decide(work.record_answer(remember)).await
    }

    /// The player with this name, if the mail address is its own.
    pub async fn look_up(&self, name: &str, mail: &str) -> Result<Option<Arc<Player>>, StoreFault> {
        let players = self.players().await?;
        let player = players.named(name).filter(|player| players.with_mail(mail) == Some(*player));
        Ok(player.and_then(|player| players.get(player).cloned()))
    }

    pub(crate) async fn players(&self) -> Result<Players, StoreFault> {
        Ok(self.store.fresh().await?.players().clone())
    }

    /// The id that links the request to its event.
    pub async fn join(&self, id: GameId, joining: JoinRequest) -> Outcome<Uuid> {
        let (wire, seed, now) = (self.wire, EventSeed::draw(&*self.chance), self.clock.wall());
        let transaction = self.chance.uuid();
        let work = Decision::new(vec![Key::Game(id)], move |image: &Image| {
            let joined = image.game(id)?.join(joining.player)?;
            let mut ids = seed.ids();
            let announced = joined.events.iter().filter(|event| matches!(event, Event::PlayerJoined { .. }));
            let events =
                announced.map(|_| wire.player_joined(id, &joining, transaction, &mut ids, now)).collect();
            Ok(Decided { change: Change::of_game(joined, image)?, events, output: transaction })
        });
        self.decide(work).await
    }

    pub async fn leave(&self, id: GameId, player: PlayerId) -> Outcome<Game> {
        self.change_game(id, AnswerRecorder::none(), move |game, _| Ok(game.leave(player)?)).await
    }
}
