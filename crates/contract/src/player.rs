//! Requests and answers about players: registering, looking oneself up, joining and leaving games.
//! Existing bots parse these; whatever else they send along is ignored.

use std::fmt;
use std::ops::RangeInclusive;

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{PlayerId, TransactionId};

/// In characters.
const LONGEST: usize = 255;

/// Of a recovery code, in characters.
const CODE_LENGTHS: RangeInclusive<usize> = 8..=128;

/// The header of `GET /players` that shows a recovery code.
pub const RECOVERY_CODE: &str = "starkeep-recovery-code";

/// `POST /players`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({ "name": "ada", "email": "ada@example.org" })))]
pub struct RegisterPlayer {
    /// Unique over all players, without regard to case.
    #[serde(deserialize_with = "plain_text")]
    #[schema(min_length = 1, max_length = 255, pattern = r"^[^\x00-\x1f\x7f-\x9f]+$")]
    pub name: String,
    /// Unique as well. In the msd dialect name and mail address together prove who asks for a token, so keep it to yourself.
    #[serde(deserialize_with = "plain_text")]
    #[schema(min_length = 1, max_length = 255, pattern = r"^[^\x00-\x1f\x7f-\x9f]+$")]
    pub email: String,
    /// A secret of your choice, in visible ASCII characters. Where the service was started with `--token-recovery on`, a player that has
    /// lost its token is told it again by `GET /players` with this code. No answer ever shows it.
    #[serde(rename = "recoveryCode", default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false, min_length = 8, max_length = 128, pattern = r"^[\x21-\x7e]+$")]
    pub recovery_code: Option<RecoveryCode>,
}

/// What a player chose so that it can be told its token again. Its `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct RecoveryCode(String);

impl RecoveryCode {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for RecoveryCode {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if CODE_LENGTHS.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(Self(text));
        }
        let (least, most) = (CODE_LENGTHS.start(), CODE_LENGTHS.end());
        Err(format!("expected {least} to {most} visible ASCII characters without blanks"))
    }
}

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCode")
    }
}

/// Answer to `POST /players`, for the player alone.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "playerId": "5eed0000-0000-4000-8000-000000000004", "bearerToken": "5eed0000-0000-4000-8000-000000000009",
    "name": "ada", "email": "ada@example.org", "playerExchange": "player-ada", "playerQueue": "player-ada",
})))]
pub struct RegisteredPlayer {
    /// Known to everybody.
    pub player_id: PlayerId,
    /// The player's secret: whoever shows it is the player.
    pub bearer_token: uuid::Uuid,
    /// As it was registered.
    #[schema(min_length = 1, max_length = 255)]
    pub name: String,
    /// As it was registered.
    #[schema(min_length = 1, max_length = 255)]
    pub email: String,
    /// `player-<name>`, for bots that expect it.
    pub player_exchange: String,
    /// The same as `playerExchange`.
    pub player_queue: String,
}

/// Answer to `GET /players`, for the player alone.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "playerId": "5eed0000-0000-4000-8000-000000000004", "bearerToken": "5eed0000-0000-4000-8000-000000000009",
    "name": "ada", "email": "ada@example.org", "playerExchange": "player-ada", "playerQueue": "player-ada",
})))]
pub struct FoundPlayer {
    /// Known to everybody.
    pub player_id: PlayerId,
    /// The player's secret: whoever shows it is the player. In the answer only for who may be told it, see `GET /players`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = uuid::Uuid, required = false)]
    pub bearer_token: Option<uuid::Uuid>,
    /// As it was registered.
    #[schema(min_length = 1, max_length = 255)]
    pub name: String,
    /// As it was registered.
    #[schema(min_length = 1, max_length = 255)]
    pub email: String,
    /// `player-<name>`, for bots that expect it.
    pub player_exchange: String,
    /// The same as `playerExchange`.
    pub player_queue: String,
}

/// Answer to `GET /players/{playerId}`: what everybody may know of a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({ "playerId": "5eed0000-0000-4000-8000-000000000004", "name": "ada" })))]
pub struct PublicPlayer {
    /// The player's id.
    pub player_id: PlayerId,
    /// As it was registered.
    #[schema(min_length = 1, max_length = 255)]
    pub name: String,
}

/// `POST /players/{playerId}/token`, where the token is not shown as `Authorization: Bearer`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({ "playerToken": "5eed0000-0000-4000-8000-000000000009" })))]
pub struct RenewToken {
    /// The token that the player has; also taken as `bearerToken`.
    #[serde(alias = "bearerToken", default, skip_serializing_if = "Option::is_none")]
    pub player_token: Option<String>,
}

/// Answer to `POST /players/{playerId}/token`, for the player alone.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({
    "playerId": "5eed0000-0000-4000-8000-000000000004", "bearerToken": "5eed0000-0000-4000-8000-00000000000a",
})))]
pub struct NewToken {
    /// The player's id.
    pub player_id: PlayerId,
    /// From now on the player's secret; the one before is worth nothing any longer.
    pub bearer_token: uuid::Uuid,
}

/// Answer to `PUT /games/{gameId}/players/{player}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(examples(json!({ "transactionId": "5eed0000-0000-4000-8000-000000000007" })))]
pub struct Joined {
    /// Also in the headers of the `playerStatus` event.
    pub transaction_id: TransactionId,
}

/// Answer to `GET /games/{gameId}/participatingPlayers`, in the shape that its readers know.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({
    "_embedded": { "players": [{
        "userName": "ada",
        "_links": {
            "self": { "href": "http://localhost:8080/players/5eed0000-0000-4000-8000-000000000004" },
            "player": { "href": "http://localhost:8080/players/5eed0000-0000-4000-8000-000000000004" },
        },
    }] },
    "_links": {
        "self": { "href": "http://localhost:8080/games/5eed0000-0000-4000-8000-000000000001/participatingPlayers" },
    },
})))]
pub struct ParticipatingPlayers {
    /// The players are in here.
    #[serde(rename = "_embedded")]
    pub embedded: Participants,
    /// Where this answer comes from.
    #[serde(rename = "_links")]
    pub links: SelfLink,
}

/// Those who take part.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Participants {
    /// In the order in which they joined.
    #[schema(max_items = 10_000)]
    pub players: Vec<Participant>,
}

/// One who takes part.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Participant {
    /// The player's name.
    pub user_name: String,
    /// Where the player is found.
    #[serde(rename = "_links")]
    pub links: PlayerLinks,
}

/// Both lead to `GET /players/{playerId}`; the last segment is the player's id.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PlayerLinks {
    /// The player.
    #[serde(rename = "self")]
    pub itself: Link,
    /// The same.
    pub player: Link,
}

/// A link to the answer itself.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SelfLink {
    /// This answer.
    #[serde(rename = "self")]
    pub itself: Link,
}

/// A link.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Link {
    /// The address, with the host that the request named.
    #[schema(format = "uri")]
    pub href: String,
}

fn plain_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if !(1..=LONGEST).contains(&text.chars().count()) {
        return Err(D::Error::custom(format!("expected text of 1 to {LONGEST} characters")));
    }
    if text.chars().any(char::is_control) {
        return Err(D::Error::custom("control characters are not allowed"));
    }
    Ok(text)
}
