//! Creating a game. Where its world is made at once this crosses two services, so it is an intent: written down first,
//! with the world's id chosen beforehand, and finished or taken back. The game exists only once its world does.

use std::sync::Arc;

use starkeep_game_core::{Game, GameId, NewGame, WorldId, WorldMade, check_new, create};
use starkeep_platform::decision::{Decided, Decision, Failure, StoreFault};
use starkeep_platform::idempotency::AnswerRecorder;
use starkeep_platform::lease::Epoch;

use super::{App, Outcome};
use crate::domain::{Change, Image, Rejection};
use crate::ports::{IntentFailure, WorldOrder};

impl App {
    /// Goes on to its end even if the caller does not wait for it.
    pub async fn create(
        self: &Arc<Self>,
        new: NewGame,
        remember: AnswerRecorder<Game>,
    ) -> Result<Game, IntentFailure> {
        let app = self.clone();
        let task = tokio::spawn(async move {
            match app.policy.world_made {
                WorldMade::AtStart => Ok(app.write_down(new, None, remember).await?),
                WorldMade::AtCreate => app.create_with_world(new, remember).await,
            }
        });
        task.await.unwrap_or_else(|fault| Err(Failure::from(StoreFault::Refused(fault.to_string())).into()))
    }

    async fn create_with_world(
        &self,
        new: NewGame,
        remember: AnswerRecorder<Game>,
    ) -> Result<Game, IntentFailure> {
        let (game, world) = (new.id, WorldId(self.chance.uuid()));
        let _working = self.under_way.begin(world);
        self.begin_creation(new.clone(), world).await?;
        let order = WorldOrder {
            id: world,
            players: new.max_players,
            rounds: new.max_rounds,
            seed: new.seed,
            style: new.style.clone(),
        };
        match self.other_services.map.make(order).await {
            Ok(made) => match self.write_down(new, Some(made), remember).await {
                Ok(game) => Ok(game),
                Err(failure) => {
                    self.give_up_creation(game, made).await;
                    Err(failure.into())
                }
            },
            Err(fault) => {
                tracing::warn!(%game, %fault, "a game could not be created");
                self.give_up_creation(game, world).await;
                Err(IntentFailure::Map(fault))
            }
        }
    }

    async fn begin_creation(&self, new: NewGame, world: WorldId) -> Outcome<()> {
        let policy = self.policy;
        let work = Decision::new(vec![], move |image: &Image| {
            check_new(&policy, &new, image.any_active())?;
            let change = Change::CreationBegun { game: new.id, world };
            Ok(Decided { change, events: vec![], output: () })
        });
        self.decide(work).await
    }

    /// The commit with which the game exists: its row, its `created` event, and the end of the intent.
    async fn write_down(
        &self,
        new: NewGame,
        world: Option<WorldId>,
        remember: AnswerRecorder<Game>,
    ) -> Outcome<Game> {
        let (policy, now, announce) = (self.policy, self.clock.wall(), self.announcer());
        let work = Decision::new(vec![], move |image: &Image| {
            // Its own intent does not stand in the way of a game.
            let active = image.any_active().filter(|active| *active != new.id);
            let change = create(&policy, new.clone(), world, active, now)?;
            let output = change.after.clone().ok_or(Rejection::NothingToDo)?;
            let events = announce(&change);
            Ok(Decided { change: Change::of_game(change, image)?, events, output })
        });
        self.decide(work.record_answer(remember)).await
    }

    /// Where even this cannot be written, the reconciler does it later.
    async fn give_up_creation(&self, game: GameId, world: WorldId) {
        if let Err(failure) = self.withdraw_creation(None, game, world).await {
            tracing::warn!(%game, ?failure, "a creation could not be taken back yet");
        }
    }

    /// Takes an unfinished creation back; its world, if it was made, is on the list of those to be removed.
    pub(crate) async fn withdraw_creation(
        &self,
        epoch: Option<Epoch>,
        game: GameId,
        world: WorldId,
    ) -> Outcome<()> {
        let work = Decision::new(vec![], move |image: &Image| {
            image.creation(game).ok_or(Rejection::NothingToDo)?;
            let change = Change::CreationWithdrawn { game, world };
            Ok(Decided { change, events: vec![], output: () })
        });
        self.decide(work.fenced_by(epoch)).await
    }
}
