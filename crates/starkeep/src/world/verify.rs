//! `starkeep world verify`: a finished gameworld, computed anew from the seed that it shows, beside what its map service says.
//! Nothing here asks the service: it was asked before.

use starkeep_contract::PlanetId;
use starkeep_contract::map::{
    Fairness, Gameworld, PlacedPlanet, PlanetType, ResourceType, WorldStatus, WorldStyle,
};
use starkeep_map_core as core;
use starkeep_map_core::{
    CustomDeposit, CustomPlanet, GENERATOR_VERSION, Layout, Nonce, PlanetKind, PlanetWithoutId, ResourceKind,
    Spec, Style, custom_layout, generate, seed_commitment, value_as_number,
};

#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum Mismatch {
    #[error("gameworld {0} is still active: its seed is shown once it is inactive")]
    Active(String),
    #[error(
        "gameworld {0} is sealed: another one replaced it before it was played, so its seed is never shown"
    )]
    Sealed(String),
    #[error(
        "gameworld {0} was made by a version of Starkeep without commitments: there is nothing to compare"
    )]
    NoCommitment(String),
    #[error(
        "the world was made by version {made} of the generator; this program has version {GENERATOR_VERSION}, so it cannot tell"
    )]
    OtherVersion { made: u32 },
    #[error("the commitment does not fit: nonce and seed give {computed}, but {published} was published")]
    Commitment { computed: String, published: String },
    #[error("the layout does not fit its seed: {0}")]
    Layout(String),
    #[error("the certificate does not fit the world: {0}")]
    Certificate(String),
}

impl Mismatch {
    /// Nothing is wrong, but nothing can be compared either.
    pub(super) fn cannot_be_checked(&self) -> bool {
        matches!(self, Self::Active(_) | Self::Sealed(_) | Self::NoCommitment(_) | Self::OtherVersion { .. })
    }
}

/// What a gameworld shows once it is inactive.
pub(super) struct Secret {
    nonce: Nonce,
    seed: u64,
}

pub(super) fn secret_of(gameworld: &Gameworld) -> Result<Secret, Mismatch> {
    let id = || gameworld.id.to_string();
    if gameworld.seed_commitment.is_none() {
        return Err(Mismatch::NoCommitment(id()));
    }
    let nonce = gameworld.nonce.as_ref().and_then(|nonce| Nonce::parse(nonce.as_str()));
    match (nonce.zip(gameworld.seed), gameworld.status) {
        (Some((nonce, seed)), _) => Ok(Secret { nonce, seed }),
        (None, WorldStatus::Active) => Err(Mismatch::Active(id())),
        (None, WorldStatus::Inactive) => Err(Mismatch::Sealed(id())),
    }
}

/// What was compared, as text.
pub(super) fn verify(
    gameworld: &Gameworld,
    secret: &Secret,
    planets: &[PlacedPlanet],
    fairness: &Fairness,
) -> Result<String, Mismatch> {
    let published = gameworld.seed_commitment.clone().unwrap_or_default();
    let computed = seed_commitment(&secret.nonce, secret.seed);
    if published != computed {
        return Err(Mismatch::Commitment { computed, published });
    }
    let layout = match style_of(gameworld.style) {
        Some(style) => {
            let made = gameworld.generator_version.unwrap_or_default();
            if made != GENERATOR_VERSION {
                return Err(Mismatch::OtherVersion { made });
            }
            generate(secret.seed, &Spec { players: gameworld.player_amount, style })
        }
        // Made by hand: its deposits stay where they are, so the planets that are shown tell all.
        None => as_shown(planets, gameworld.player_amount)?,
    };
    compare_layout(&layout, planets)?;
    compare_certificate(gameworld, &layout, planets, fairness)?;
    let ratio = fairness.ratio.map_or("none".to_owned(), |ratio| format!("{ratio:.3}"));
    let made = match style_of(gameworld.style) {
        Some(_) => format!("from seed {}", secret.seed),
        None => "as it was made by hand".to_owned(),
    };
    Ok(format!(
        "gameworld {}\n\
         commitment   ok: SHA-256 of {}:{} is {computed}\n\
         layout       ok: {} planets, {} of them space stations, {made}\n\
         certificate  ok: every start's value was computed anew, ratio {ratio}\n",
        gameworld.id,
        secret.nonce,
        secret.seed,
        planets.len(),
        fairness.stations.len(),
    ))
}

