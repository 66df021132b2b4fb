//! How many commands of each player were refused in the open round of its game: in memory only, for the host's eyes.
//! Commands that are taken do not come here, and a refusal takes no lock that others wait for, except a round's first.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use starkeep_game_core::{Game, GameId, PlayerId, Rejection, State};

use crate::domain::{Image, Refused};

/// Of running games; each entry is of one round and has all who play in it.
#[derive(Debug, Default)]
pub(crate) struct CommandRefusals(RwLock<HashMap<GameId, Arc<OfRound>>>);

#[derive(Debug)]
struct OfRound {
    round: u32,
    players: HashMap<PlayerId, Counters>,
}

#[derive(Debug, Default)]
struct Counters {
    refused: AtomicU32,
    late: AtomicU32,
}

impl CommandRefusals {
    /// Counts a refusal of a player's command for the game, if it runs and the player plays in it.
    pub(crate) fn record(&self, image: &Image, game: &Game, player: PlayerId, why: &Rejection) {
        if !matches!(game.state, State::Running(_)) || !game.roster.plays(player) {
            return;
        }
        let of_round = self.of(game).unwrap_or_else(|| self.begin(image, game));
        let Some(counters) = of_round.players.get(&player) else { return };
        let counter = match why {
            Rejection::NotCollecting { .. } => &counters.late,
            _ => &counters.refused,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count(&self, game: &Game, player: PlayerId) -> Refused {
        let of_round = self.of(game);
        let counters = of_round.as_ref().and_then(|of_round| of_round.players.get(&player));
        counters.map_or_else(Refused::default, |Counters { refused, late }| Refused {
            refused: refused.load(Ordering::Relaxed),
            late: late.load(Ordering::Relaxed),
        })
    }

    /// Of the game's open round.
    fn of(&self, game: &Game) -> Option<Arc<OfRound>> {
        let games = self.0.read().unwrap_or_else(PoisonError::into_inner);
        games.get(&game.id).filter(|of_round| of_round.round == game.current_round()).cloned()
    }

    /// The first refusal of a round. Games that have ended are dropped.
    fn begin(&self, image: &Image, game: &Game) -> Arc<OfRound> {
        let round = game.current_round();
        let mut games = self.0.write().unwrap_or_else(PoisonError::into_inner);
        games.retain(|id, _| image.active_game(*id).is_some());
        let known = games.entry(game.id).or_insert_with(|| OfRound::new(game));
        // Somebody who has seen a later round may have been quicker.
        if known.round < round {
            *known = OfRound::new(game);
        }
        known.clone()
    }
}

impl OfRound {
    fn new(game: &Game) -> Arc<Self> {
        let players = game.roster.iter().filter(|player| game.roster.plays(*player));
        let players = players.map(|player| (player, Counters::default())).collect();
        Arc::new(Self { round: game.current_round(), players })
    }
}
