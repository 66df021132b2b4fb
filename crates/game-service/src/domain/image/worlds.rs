//! Who plays in which world, and which worlds the map has yet to replenish.

use std::collections::BTreeSet;
use std::sync::Arc;

use starkeep_game_core::{Game, GameId, Rejection, WorldId};
use starkeep_platform::intent::IntentId;

use super::super::{WorldCall, world_of};
use super::Image;

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

    /// The rounds of the game after which its world is to be replenished and the map has not answered, the earliest first.
    pub fn replenishments(&self, id: GameId) -> impl Iterator<Item = (u32, IntentId)> {
        let of_game = self.intents.iter().filter_map(move |intent| match intent.call {
            WorldCall::Replenish { game, round } if game == id => Some((round, intent.id)),
            _ => None,
        });
        let mut rounds: Vec<_> = of_game.collect();
        rounds.sort_unstable();
        rounds.into_iter()
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
