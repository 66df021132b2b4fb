//! What an event is about, beside what its payload says: as services tell it, as the log keeps it, and as readers see it.
//! The log keeps it without knowing what it means.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::channel::{Channel, Publisher};
use crate::{GameId, PlayerId, RobotId, WorldId};

/// The kinds of an event's details in the log.
const ROUND: u8 = 1;
const PLAYER: u8 = 2;
const ROBOT: u8 = 3;

/// What an event is about, beside what its payload says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The game; of the map service's events the gameworld.
    pub subject: Uuid,
    pub round: Option<u32>,
    /// Not for everybody while the game lasts: other players must not see who moves where.
    pub player: Option<Uuid>,
    /// Not for everybody while the game lasts, either.
    pub robot: Option<Uuid>,
}

impl About {
    pub fn subject(subject: Uuid) -> Self {
        Self { subject, round: None, player: None, robot: None }
    }

    /// All but the subject, as the log keeps it: each part with its kind before it.
    pub fn details(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Some(round) = self.round {
            bytes.push(ROUND);
            bytes.extend(round.to_be_bytes());
        }
        for (kind, id) in [(PLAYER, self.player), (ROBOT, self.robot)] {
            if let Some(id) = id {
                bytes.push(kind);
                bytes.extend(id.as_bytes());
            }
        }
        bytes
    }

    /// From what the log has kept; `None` if a part cannot be read.
    pub fn kept(subject: Uuid, mut details: &[u8]) -> Option<Self> {
        let mut about = Self::subject(subject);
        while let Some((kind, rest)) = details.split_first() {
            details = match *kind {
                ROUND => {
                    let (round, rest) = rest.split_first_chunk()?;
                    about.round = Some(u32::from_be_bytes(*round));
                    rest
                }
                PLAYER | ROBOT => {
                    let (id, rest) = rest.split_first_chunk()?;
                    let place = if *kind == PLAYER { &mut about.player } else { &mut about.robot };
                    *place = Some(Uuid::from_bytes(*id));
                    rest
                }
                _ => return None,
            };
        }
        Some(about)
    }
}

/// What an event is about. The player and the robot are shown to the host, and to everybody once the game has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventAbout {
    /// The game; of all but the map service's events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game_id: Option<GameId>,
    /// The gameworld; of the map service's events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gameworld_id: Option<WorldId>,
    /// The round in which it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_number: Option<u32>,
    /// The player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player_id: Option<PlayerId>,
    /// The robot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robot_id: Option<RobotId>,
}

impl EventAbout {
    /// With the player and the robot only where everything may be shown.
    pub fn shown(channel: Channel, about: &About, with_player: bool) -> Self {
        let is_world = channel.publisher() == Publisher::Map;
        Self {
            game_id: (!is_world).then_some(GameId(about.subject)),
            gameworld_id: is_world.then_some(WorldId(about.subject)),
            round_number: about.round,
            player_id: about.player.filter(|_| with_player).map(PlayerId),
            robot_id: about.robot.filter(|_| with_player).map(RobotId),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_log_keeps_is_read_as_it_was() {
        let id = |number| Some(Uuid::from_u128(number));
        for round in [None, Some(0), Some(u32::MAX)] {
            for (player, robot) in [(None, None), (id(1), None), (None, id(2)), (id(1), id(2))] {
                let about = About { subject: Uuid::max(), round, player, robot };
                assert_eq!(About::kept(about.subject, &about.details()), Some(about));
            }
        }
    }

    #[test]
    fn what_is_cut_off_or_unknown_is_not_read() {
        let about = About { round: Some(7), player: Some(Uuid::nil()), ..About::subject(Uuid::nil()) };
        let details = about.details();
        for length in [1, 4, 6, details.len() - 1] {
            assert_eq!(About::kept(Uuid::nil(), &details[..length]), None, "{length}");
        }
        assert_eq!(About::kept(Uuid::nil(), &[4]), None);
    }
}
