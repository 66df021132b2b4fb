//! Starting a game. Unless its world fits already this crosses two services, so it is an intent: the game keeps its slot
//! and the id of the world under way, nobody joins meanwhile, and a crash leaves something to take back.

use std::sync::Arc;

use starkeep_game_core::{
    Game, GameId, Rejection as Rule, Retire, Retirement, RoundId, Start, State, WorldId,
};
use starkeep_platform::decision::{Decided, Decision, Failure, StoreFault};
use starkeep_platform::idempotency::AnswerRecorder;
use starkeep_platform::lease::Epoch;

use super::{App, Outcome};
use crate::domain::{Change, Image, Key, Rejection};
use crate::ports::{IntentFailure, WorldOrder};

/// How far one commit brings a start.
enum Step {
    Started(Box<Game>),
    NeedsWorld(WorldOrder),
}

impl App {
    /// Goes on to its end even if the caller does not wait for it.
    pub async fn start(
        self: &Arc<Self>,
        id: GameId,
        remember: AnswerRecorder<Game>,
    ) -> Result<Game, IntentFailure> {
        let app = self.clone();
        let task = tokio::spawn(async move { app.start_to_the_end(id, remember).await });
        task.await.unwrap_or_else(|fault| Err(Failure::from(StoreFault::Refused(fault.to_string())).into()))
    }

    async fn start_to_the_end(
        &self,
        id: GameId,
        remember: AnswerRecorder<Game>,
    ) -> Result<Game, IntentFailure> {
        let working = self.under_way.begin(WorldId(self.chance.uuid()));
        let order = match self.begin_start(id, working.world, remember.clone()).await? {
            Step::Started(game) => return Ok(*game),
            Step::NeedsWorld(order) => order,
        };
        match self.other_services.map.make(order).await {
            Ok(made) => match self.finish_start(id, working.world, made, remember).await {
                Ok(game) => Ok(game),
                Err(failure) => {
                    self.give_up_start(id, working.world, made).await;
                    Err(failure.into())
                }
            },
            Err(fault) => {
                tracing::warn!(game = %id, %fault, "a game could not be started");
                let overtaken = !self.start_waits(id, working.world);
                self.give_up_start(id, working.world, working.world).await;
                // The map refuses a world that an end has withdrawn, which is no fault of the map.
                if overtaken {
                    return Err(Failure::Rejected(Rule::StartWithdrawn { game: id }.into()).into());
                }
                Err(IntentFailure::Map(fault))
            }
        }
    }

    async fn begin_start(&self, id: GameId, world: WorldId, remember: AnswerRecorder<Game>) -> Outcome<Step> {
        let (policy, at, now) = (self.policy, self.service_clock.now(), self.clock.wall());
        let (round, announce) = (RoundId(self.chance.uuid()), self.announcer());
        let work = Decision::new(vec![Key::Game(id)], move |image: &Image| {
            let game = image.game(id)?;
            match game.begin_start(&policy, &image.slots(), world, round, at, now)? {
                Start::Now(change) => {
                    let started = change.after.clone().ok_or(Rejection::NothingToDo)?;
                    let output = Step::Started(Box::new(started));
                    let events = announce(&change);
                    Ok(Decided { change: Change::of_game(change, image)?, events, output })
                }
                Start::NeedsWorld { change, players } => {
                    let order = WorldOrder {
                        id: world,
                        players,
                        rounds: game.max_rounds,
                        seed: game.seed,
                        style: game.style.clone(),
                    };
                    let output = Step::NeedsWorld(order);
                    let events = announce(&change);
                    Ok(Decided { change: Change::of_game(change, image)?, events, output })
                }
            }
        });
        let remember = remember.when(|step: &Step| match step {
            Step::Started(game) => Some(&**game),
            Step::NeedsWorld(_) => None,
        });
        self.decide(work.record_answer(remember)).await
    }

    async fn finish_start(
        &self,
        id: GameId,
        world: WorldId,
        made: WorldId,
        remember: AnswerRecorder<Game>,
    ) -> Outcome<Game> {
        let (at, now, round) = (self.service_clock.now(), self.clock.wall(), RoundId(self.chance.uuid()));
        self.change_game(id, remember, move |game, _| Ok(game.finish_start(world, made, round, at, now)?))
            .await
    }

    fn start_waits(&self, id: GameId, world: WorldId) -> bool {
        self.store.image().active_game(id).is_some_and(
            |game| matches!(&game.state, State::Created { start: Some(start) } if start.world == world),
        )
    }

    /// Where even this cannot be written, the reconciler does it later.
    async fn give_up_start(&self, id: GameId, world: WorldId, made: WorldId) {
        if let Err(failure) = self.withdraw_start(None, id, world).await {
            tracing::warn!(game = %id, ?failure, "a start could not be taken back yet");
        }
        // A map that chose another id than the one written down made a world that the game never knew.
        if made != world {
            let abandoned = Retirement { world: made, how: Retire::Delete };
            let work = Decision::new(vec![], move |_: &Image| {
                Ok(Decided { change: Change::WorldAbandoned(abandoned), events: vec![], output: () })
            });
            if let Err(failure) = self.decide(work).await {
                tracing::warn!(world = %made, ?failure, "a gameworld was left behind");
            }
        }
    }

    /// Takes an unfinished start back, unless the game has moved on: then there is nothing left to do.
    pub(crate) async fn withdraw_start(
        &self,
        epoch: Option<Epoch>,
        id: GameId,
        world: WorldId,
    ) -> Outcome<()> {
        let work = self.game_change(id, move |game, _| match &game.state {
            State::Created { start: Some(start) } if start.world == world => Ok(game.abandon_start()),
            _ => Err(Rejection::NothingToDo),
        });
        match self.decide(work.fenced_by(epoch)).await {
            Ok(_)
            | Err(Failure::Rejected(Rejection::NothingToDo | Rejection::Rule(Rule::UnknownGame { .. }))) => {
                Ok(())
            }
            Err(failure) => Err(failure),
        }
    }
}
