//! What the players of a game do in its open round: counts only, so that everybody may see them.
//! What the commands are is shown when the round is over.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::PlayerId;

/// An element of `GET /games/{gameId}/players`. Before the first round and after the end all counts are 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "playerId": "5eed0000-0000-4000-8000-000000000004", "name": "ada", "ready": false, "commands": 3, "refused": 1,
    "late": 0,
})))]
pub struct RoundPlayer {
    /// The player.
    pub player_id: PlayerId,
    /// As it was registered.
    pub name: String,
    /// Whether the player is ready in the open round: it has said so, or it is out and nothing is expected of it.
    pub ready: bool,
    /// Commands of the open round that are carried out, or were. One that replaced an earlier one for the same robot
    /// counts, the replaced one does not.
    pub commands: u32,
    /// Commands that were refused in the open round, once it was known who sent them. Not those that came too late, nor
    /// what cannot be read as a command. Counted in memory: a restart of the service begins again at 0.
    pub refused: u32,
    /// Commands that came when the open round took none any more. Counted in memory, like `refused`.
    pub late: u32,
}
