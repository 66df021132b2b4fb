//! Fields of a request that no service knows: they are taken and have no effect, and the answer lists them.
//! The game service writes camelCase; the map's form, in snake_case, is in `map`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A field of the request that is not known and had no effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({ "field": "roundDuration", "didYouMean": "duration" })))]
pub struct IgnoredField {
    /// Its name, cut off if it is very long.
    pub field: String,
    /// The known field that was probably meant; null where none is near.
    #[schema(required)]
    pub did_you_mean: Option<String>,
}
