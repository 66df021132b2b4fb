//! The serialised form of changes, version 1: JSON with the version in front. Replicas and replays read it.
//! The types here are not the domain's, so that a renamed field there never changes what was written before.

mod received;
mod traded;

use serde::{Deserialize, Serialize};
use starkeep_platform::domain::{ChangeCodec, UnreadableChange};
use starkeep_platform::intent::IntentId;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::versioned;
use starkeep_trading_core::GameId;
use uuid::Uuid;

use self::received::StoredReceived;
use self::traded::StoredTraded;
use crate::domain::{Change, Trading};

const VERSION: u32 = 1;

impl ChangeCodec for Trading {
    fn encode(change: &Change) -> Vec<u8> {
        let change = match change {
            Change::Received(received) => StoredChange::Received(received.into()),
            Change::Traded(traded) => StoredChange::Traded(Box::new(traded.into())),
            Change::TakenOver { game, wave, by } => {
                StoredChange::TakenOver { game: game.0, wave: wave.0, by: by.0 }
            }
        };
        versioned::encode(VERSION, &change)
    }

    fn decode(bytes: &[u8]) -> Result<Change, UnreadableChange> {
        let stored: StoredChange = versioned::decode(VERSION, bytes)?;
        Ok(match stored {
            StoredChange::Received(received) => Change::Received(received.read()),
            StoredChange::Traded(traded) => Change::Traded(traded.read()?),
            StoredChange::TakenOver { game, wave, by } => {
                Change::TakenOver { game: GameId(game), wave: IntentId(wave), by: ReplicaId(by) }
            }
        })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredChange {
    /// Changes with this word were stored.
    #[serde(rename = "heard")]
    Received(StoredReceived),
    Traded(Box<StoredTraded>),
    TakenOver {
        game: Uuid,
        wave: Uuid,
        by: Uuid,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_1_of_a_wave_that_was_taken_over_is_written_as_it_always_was() {
        let [game, wave, by] = [1, 2, 3].map(Uuid::from_u128);
        let change = Change::TakenOver { game: GameId(game), wave: IntentId(wave), by: ReplicaId(by) };
        let stored = Trading::encode(&change);
        let form =
            format!(r#"{{"v":1,"change":{{"taken_over":{{"game":"{game}","wave":"{wave}","by":"{by}"}}}}}}"#);
        assert_eq!(String::from_utf8_lossy(&stored), form);
        assert_eq!(Trading::decode(&stored), Ok(change));
    }
}
