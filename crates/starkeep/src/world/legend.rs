//! How each kind of place is shown: a letter in the terminal, a colour everywhere.
//! Letters differ without their colours, for pipes and for people who do not see them.

use starkeep_map_core::{NewDeposit, PlanetKind, PlanetWithoutId, ResourceKind};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Look {
    Planet,
    Station,
    Deposit(ResourceKind),
}

/// In the order in which the legend lists them.
pub(super) const LOOKS: [Look; 7] = [
    Look::Station,
    Look::Deposit(ResourceKind::Coal),
    Look::Deposit(ResourceKind::Iron),
    Look::Deposit(ResourceKind::Gem),
    Look::Deposit(ResourceKind::Gold),
    Look::Deposit(ResourceKind::Platin),
    Look::Planet,
];

impl Look {
    pub(super) fn of(planet: PlanetWithoutId, deposit: Option<&NewDeposit>) -> Self {
        match (planet.kind, deposit) {
            (PlanetKind::SpaceStation, _) => Self::Station,
            (PlanetKind::Default, Some(deposit)) => Self::Deposit(deposit.kind),
            (PlanetKind::Default, None) => Self::Planet,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Planet => "planet",
            Self::Station => "space station",
            Self::Deposit(kind) => kind.as_str(),
        }
    }

    pub(super) fn letter(self) -> char {
        match self {
            Self::Planet => '·',
            Self::Station => 'S',
            Self::Deposit(ResourceKind::Coal) => 'c',
            Self::Deposit(ResourceKind::Iron) => 'i',
            Self::Deposit(ResourceKind::Gem) => 'm',
            Self::Deposit(ResourceKind::Gold) => 'g',
            Self::Deposit(ResourceKind::Platin) => 'p',
        }
    }

    /// Red, green and blue.
    pub(super) fn colour(self) -> [u8; 3] {
        match self {
            Self::Planet => [122, 132, 150],
            Self::Station => [92, 200, 255],
            Self::Deposit(ResourceKind::Coal) => [178, 148, 118],
            Self::Deposit(ResourceKind::Iron) => [224, 108, 84],
            Self::Deposit(ResourceKind::Gem) => [190, 122, 240],
            Self::Deposit(ResourceKind::Gold) => [244, 196, 72],
            Self::Deposit(ResourceKind::Platin) => [120, 226, 200],
        }
    }
}
