//! The two dialects' wire form: every word and code in which they differ stands here and nowhere else; the one payload
//! that differs is a type with two forms (`events::ResourceReplenished`). What they *decide* differently is the cores' policy.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// `standard` is the published interface to the letter; `msd` is what the existing clients parse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    #[default]
    Standard,
    Msd,
}

impl Dialect {
    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Msd => "msd",
        }
    }

    /// `gameStatus` of a running game.
    pub fn running(self) -> &'static str {
        match self {
            Self::Standard => "running",
            Self::Msd => "started",
        }
    }

    /// Round and time before the first round: zero, or absent.
    pub fn before_first_round<T: Default>(self) -> Option<T> {
        match self {
            Self::Standard => Some(T::default()),
            Self::Msd => None,
        }
    }

    /// Do its consumers of Kafka read every topic on a thread of its own, so that an order between topics is lost on them?
    pub fn reads_topics_in_parallel(self) -> bool {
        self == Self::Msd
    }

    /// Does `GET /games` show ended games?
    pub fn lists_ended_games(self) -> bool {
        self == Self::Standard
    }

    /// Does a player's id, which everybody knows, show who asks?
    pub fn player_id_is_enough(self) -> bool {
        self == Self::Msd
    }

    /// Are the planets of a gameworld that nobody plays in any longer unknown? The original deletes them.
    pub fn forgets_inactive_planets(self) -> bool {
        self == Self::Msd
    }

    /// Status code of a token that nobody has, in a body or a header.
    pub fn unknown_token_status(self) -> u16 {
        match self {
            Self::Standard => 401,
            Self::Msd => 404,
        }
    }

    /// Status code of a state conflict.
    pub fn conflict_status(self) -> u16 {
        match self {
            Self::Standard => 409,
            Self::Msd => 403,
        }
    }
}
