//! Fields of a request that the map service does not know, as its answers list them.
//! The same as of the game service, in snake_case.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A field of the request that is not known and had no effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({ "field": "gameworld.playerCount", "did_you_mean": "player_amount" })))]
pub struct IgnoredField {
    /// Its path, as in `gameworld.playerCount`, or `gameworld.planets[].colour` for any element of a list.
    pub field: String,
    /// The known field that was probably meant; null where none is near.
    #[schema(required)]
    pub did_you_mean: Option<String>,
}

impl From<crate::ignored_field::IgnoredField> for IgnoredField {
    fn from(ignored: crate::ignored_field::IgnoredField) -> Self {
        Self { field: ignored.field, did_you_mean: ignored.did_you_mean }
    }
}
