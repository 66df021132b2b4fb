//! One planet: its id, its coordinates, its kind, and what follows from them.
//! The generator makes planets without ids; they get them when the world is created.

use starkeep_core_types::PlanetId;

use super::Ring;

/// The largest movement difficulty that a planet can have.
pub const MOST_DIFFICULT: u8 = 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Planet {
    pub id: PlanetId,
    pub x: u16,
    pub y: u16,
    pub kind: PlanetKind,
    /// What a robot pays for entering it: the ring's own, except in worlds that are made by hand.
    pub movement_difficulty: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlanetWithoutId {
    pub x: u16,
    pub y: u16,
    pub kind: PlanetKind,
    /// What a robot pays for entering it: the ring's own, except in worlds that are made by hand.
    pub movement_difficulty: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PlanetKind {
    Default,
    SpaceStation,
}

impl PlanetWithoutId {
    pub fn ring(&self, side: u32) -> Ring {
        Ring::at(self.x, self.y, side)
    }

    pub fn with_id(self, id: PlanetId) -> Planet {
        let Self { x, y, kind, movement_difficulty } = self;
        Planet { id, x, y, kind, movement_difficulty }
    }
}

impl Planet {
    pub fn ring(&self, side: u32) -> Ring {
        Ring::at(self.x, self.y, side)
    }

    /// How much faster a robot regains its energy here.
    pub fn recharge_multiplicator(&self) -> u8 {
        match self.kind {
            PlanetKind::Default => 1,
            PlanetKind::SpaceStation => 2,
        }
    }
}

impl PlanetKind {
    pub const ALL: [Self; 2] = [Self::Default, Self::SpaceStation];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::SpaceStation => "spacestation",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_read_as_they_are_written() {
        for kind in PlanetKind::ALL {
            assert_eq!(PlanetKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(PlanetKind::parse("station"), None);
    }
}
