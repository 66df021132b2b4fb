//! Starting a game. Unless its world fits already this crosses two services, so it is an intent: the game keeps its slot
//! and the id of the world under way, nobody joins meanwhile, and a crash leaves something to withdraw. Of a world that the
//! host named the map is only asked whether it is still active.
//!
//! Where events are awaited, a world is made only after all that was told so far is in Kafka: the existing trading service
//! forgets the stations that it learned of before `created`. Nothing is begun while Kafka is waited for.

use std::sync::Arc;
use std::time::Duration;

use starkeep_game_core::{Game, GameId, MadeWorld, Rejection as Rule, RoundId, Start, WorldId};
use starkeep_platform::clock::within;
use starkeep_platform::decision::{Decided, Decision, Failure};
use starkeep_platform::idempotency::AnswerRecorder;
use starkeep_platform::intent::Intent;

use super::{App, Outcome, game_log};
use crate::domain::interest::GAMES;
use crate::domain::{Change, Image, Key, Rejection, WorldCall, world_of};
use crate::ports::{IntentFailure, WorldOrder};

/// The same start at another replica is waited for, but no longer than this.
const LONGEST_START: Duration = Duration::from_secs(30);

/// How far one commit brings a start.
enum Step {
    Started(Box<Game>),
    NeedsWorld(WorldOrder),
}

impl App {
    pub async fn start(
        self: &Arc<Self>,
        id: GameId,
        answer: AnswerRecorder<Game>,
    ) -> Result<Game, IntentFailure> {
        let intent = self.new_intent(WorldCall::Start(id));
        let app = self.clone();
        self.carry_out(intent, async move { app.start_with_world(id, intent, answer).await }).await
    }

    async fn start_with_world(
        self: Arc<Self>,
        id: GameId,
        intent: Intent<WorldCall>,
        answer: AnswerRecorder<Game>,
    ) -> Result<Game, IntentFailure> {
        let image = self.store.fresh().await.map_err(Failure::from)?;
        let given_world = image.active_game(id).and_then(|game| game.given_world());
        let is_prepared = given_world.is_none() && !self.sent_events.are_awaited();
        let mut begun = self.begin_start(id, intent, answer.clone(), is_prepared).await;
        if let Err(Failure::Rejected(Rejection::NothingToDo)) = begun {
            self.prepare_start(id, given_world).await?;
            begun = self.begin_start(id, intent, answer.clone(), true).await;
        }
        // The same request may be under way at another replica: what that answers is this one's answer, too.
        if let Err(Failure::Rejected(Rejection::Rule(Rule::StartUnderWay { .. }))) = begun
            && answer.has_key()
        {
            self.await_other_start(id).await;
            begun = self.begin_start(id, intent, answer.clone(), true).await;
        }
        let order = match begun {
            Ok(Step::Started(game)) => return Ok(*game),
            Ok(Step::NeedsWorld(order)) => order,
            Err(failure) => {
                self.give_up_if_begun(intent, &failure).await;
                return Err(failure.into());
            }
        };
        match self.other_services.map.make(order).await {
            Ok(made) => match self.finish_start(id, intent, made, answer).await {
                Ok(game) => Ok(game),
                Err(failure) => {
                    self.give_up(intent, Some(made.id)).await;
                    Err(failure.into())
                }
            },
            Err(fault) => {
                tracing::warn!(game = %id, %fault, "a game could not be started");
                let overtaken = self.store.image().intents().owned(intent.id, intent.owner).is_none();
                self.give_up(intent, None).await;
                // The map refuses a world that an end has withdrawn, which is no fault of the map.
                if overtaken {
                    return Err(Failure::Rejected(Rule::StartWithdrawn { game: id }.into()).into());
                }
                Err(IntentFailure::Map(fault))
            }
        }
    }

    /// Waits until the start that is under way is over, but not for ever.
    async fn await_other_start(&self, id: GameId) {
        let under_way = || self.store.image().active_game(id).and_then(|game| game.world_under_way());
        let mut commits = self.store.commits(GAMES);
        let begun = under_way();
        let over = async { while under_way() == begun && commits.changed().await.is_ok() {} };
        within(&*self.clock, LONGEST_START, over).await;
    }

    /// Before a world is made all that was told is in Kafka; one that the host named is still active.
    async fn prepare_start(&self, id: GameId, given_world: Option<WorldId>) -> Result<(), IntentFailure> {
        match given_world {
            Some(world) => self.active_world(id, world).await.map(drop),
            None => self.sent_events.all_sent().await.map_err(|silent| {
                tracing::warn!(game = %id, %silent, "a game could not be started");
                IntentFailure::Kafka(silent)
            }),
        }
    }

    /// Nothing is done for a start that is not prepared where it has to be. One that is refused is refused anyway.
    async fn begin_start(
        &self,
        id: GameId,
        intent: Intent<WorldCall>,
        answer: AnswerRecorder<Game>,
        is_prepared: bool,
    ) -> Outcome<Step> {
        let (policy, at, now) = (self.policy, self.service_clock.now(), self.clock.wall());
        let (world, round, announce) = (world_of(intent.id), RoundId(self.chance.uuid()), self.announcer());
        let work = Decision::followed(vec![Key::Game(id)], move |image: &Image| {
            let game = image.game(id)?;
            match game.begin_start(&policy, &image.slots(), world, round, at, now)? {
                Start::Now(_) if game.world_is_given && !is_prepared => Err(Rejection::NothingToDo),
                Start::Now(change) => {
                    let started = change.after.clone().ok_or(Rejection::NothingToDo)?;
                    let output = Step::Started(Box::new(started));
                    let events = announce(&change);
                    let after_commit = game_log::after_commit(&change, image, None);
                    Ok((Decided { change: Change::of_game(change, image)?, events, output }, after_commit))
                }
                Start::NeedsWorld { .. } if !is_prepared => Err(Rejection::NothingToDo),
                Start::NeedsWorld { change, players } => {
                    let order = WorldOrder {
                        id: world,
                        players,
                        rounds: game.max_rounds,
                        seed: game.seed,
                        nonce: game.nonce.clone(),
                        style: game.style.clone(),
                    };
                    let output = Step::NeedsWorld(order);
                    let events = announce(&change);
                    let change = Change::of_game(change, image)?.beginning(intent);
                    Ok((Decided { change, events, output }, None))
                }
            }
        });
        let answer = answer.when(|step: &Step| match step {
            Step::Started(game) => Some(&**game),
            Step::NeedsWorld(_) => None,
        });
        self.decide(work.record_answer(answer)).await
    }

    async fn finish_start(
        &self,
        id: GameId,
        intent: Intent<WorldCall>,
        made: MadeWorld,
        answer: AnswerRecorder<Game>,
    ) -> Outcome<Game> {
        let (policy, at, now) = (self.policy, self.service_clock.now(), self.clock.wall());
        let round = RoundId(self.chance.uuid());
        self.change_game(id, answer, move |game, image| {
            image.intents().owned(intent.id, intent.owner).ok_or(Rule::StartWithdrawn { game: id })?;
            Ok(game.finish_start(&policy, world_of(intent.id), made, round, at, now)?)
        })
        .await
    }
}
