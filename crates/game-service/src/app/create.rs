//! Creating a game. Where its world is made at once this crosses two services, so it is an intent: written down first,
//! with the world's id drawn beforehand, and settled or withdrawn. The game exists only once its world does.

use std::sync::Arc;

use starkeep_game_core::{Game, NewGame, WorldId, WorldMade, check_new, create};
use starkeep_platform::decision::{Decided, Decision, Failure, StoreFault};
use starkeep_platform::idempotency::AnswerRecorder;
use starkeep_platform::intent::Intent;

use super::{App, Outcome};
use crate::domain::{Change, Image, Rejection, WorldCall, world_of};
use crate::ports::{IntentFailure, WorldOrder};

impl App {
    pub async fn create(
        self: &Arc<Self>,
        new: NewGame,
        answer: AnswerRecorder<Game>,
    ) -> Result<Game, IntentFailure> {
        match self.policy.world_made {
            WorldMade::AtStart => Ok(self.add_game(new, None, answer).await?),
            WorldMade::AtCreate => {
                let intent = self.new_intent(WorldCall::Create(new.id));
                let app = self.clone();
                self.carry_out(intent, async move { app.create_with_world(new, intent, answer).await }).await
            }
        }
    }

    async fn create_with_world(
        self: Arc<Self>,
        new: NewGame,
        intent: Intent<WorldCall>,
        answer: AnswerRecorder<Game>,
    ) -> Result<Game, IntentFailure> {
        if let Err(failure) = self.begin_creation(new.clone(), intent).await {
            self.give_up_if_begun(intent, &failure).await;
            return Err(failure.into());
        }
        let order = WorldOrder {
            id: world_of(intent.id),
            players: new.max_players,
            rounds: new.max_rounds,
            seed: new.seed,
            style: new.style.clone(),
        };
        let game = new.id;
        match self.other_services.map.make(order).await {
            Ok(made) => match self.add_game(new, Some((intent, made)), answer).await {
                Ok(game) => Ok(game),
                Err(failure) => {
                    self.give_up(intent, Some(made)).await;
                    Err(failure.into())
                }
            },
            Err(fault) => {
                tracing::warn!(%game, %fault, "a game could not be created");
                self.give_up(intent, None).await;
                Err(IntentFailure::Map(fault))
            }
        }
    }

    async fn begin_creation(&self, new: NewGame, intent: Intent<WorldCall>) -> Outcome<()> {
        let policy = self.policy;
        let work = Decision::new(vec![], move |image: &Image| {
            check_new(&policy, &new, image.any_active())?;
            Ok(Decided { change: Change::CreationBegun(intent), events: vec![], output: () })
        });
        self.decide(work).await
    }

    /// The commit with which the game exists: its row, its `created` event, and the end of the intent, if there is one.
    async fn add_game(
        &self,
        new: NewGame,
        settled: Option<(Intent<WorldCall>, WorldId)>,
        answer: AnswerRecorder<Game>,
    ) -> Outcome<Game> {
        let (policy, now, announce) = (self.policy, self.clock.wall(), self.announcer());
        let work = Decision::new(vec![], move |image: &Image| {
            // Its own intent does not stand in the way of a game.
            let active = image.any_active().filter(|active| *active != new.id);
            let change = create(&policy, new.clone(), settled.map(|(_, made)| made), active, now)?;
            let output = change.after.clone().ok_or(Rejection::NothingToDo)?;
            let events = announce(&change);
            let mut change = Change::of_game(change, image)?;
            if let Some((Intent { id, owner, .. }, _)) = settled {
                image.intents().owned(id, owner).ok_or(Rejection::NothingToDo)?;
                change = change.settling(id);
            }
            Ok(Decided { change, events, output })
        });
        match self.decide(work.record_answer(answer)).await {
            Err(Failure::Rejected(Rejection::NothingToDo)) => {
                let withdrawn = "the creation was withdrawn: this replica was thought dead";
                Err(StoreFault::Unavailable(withdrawn.to_owned()).into())
            }
            outcome => outcome,
        }
    }
}
