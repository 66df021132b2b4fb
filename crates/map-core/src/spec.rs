//! The bounds, the size and the style of a world.
//! What is made from them: see `generate`.

use std::ops::RangeInclusive;

/// What a request may ask for; the generator itself has no upper bound.
pub const PLAYERS: RangeInclusive<u32> = 1..=10_000;
/// Seeds survive a trip through JSON, whose numbers are exact up to 2^53.
pub const SEEDS: RangeInclusive<u64> = 0..=(1 << 53) - 1;
/// What one mining may ask for.
pub const MINING_AMOUNTS: RangeInclusive<i64> = 1..=1_000_000_000;
pub const FULL_DEPOSIT: i64 = 10_000;
/// Stored with every world: a seed means the same world only for the same version.
pub const GENERATOR_VERSION: u32 = 2;

/// Worlds of up to so many players are drawn again until their starts are even.
pub const MOST_PLAYERS_WITH_EVEN_STARTS: u32 = 9;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spec {
    pub players: u32,
    pub style: Style,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Style {
    /// Deposits are moved until the starts are worth about the same.
    #[default]
    Balanced,
    /// The same after half a turn, and balanced.
    Symmetric,
    /// As it was drawn, except that every start has coal near it.
    Wild,
}

impl Style {
    pub const ALL: [Self; 3] = [Self::Balanced, Self::Symmetric, Self::Wild];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Balanced => "balanced",
            Self::Symmetric => "symmetric",
            Self::Wild => "wild",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|style| style.as_str() == text)
    }
}

/// How far apart two stations of a world for so many players are at least, in moves.
pub fn least_spacing(players: u32) -> u16 {
    match players {
        1 => 12,
        2..=4 => 4,
        5..=9 => 3,
        _ => 2,
    }
}

/// How many planets a world is wide and high, holes included.
pub fn side(players: u32) -> u32 {
    match players {
        0..10 => 15,
        10..20 => 20,
        20..100 => 35,
        // ceil(sqrt(12.25 · players)): the least side with side² ≥ 49/4 · players, without leaving the integers.
        _ => {
            let quadruple = 49 * u64::from(players);
            let floor = (quadruple / 4).isqrt();
            let exact = if 4 * floor * floor < quadruple { floor + 1 } else { floor };
            u32::try_from(exact).expect("the root of 12.25 · u32 is a u32")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_of_the_original_and_beyond() {
        let table = [
            (1, 15),
            (9, 15),
            (10, 20),
            (19, 20),
            (20, 35),
            (99, 35),
            (100, 35),
            (101, 36),
            (105, 36),
            (106, 37),
            (400, 70),
            (401, 71),
            (1_000, 111),
            (2_500, 175),
            (10_000, 350),
        ];
        for (players, expected) in table {
            assert_eq!(side(players), expected, "{players} players");
        }
    }

    #[test]
    fn large_sides_are_the_least_that_give_each_player_its_share() {
        for players in 100..=*PLAYERS.end() {
            let side = u64::from(side(players));
            let share = 49 * u64::from(players);
            assert!(4 * side * side >= share && 4 * (side - 1) * (side - 1) < share, "{players} players");
        }
    }

    #[test]
    fn styles_are_read_as_they_are_written() {
        for style in Style::ALL {
            assert_eq!(Style::parse(style.as_str()), Some(style));
        }
        assert_eq!(Style::parse("Balanced"), None);
    }
}
