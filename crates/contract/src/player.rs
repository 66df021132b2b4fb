//! Requests and answers about players: registering, looking oneself up, joining and leaving games.
//! Existing bots parse these; whatever else they send along is ignored.

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{PlayerId, TransactionId};

/// In characters.
const LONGEST: usize = 255;

/// `POST /players`.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RegisterPlayer {
    /// Unique over all players, without regard to case.
    #[serde(deserialize_with = "plain_text")]
    #[schema(min_length = 1, max_length = 255, example = "ada")]
    pub name: String,
    /// Unique as well. Name and mail address together prove who asks for a token, so keep it to yourself.
    #[serde(deserialize_with = "plain_text")]
    #[schema(min_length = 1, max_length = 255, example = "ada@example.org")]
    pub email: String,
}

/// Answer to `POST /players` and `GET /players`, for the player alone.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegisteredPlayer {
    pub player_id: PlayerId,
    /// The player's secret: whoever shows it is the player.
    pub bearer_token: uuid::Uuid,
    pub name: String,
    pub email: String,
    /// `player-<name>`, for bots that expect it.
    pub player_exchange: String,
    /// The same.
    pub player_queue: String,
}

/// Answer to `POST /players/{playerId}/token`, for the player alone.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewToken {
    pub player_id: PlayerId,
    /// From now on the player's secret; the one before is worth nothing any longer.
    pub bearer_token: uuid::Uuid,
}

/// Answer to `PUT /games/{gameId}/players/{player}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Joined {
    /// Also in the headers of the `playerStatus` event.
    pub transaction_id: TransactionId,
}

/// Answer to `GET /games/{gameId}/participatingPlayers`, in the shape that its readers know.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ParticipatingPlayers {
    #[serde(rename = "_embedded")]
    pub embedded: Participants,
    #[serde(rename = "_links")]
    pub links: SelfLink,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Participants {
    pub players: Vec<Participant>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Participant {
    pub user_name: String,
    #[serde(rename = "_links")]
    pub links: PlayerLinks,
}

/// The last segment of both is the player's id.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct PlayerLinks {
    #[serde(rename = "self")]
    pub itself: Link,
    pub player: Link,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SelfLink {
    #[serde(rename = "self")]
    pub itself: Link,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Link {
    pub href: String,
}

fn plain_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    let length = text.chars().count();
    if !(1..=LONGEST).contains(&length) {
        return Err(D::Error::custom(format!(
            "{length} characters are not allowed, expected 1 to {LONGEST}"
        )));
    }
    if text.chars().any(char::is_control) {
        return Err(D::Error::custom("control characters are not allowed"));
    }
    Ok(text)
}
