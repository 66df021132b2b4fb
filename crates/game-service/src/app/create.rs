//! Creating a game. Where its world is made at once this crosses two services, so it is an intent: written down first,
//! with the world's id drawn beforehand, and settled or withdrawn. The game exists only once its world does.

use std::sync::Arc;

use starkeep_game_core::{
    Game, GameId, MadeWorld, NewGame, Policy, Rejection as Rule, WorldId, WorldMade, check_new, create,
};
use starkeep_platform::decision::{Decided, Decision, Failure, StoreFault};
use starkeep_platform::idempotency::AnswerRecorder;
use starkeep_platform::intent::Intent;

use super::{App, Outcome, game_log};
use crate::domain::{Change, Image, Rejection, WorldCall, world_of};
use crate::ports::{IntentFailure, KnownWorld, WorldOrder};

impl App {
    pub async fn create(
        self: &Arc<Self>,
        new: NewGame,
        answer: AnswerRecorder<Game>,
    ) -> Result<Game, IntentFailure> {
        if let Some(world) = new.given_world {
            return self.create_in(world, new, answer).await;
        }
        match self.policy.world_made {
            WorldMade::AtStart => Ok(self.add_game(new, None, None, answer).await?),
            WorldMade::AtCreate => {
                let intent = self.new_intent(WorldCall::Create(new.id));
                let app = self.clone();
                self.carry_out(intent, async move { app.create_with_world(new, intent, answer).await }).await
            }
        }
    }

    /// In a world that the host named. The map is only asked about it, so nothing has to be written down beforehand.
    async fn create_in(
        &self,
        world: WorldId,
        new: NewGame,
        answer: AnswerRecorder<Game>,
    ) -> Result<Game, IntentFailure> {
        // What is refused anyway does not depend on the map.
        let image = self.store.fresh().await.map_err(Failure::from)?;
        check_creation(&self.policy, &new, &image)?;
        let KnownWorld { replenishment, .. } = self.active_world(new.id, world).await?;
        Ok(self.add_game(new, Some(MadeWorld { id: world, replenishment }), None, answer).await?)
    }

    /// What the map says of the world that the game is to be played in.
    pub(super) async fn active_world(
        &self,
        game: GameId,
        world: WorldId,
    ) -> Result<KnownWorld, IntentFailure> {
        match self.other_services.map.look_up(world).await {
            Ok(Some(known)) if known.is_active => Ok(known),
            Ok(Some(_)) => Err(Rule::WorldInactive { world }.into()),
            Ok(None) => Err(Rule::NoSuchWorld.into()),
            Err(fault) => {
                tracing::warn!(%game, %world, %fault, "the map service could not be asked for the gameworld of a game");
                Err(IntentFailure::Map(fault))
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
            nonce: new.nonce.clone(),
            style: new.style.clone(),
        };
        let game = new.id;
        match self.other_services.map.make(order).await {
            Ok(made) => match self.add_game(new, Some(made), Some(intent), answer).await {
                Ok(game) => Ok(game),
                Err(failure) => {
                    self.give_up(intent, Some(made.id)).await;
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
            check_creation(&policy, &new, image)?;
            Ok(Decided { change: Change::CreationBegun(intent), events: vec![], output: () })
        });
        self.decide(work).await
    }

    /// The commit with which the game exists: its row, its `created` event, and the end of the intent, if there is one.
    async fn add_game(
        &self,
        new: NewGame,
        world: Option<MadeWorld>,
        settled: Option<Intent<WorldCall>>,
        answer: AnswerRecorder<Game>,
    ) -> Outcome<Game> {
        let (policy, now, announce) = (self.policy, self.clock.wall(), self.announcer());
        let work = Decision::followed(vec![], move |image: &Image| {
            // Its own intent does not stand in the way of a game.
            let active = image.any_active().filter(|active| *active != new.id);
            new.given_world.map_or(Ok(()), |world| image.check_free(world))?;
            let number = image.games_created() + 1;
            let change = create(&policy, new.clone(), world, active, number, now)?;
            let output = change.after.clone().ok_or(Rejection::NothingToDo)?;
            let events = announce(&change);
            let after_commit = game_log::after_commit(&change, image, None);
            let mut change = Change::of_game(change, image)?;
            if let Some(Intent { id, owner, .. }) = settled {
                image.intents().owned(id, owner).ok_or(Rejection::NothingToDo)?;
                change = change.settling(id);
            }
            Ok((Decided { change, events, output }, after_commit))
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

/// Of a game that does not exist yet, not even as an intent.
fn check_creation(policy: &Policy, new: &NewGame, image: &Image) -> Result<(), Rule> {
    check_new(policy, new, image.any_active())?;
    new.given_world.map_or(Ok(()), |world| image.check_free(world))
}
