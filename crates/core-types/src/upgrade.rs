//! The seven things of a robot that can be upgraded.
//! What a level is worth is said in `levels`; what it costs is a rule of trading.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Upgrade {
    Storage,
    Health,
    Damage,
    MiningSpeed,
    Mining,
    MaxEnergy,
    EnergyRegen,
}

impl Upgrade {
    pub const ALL: [Self; 7] = [
        Self::Storage,
        Self::Health,
        Self::Damage,
        Self::MiningSpeed,
        Self::Mining,
        Self::MaxEnergy,
        Self::EnergyRegen,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Storage => "STORAGE",
            Self::Health => "HEALTH",
            Self::Damage => "DAMAGE",
            Self::MiningSpeed => "MINING_SPEED",
            Self::Mining => "MINING",
            Self::MaxEnergy => "MAX_ENERGY",
            Self::EnergyRegen => "ENERGY_REGEN",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|upgrade| upgrade.as_str() == text)
    }

    /// The highest level.
    pub fn highest(self) -> u8 {
        if self == Self::Mining { 4 } else { 5 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for upgrade in Upgrade::ALL {
            assert_eq!(Upgrade::parse(upgrade.as_str()), Some(upgrade));
        }
        assert_eq!(Upgrade::parse("storage"), None);
    }
}
