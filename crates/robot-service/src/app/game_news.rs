//! What the game service's events tell: each piece of news and the position after it are one commit.
//! News that say nothing to robots (who joined, that a round began) are not written; a later commit takes the position along.

use std::sync::PoisonError;

use starkeep_executor::{GameEvent, GameNews, RoundState};
use starkeep_platform::decision::{Decided, Decision, Failure};
use starkeep_platform::lease::Epoch;

use super::{App, Outcome, or_nothing};
use crate::domain::{Change, HeardGame, Image, Rejection};

impl App {
    /// How far the game service's events were read.
    pub(crate) fn game_position(&self) -> Option<String> {
        self.store.image().position.clone()
    }

    pub(crate) async fn hear(&self, epoch: Epoch, event: GameEvent, position: String) -> Result<(), String> {
        if !tells_something(&event.news) {
            return Ok(());
        }
        self.record(epoch, vec![event], position, true).await.map_err(describe)
    }

    /// Events may be missing before this position: the games are asked for, and only then the position is kept.
    pub(crate) async fn bridge_gap(&self, epoch: Epoch, position: String) -> Result<(), String> {
        let known = self.store.image().games.clone();
        let outcome = match self.game_service.missed_news(&known).await {
            Ok(news) => self.record(epoch, news, position, false).await.map_err(describe),
            Err(fault) => Err(fault),
        };
        *self.gap.lock().unwrap_or_else(PoisonError::into_inner) = outcome.clone().err();
        outcome
    }

    /// Why what was missed of the game service's events is not known yet.
    pub(crate) fn gap(&self) -> Option<String> {
        self.gap.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn record(
        &self,
        epoch: Epoch,
        news: Vec<GameEvent>,
        position: String,
        may_wait: bool,
    ) -> Outcome<()> {
        let work = Decision::new(Vec::new(), move |image: &Image| {
            let mut games = image.games.clone();
            let mut heard: Vec<_> =
                news.iter().filter(|event| games.absorb(event)).map(|event| event.game).collect();
            if heard.is_empty() && may_wait {
                return Err(Rejection::NothingToDo);
            }
            heard.sort_unstable();
            heard.dedup();
            let games = heard.into_iter().map(|id| HeardGame { id, state: games.get(id).copied() }).collect();
            let change = Change::Heard { position: position.clone(), games };
            Ok(Decided { change, events: Vec::new(), output: () })
        });
        or_nothing(self.apply(work.fenced_by(epoch)).await)
    }
}

fn tells_something(news: &GameNews) -> bool {
    match news {
        GameNews::Created | GameNews::Started { .. } | GameNews::Ended | GameNews::Deleted => true,
        GameNews::Round { state, .. } => *state == RoundState::InputEnded,
        GameNews::Joined { .. } | GameNews::Left { .. } => false,
    }
}

fn describe(failure: Failure<Rejection>) -> String {
    match failure {
        Failure::Store(fault) => fault.to_string(),
        Failure::Expired => "the storage was busy for too long".to_owned(),
        Failure::Rejected(rejection) => format!("refused: {rejection:?}"),
    }
}
