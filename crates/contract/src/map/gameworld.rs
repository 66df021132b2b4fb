//! Gameworlds: what is asked for, what is shown, and the one change that can be made to them.
//! Their planets: see `planet`, and for worlds that are made by hand `new_planet`.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ignored_field::IgnoredField;
use super::new_planet::{MOST_PLANETS, NewPlanet};
use super::replenishment::ReplenishmentMode;
use crate::game::{Players, RoundsOfAnyGame, Seed, Style};
use crate::optional_id::uuid_or_empty;
use crate::schema::OptionalId;
use crate::{Nonce, PlanetId, WorldId, object};

/// `POST /gameworlds`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({ "gameworld": { "player_amount": 4, "round_amount": 20, "seed": 7, "style": "balanced" } })))]
pub struct CreateGameworld {
    /// The gameworld to be made.
    #[serde(deserialize_with = "object::only")]
    pub gameworld: NewGameworld,
}

/// A gameworld to be made.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct NewGameworld {
    /// Decides the size of the world.
    #[schema(inline)]
    pub player_amount: Players,
    /// How many rounds are to be played in it; kept and shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub round_amount: Option<RoundsOfAnyGame>,
    /// The same seed gives the same world, with other ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub seed: Option<Seed>,
    /// Hides the seed in `seed_commitment` until the world is inactive; drawn if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(inline)]
    pub nonce: Option<Nonce>,
    /// How it is laid out; `balanced` if absent. Not together with `planets`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
    /// When its deposits are replenished; `automatic` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replenishment: Option<ReplenishmentMode>,
    /// A world made by hand instead of a generated one, in the form of `GET /gameworlds/{id}/planets`. Its planets get new
    /// ids; who is whose neighbour follows from the coordinates. Its deposits stay where they are and refill in place.
    #[serde(
        default,
        deserialize_with = "object::list_of_at_most::<MOST_PLANETS, _, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(max_items = 122_500)]
    pub planets: Option<Vec<NewPlanet>>,
    /// The id that the world shall have, chosen by the caller so that it can withdraw a world whose answer it never got.
    #[serde(default, deserialize_with = "uuid_or_empty", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = OptionalId)]
    pub id: Option<WorldId>,
}

impl NewGameworld {
    /// One that leaves everything else to the map service.
    pub fn for_players(player_amount: Players) -> Self {
        Self {
            player_amount,
            round_amount: None,
            seed: None,
            nonce: None,
            style: None,
            replenishment: None,
            planets: None,
            id: None,
        }
    }
}

/// A gameworld.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "id": "5eed0000-0000-4000-8000-000000000006", "status": "active",
    "spacestation_ids": ["5eed0000-0000-4000-8000-000000000002"], "player_amount": 4, "round_amount": 20,
    "style": "balanced", "generator_version": 2, "replenishment": "automatic",
    "seed_commitment": "2c624232cdd221771294dfbb310aca000a0df6ac8b66b696d90ef06fdefb64a3",
    "created_at": "2026-01-01T12:00:00Z", "updated_at": "2026-01-01T12:00:00Z",
})))]
pub struct Gameworld {
    /// The gameworld's id.
    pub id: WorldId,
    /// Whether it is played in.
    pub status: WorldStatus,
    /// The planets that are space stations.
    pub spacestation_ids: Vec<PlanetId>,
    /// As it was asked for.
    #[schema(minimum = 1, maximum = 10_000)]
    pub player_amount: u32,
    /// As it was asked for; null where nobody did.
    #[schema(maximum = 1_000_000, required)]
    pub round_amount: Option<u32>,
    /// How it was laid out.
    pub style: WorldStyle,
    /// The version of the generator that made it; null of a world that was made by hand.
    #[schema(required)]
    pub generator_version: Option<u32>,
    /// When its deposits are replenished.
    pub replenishment: ReplenishmentMode,
    /// SHA-256 of `<nonce>:<seed>` in lower-case hexadecimal digits; null of worlds of versions without it.
    #[schema(required)]
    pub seed_commitment: Option<String>,
    /// Once it is inactive: with the seed it gives the commitment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    pub nonce: Option<Nonce>,
    /// Once it is inactive: what it was generated from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = u64, required = false)]
    pub seed: Option<u64>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
}

/// Answer to `POST /gameworlds`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "id": "5eed0000-0000-4000-8000-000000000006", "status": "active",
    "spacestation_ids": ["5eed0000-0000-4000-8000-000000000002"], "player_amount": 4, "round_amount": 20,
    "style": "balanced", "generator_version": 2, "replenishment": "automatic",
    "seed_commitment": "2c624232cdd221771294dfbb310aca000a0df6ac8b66b696d90ef06fdefb64a3",
    "created_at": "2026-01-01T12:00:00Z", "updated_at": "2026-01-01T12:00:00Z",
})))]
pub struct GameworldMade {
    #[serde(flatten)]
    pub gameworld: Gameworld,
    /// Fields of the request that had no effect, the first 20 of them; absent where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(min_items = 1, max_items = 20)]
    pub ignored_fields: Vec<IgnoredField>,
}

/// A gameworld that is played in is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WorldStatus {
    Active,
    Inactive,
}

/// How a gameworld was laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WorldStyle {
    Balanced,
    Symmetric,
    Wild,
    /// Made by hand.
    Custom,
}

/// `PATCH /gameworlds/{id}`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({ "gameworld": { "status": "inactive" } })))]
pub struct PatchGameworld {
    /// The change.
    #[serde(deserialize_with = "object::only")]
    pub gameworld: GameworldPatch,
}

/// What can be changed of a gameworld.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct GameworldPatch {
    /// The only change there is.
    pub status: NewWorldStatus,
    /// True: `nonce`, `seed` and the planets with their coordinates stay hidden, as of a world that another one with the same
    /// seed replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed: Option<bool>,
}

/// A world is never made active again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum NewWorldStatus {
    Inactive,
}
