//! Where the services are: who knows the game service's address finds the others by it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Answer to `GET /services`: the addresses for clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "game": "http://127.0.0.1:8080", "map": "http://127.0.0.1:8081", "robot": "http://127.0.0.1:8082",
    "trading": "http://127.0.0.1:8083",
})))]
pub struct Services {
    /// This service.
    pub game: String,
    /// The map service; null where it is not known.
    #[schema(required)]
    pub map: Option<String>,
    /// The robot service; null where there is none.
    #[schema(required)]
    pub robot: Option<String>,
    /// The trading service; null where there is none.
    #[schema(required)]
    pub trading: Option<String>,
}
