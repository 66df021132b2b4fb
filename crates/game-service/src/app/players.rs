//! Players who register, look themselves up, join games and leave them.
//! How a player shows who it is, is settled before: see `http::identity`.

use std::collections::HashSet;
use std::sync::Arc;

use starkeep_game_core::{Game, GameId, Player, PlayerId, RecoveryCodeHash, Token, check_registration};
use starkeep_platform::decision::{Decided, Decision};
use starkeep_platform::idempotency::AnswerRecorder;
use uuid::Uuid;

use super::{App, Outcome, game_log};
use crate::domain::{Change, Image, JoinRequest, Key, PlayerSearch, Players, Rejection, keys_of_joining};
use crate::ports::Unreadable;
use crate::wire::EventSeed;

impl App {
    pub async fn register(
        &self,
        name: String,
        mail: String,
        recovery_code: Option<&str>,
        answer: AnswerRecorder<Player>,
    ) -> Outcome<Player> {
        let token = Token(self.chance.uuid());
        let recovery_code =
            recovery_code.map(|code| RecoveryCodeHash::of(code, self.chance.uuid().into_bytes()));
        let player = Player { id: PlayerId(self.ordered_id()), name, mail, token, recovery_code };
        let searches = [PlayerSearch::named(&player.name), PlayerSearch::with_mail(&player.mail)];
        let work = Decision::new(searches.clone().map(Key::Player).to_vec(), move |image: &Image| {
            let [has_name, has_mail] =
                searches.each_ref().map(|search| image.players().find(search).map(|player| player.id));
            check_registration(has_name, has_mail)?;
            let change = Change::PlayerRegistered(player.clone());
            Ok(Decided { change, events: vec![], output: player.clone() })
        });
        self.decide(work.record_answer(answer)).await
    }

    /// The token before it is worth nothing from then on; nothing is to be done for one that is worth nothing already.
    pub async fn renew_token(&self, old: Token, answer: AnswerRecorder<Player>) -> Outcome<Player> {
        let token = Token(self.chance.uuid());
        let work = Decision::new(vec![Key::Player(PlayerSearch::Token(old))], move |image: &Image| {
            let player = image.players().with_token(old).ok_or(Rejection::NothingToDo)?;
            let renewed = Player { token, ..(**player).clone() };
            Ok(Decided {
                change: Change::TokenRenewed { player: renewed.id, token },
                events: vec![],
                output: renewed,
            })
        });
        self.decide(work.record_answer(answer)).await
    }

    /// The player with this name. Its mail address shows who asks: that is for the caller to compare.
    pub async fn look_up(&self, name: &str) -> Result<Option<Arc<Player>>, Unreadable> {
        let search = PlayerSearch::named(name);
        let players = self.players([search.clone()]).await?;
        Ok(players.find(&search).cloned())
    }

    /// The players in memory, and those who are looked for. The database is asked only for whom memory does not hold: it is
    /// as fresh as the image, or fresher.
    pub(crate) async fn players(
        &self,
        searches: impl IntoIterator<Item = PlayerSearch>,
    ) -> Result<Players, Unreadable> {
        let mut players = self.store.fresh().await?.players().clone();
        let missing: HashSet<_> =
            searches.into_iter().filter(|search| players.find(search).is_none()).collect();
        if !missing.is_empty() {
            for player in self.store.players(missing.into_iter().collect()).await? {
                players.load(player);
            }
        }
        Ok(players)
    }

    /// The id that links the request to its event.
    pub async fn join(&self, id: GameId, joining: JoinRequest) -> Outcome<Uuid> {
        let (wire, seed, now) = (self.wire, EventSeed::draw(&*self.chance), self.clock.wall());
        let transaction = self.chance.uuid();
        let keys = [vec![Key::Game(id)], keys_of_joining(joining.player)].concat();
        let work = Decision::followed(keys, move |image: &Image| {
            let joined = image.game(id)?.join(joining.player, transaction)?;
            let events = wire.joined(&joined, &joining, transaction, &mut seed.ids(), now);
            let after_commit = game_log::after_commit(&joined, image, Some(&joining.name));
            let change = Change::of_game(joined, image)?;
            Ok((Decided { change, events, output: transaction }, after_commit))
        });
        self.decide(work).await
    }

    pub async fn leave(&self, id: GameId, player: PlayerId) -> Outcome<Game> {
        self.change_game(id, AnswerRecorder::none(), move |game, _| Ok(game.leave(player)?)).await
    }

    /// What a host does, also in a running game.
    pub async fn take_out(&self, id: GameId, player: PlayerId) -> Outcome<Game> {
        let at = self.service_clock.now();
        self.change_game(id, AnswerRecorder::none(), move |game, _| Ok(game.take_out(player, at)?)).await
    }
}