fn style_of(style: WorldStyle) -> Option<Style> {
    match style {
        WorldStyle::Balanced => Some(Style::Balanced),
        WorldStyle::Symmetric => Some(Style::Symmetric),
        WorldStyle::Wild => Some(Style::Wild),
        WorldStyle::Custom => None,
    }
}

fn as_shown(planets: &[PlacedPlanet], players: u32) -> Result<Layout, Mismatch> {
    let planets: Vec<CustomPlanet> = planets.iter().map(custom_planet).collect();
    custom_layout(&planets, players).map_err(|fault| Mismatch::Layout(fault.to_string()))
}

fn custom_planet(shown: &PlacedPlanet) -> CustomPlanet {
    let deposit = shown.planet.resource.as_ref().map(|resource| CustomDeposit {
        kind: kind_of(resource.resource_type),
        max_amount: resource.max_amount,
        current_amount: resource.current_amount,
    });
    CustomPlanet { planet: planet_of(shown), deposit }
}

fn planet_of(shown: &PlacedPlanet) -> PlanetWithoutId {
    let kind = match shown.planet.planet_type {
        PlanetType::Default => PlanetKind::Default,
        PlanetType::Spacestation => PlanetKind::SpaceStation,
    };
    PlanetWithoutId { x: shown.x, y: shown.y, kind, movement_difficulty: shown.planet.movement_difficulty }
}

fn kind_of(resource: ResourceType) -> ResourceKind {
    match resource {
        ResourceType::Coal => ResourceKind::Coal,
        ResourceType::Iron => ResourceKind::Iron,
        ResourceType::Gem => ResourceKind::Gem,
        ResourceType::Gold => ResourceKind::Gold,
        ResourceType::Platin => ResourceKind::Platin,
    }
}

fn compare_layout(layout: &Layout, planets: &[PlacedPlanet]) -> Result<(), Mismatch> {
    if layout.planets.len() != planets.len() {
        let (expected, shown) = (layout.planets.len(), planets.len());
        return Err(Mismatch::Layout(format!("{expected} planets follow from it, {shown} are shown")));
    }
    for (expected, shown) in layout.planets.iter().zip(planets) {
        if *expected != planet_of(shown) {
            return Err(Mismatch::Layout(format!(
                "planet {} at ({}, {})",
                shown.planet.id, shown.x, shown.y
            )));
        }
    }
    Ok(())
}

fn compare_certificate(
    gameworld: &Gameworld,
    layout: &Layout,
    planets: &[PlacedPlanet],
    shown: &Fairness,
) -> Result<(), Mismatch> {
    let core::Fairness { connected, least_distance, values, before } = &layout.fairness;
    let is_station = |planet: &&PlacedPlanet| planet.planet.planet_type == PlanetType::Spacestation;
    let stations: Vec<PlanetId> = planets.iter().filter(is_station).map(|planet| planet.planet.id).collect();
    let expected: Vec<(PlanetId, f64)> =
        stations.into_iter().zip(values.iter().copied().map(value_as_number)).collect();
    let told: Vec<(PlanetId, f64)> =
        shown.stations.iter().map(|station| (station.planet_id, station.value)).collect();
    let differs = [
        ("generator_version", shown.generator_version != gameworld.generator_version),
        ("style", shown.style != gameworld.style),
        ("connected", shown.connected != *connected),
        ("least_distance", shown.least_distance != *least_distance),
        ("stations", told != expected),
        ("ratio_before", shown.ratio_before != before.ratio()),
        ("ratio", shown.ratio != layout.fairness.spread().ratio()),
        ("seed_commitment", shown.seed_commitment != gameworld.seed_commitment),
    ];
    match differs.into_iter().find(|(_, differs)| *differs) {
        Some((field, _)) => {
            Err(Mismatch::Certificate(format!("`{field}` is not what follows from the world")))
        }
        None => Ok(()),
    }
}
