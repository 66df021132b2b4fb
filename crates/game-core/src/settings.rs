//! The bounds of what a host may set, and the check that names the broken one.
//! When a setting may be changed, and what follows from it, is decided in `create` and `change_settings`.

use std::fmt;
use std::ops::RangeInclusive;

pub const MAX_ROUNDS: RangeInclusive<u32> = 1..=1_000_000;
pub const MAX_PLAYERS: RangeInclusive<u32> = 1..=10_000;
/// In milliseconds; a policy may ask for more at the lower end.
pub const ROUND_LENGTHS: RangeInclusive<u32> = 100..=86_400_000;
/// In milliseconds.
pub const DEFAULT_ROUND_LENGTH: u32 = 60_000;

/// What a player begins with.
pub const START_MONEY: RangeInclusive<u32> = 0..=1_000_000;
pub const DEFAULT_START_MONEY: u32 = 200;

/// The length of a game's name, in characters.
pub const NAME_LENGTHS: RangeInclusive<u32> = 1..=80;

/// What ends the phases of a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// Every phase lasts as long as it was announced to.
    #[default]
    Clock,
    /// Collection ends when every player is ready, execution when everything is carried out.
    Turbo,
}

/// A setting that has bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    MaxRounds,
    MaxPlayers,
    RoundLength,
    StartMoney,
    NameLength,
}

/// A value that a setting does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OutOfBounds {
    pub(crate) field: Field,
    pub(crate) least: u32,
    pub(crate) most: u32,
    pub(crate) got: u32,
}

impl Field {
    pub(crate) fn check(self, bounds: RangeInclusive<u32>, got: u32) -> Result<(), OutOfBounds> {
        if bounds.contains(&got) {
            return Ok(());
        }
        let (least, most) = bounds.into_inner();
        Err(OutOfBounds { field: self, least, most, got })
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MaxRounds => "number of rounds",
            Self::MaxPlayers => "number of players",
            Self::RoundLength => "round length in milliseconds",
            Self::StartMoney => "money that a player begins with",
            Self::NameLength => "length of the name in characters",
        })
    }
}
