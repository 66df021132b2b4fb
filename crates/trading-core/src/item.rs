//! What is for sale: robots, restorations and upgrades at constant prices, and special items, which are listed only.
//! Names are as on the wire, in upper case.

use starkeep_core_types::Upgrade;

/// Most robots that one command can buy.
pub const LARGEST_ORDER: u32 = 1000;

pub const ROBOT_PRICE: u64 = 100;
const HEALTH_PRICE: u64 = 50;
const ENERGY_PRICE: u64 = 75;
/// Of levels 1 to 5.
const UPGRADE_PRICES: [u64; 5] = [50, 300, 1500, 4000, 15000];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    Special(SpecialItem),
    Robot,
    /// Restores a robot's health.
    Health,
    /// Restores a robot's energy.
    Energy,
    /// To a level of 1 to 5.
    Upgrade {
        of: Upgrade,
        level: u8,
    },
}

/// No service can use them, so nobody can buy them. They keep their prices, since clients read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SpecialItem {
    Rocket,
    Wormhole,
    LongRangeBombardment,
    SelfDestruction,
    RepairSwarm,
    Nuke,
}

impl Item {
    /// Everything, in the order of the list of items.
    pub fn all() -> impl Iterator<Item = Self> {
        let upgrades =
            Upgrade::ALL.into_iter().flat_map(|of| (1..=5).map(move |level| Self::Upgrade { of, level }));
        let special = SpecialItem::ALL.into_iter().map(Self::Special);
        special.chain([Self::Robot, Self::Health, Self::Energy]).chain(upgrades)
    }

    pub fn find(name: &str) -> Option<Self> {
        match name {
            "ROBOT" => return Some(Self::Robot),
            "HEALTH" => return Some(Self::Health),
            "ENERGY" => return Some(Self::Energy),
            _ => {}
        }
        if let Some(special) = SpecialItem::ALL.into_iter().find(|item| item.name() == name) {
            return Some(Self::Special(special));
        }
        // The level stands behind the last underscore: MAX_ENERGY_2.
        let (of, level) = name.rsplit_once('_')?;
        let of = Upgrade::parse(of)?;
        let level = (1..=5).find(|known: &u8| known.to_string() == level)?;
        Some(Self::Upgrade { of, level })
    }

    pub fn name(self) -> String {
        match self {
            Self::Special(special) => special.name().to_owned(),
            Self::Robot => "ROBOT".to_owned(),
            Self::Health => "HEALTH".to_owned(),
            Self::Energy => "ENERGY".to_owned(),
            Self::Upgrade { of, level } => format!("{}_{level}", of.as_str()),
        }
    }

    /// MINING_5 is listed, and there is no such level; special items are listed, and nothing can be done with them.
    pub fn is_for_sale(self) -> bool {
        match self {
            Self::Special(_) => false,
            Self::Upgrade { of, level } => level <= of.highest(),
            Self::Robot | Self::Health | Self::Energy => true,
        }
    }

    /// As the list of items calls it.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Special(_) => "item",
            Self::Robot => "robot",
            Self::Health => "health",
            Self::Energy => "energy",
            Self::Upgrade { .. } => "upgrade",
        }
    }

    /// The price at the start of a game. Only those of special items change.
    pub fn start_price(self) -> u64 {
        match self {
            Self::Special(special) => special.start_price(),
            Self::Robot => ROBOT_PRICE,
            Self::Health => HEALTH_PRICE,
            Self::Energy => ENERGY_PRICE,
            Self::Upgrade { level, .. } => UPGRADE_PRICES[usize::from(level.clamp(1, 5)) - 1],
        }
    }
}

impl SpecialItem {
    pub const ALL: [Self; 6] = [
        Self::Rocket,
        Self::Wormhole,
        Self::LongRangeBombardment,
        Self::SelfDestruction,
        Self::RepairSwarm,
        Self::Nuke,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Rocket => "ROCKET",
            Self::Wormhole => "WORMHOLE",
            Self::LongRangeBombardment => "LONG_RANGE_BOMBARDMENT",
            Self::SelfDestruction => "SELF_DESTRUCTION",
            Self::RepairSwarm => "REPAIR_SWARM",
            Self::Nuke => "NUKE",
        }
    }

    pub fn start_price(self) -> u64 {
        match self {
            Self::Rocket => 40,
            Self::Wormhole | Self::SelfDestruction => 80,
            Self::LongRangeBombardment => 60,
            Self::RepairSwarm => 90,
            Self::Nuke => 210,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_44_items_are_found_by_their_names() {
        let all: Vec<_> = Item::all().collect();
        assert_eq!(all.len(), 44);
        for item in all {
            assert_eq!(Item::find(&item.name()), Some(item));
        }
    }

    #[test]
    fn names_are_split_at_the_last_underscore_and_nowhere_else() {
        let found = |name| Item::find(name).map(|item| (item.name(), item.start_price()));
        assert_eq!(found("MAX_ENERGY_2"), Some(("MAX_ENERGY_2".to_owned(), 300)));
        assert_eq!(found("MINING_SPEED_5"), Some(("MINING_SPEED_5".to_owned(), 15000)));
        for unknown in ["robot", "STORAGE", "STORAGE_", "STORAGE_0", "STORAGE_6", "STORAGE_01", "_1", ""] {
            assert_eq!(found(unknown), None, "{unknown}");
        }
    }
}
