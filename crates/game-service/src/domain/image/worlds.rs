//! Who plays in which world, and which worlds the map has yet to replenish.

use std::collections::BTreeSet;
use std::sync::Arc;

use starkeep_game_core::{Game, GameId, Rejection, Retire, Retirement, WorldId};
use starkeep_platform::intent::IntentId;

use super::super::{WorldCall, world_of};
use super::Image;

/// A replenishment that the map has not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenReplenishment {
    pub(crate) intent: IntentId,
    pub(crate) world: WorldId,
    /// It is done after this one.
    pub(crate) round: u32,
}

impl Image {
    /// Does a created or running game use the world?
    pub fn plays_in(&self, world: WorldId) -> bool {
        self.active.values().any(|game| game.world == Some(world))
    }

    /// May another game be played in the world?
    pub fn check_free(&self, world: WorldId) -> Result<(), Rejection> {
        let uses = |game: &&Arc<Game>| [game.world, game.world_under_way()].contains(&Some(world));
        let used_by = self.active.values().find(uses).map(|game| game.id);
        let made_for = self.intents.iter().find_map(|intent| match intent.call {
            WorldCall::Create(game) | WorldCall::Start(game) if world_of(intent.id) == world => Some(game),
            _ => None,
        });
        if let Some(game) = used_by.or(made_for) {
            return Err(Rejection::WorldInUse { world, game });
        }
        // The map may not have been told of it yet.
        if self.retirements.contains_key(&world) {
            return Err(Rejection::WorldInactive { world });
        }
        Ok(())
    }

    /// What the map has not answered of the game, which may be over; the earliest round first.
    pub fn replenishments(&self, id: GameId) -> impl Iterator<Item = OpenReplenishment> {
        let of_game = self.intents.iter().filter_map(move |intent| match intent.call {
            WorldCall::Replenish { game, world, round } if game == id => {
                Some(OpenReplenishment { intent: intent.id, world, round })
            }
            _ => None,
        });
        let mut open: Vec<_> = of_game.collect();
        open.sort_unstable_by_key(|open| open.round);
        open.into_iter()
    }

    /// Worlds that the map can be told of now. One that is yet to be replenished waits for that, unless it is to be deleted: the
    /// same game ends with the same deposits, however quickly it was played.
    pub fn due_retirements(&self) -> impl Iterator<Item = Retirement> {
        let is_replenished = |world: WorldId| {
            let mut calls = self.intents.iter().map(|intent| intent.call);
            !calls.any(|call| matches!(call, WorldCall::Replenish { world: other, .. } if other == world))
        };
        self.retirements().filter(move |due| due.how == Retire::Delete || is_replenished(due.world))
    }

    /// The games of which there are any.
    pub fn games_to_replenish(&self) -> BTreeSet<GameId> {
        let games = self.intents.iter().filter_map(|intent| match intent.call {
            WorldCall::Replenish { game, .. } => Some(game),
            WorldCall::Create(_) | WorldCall::Start(_) => None,
        });
        games.collect()
    }
}
