//! The serialised form of changes, version 1: JSON with the version in front. Replicas and replays read it.
//! The types here are not the domain's, so that a renamed field there never changes what was written before.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use starkeep_map_core::{
    Deactivated, DepositId, Mined, Refill, Replenished, ResourceKind, Rng, Slot, WorldId,
};
use starkeep_platform::domain::{ChangeCodec, UnreadableChange};
use starkeep_platform::versioned;
use uuid::Uuid;

use crate::domain::{Change, Maps};

const VERSION: u32 = 1;

impl ChangeCodec for Maps {
    fn encode(change: &Change) -> Vec<u8> {
        versioned::encode(VERSION, &StoredChange::from(change))
    }

    fn decode(bytes: &[u8]) -> Result<Change, UnreadableChange> {
        let stored: StoredChange = versioned::decode(VERSION, bytes)?;
        stored.try_into()
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum StoredChange {
    WorldMade {
        world: Uuid,
        /// Absent if all are announced, as in every change of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unannounced_from: Option<u32>,
    },
    StationsAnnounced {
        world: Uuid,
        unannounced_from: Option<u32>,
    },
    Mined {
        world: Uuid,
        slot: Slot,
        deposit: Uuid,
        kind: StoredKind,
        amount: i64,
        at: Timestamp,
    },
    Replenished {
        world: Uuid,
        at: Timestamp,
        refills: Vec<StoredRefill>,
        random_state: u64,
    },
    Deactivated {
        world: Uuid,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_sealed: bool,
        at: Timestamp,
    },
    Withdrawn {
        world: Uuid,
        at: Timestamp,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredRefill {
    /// Slot and deposit.
    replaced: Option<(Slot, Uuid)>,
    slot: Slot,
    deposit: Uuid,
    kind: StoredKind,
    amount: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct StoredKind(String);

impl From<ResourceKind> for StoredKind {
    fn from(kind: ResourceKind) -> Self {
        Self(kind.as_str().to_owned())
    }
}

impl TryFrom<StoredKind> for ResourceKind {
    type Error = UnreadableChange;

    fn try_from(StoredKind(kind): StoredKind) -> Result<Self, UnreadableChange> {
        Self::parse(&kind).ok_or_else(|| UnreadableChange(format!("`{kind}` is no kind of resource")))
    }
}

impl From<&Change> for StoredChange {
    fn from(change: &Change) -> Self {
        match change {
            Change::WorldMade { world, unannounced_from } => {
                Self::WorldMade { world: world.0, unannounced_from: *unannounced_from }
            }
            Change::StationsAnnounced { world, unannounced_from } => {
                Self::StationsAnnounced { world: world.0, unannounced_from: *unannounced_from }
            }
            Change::Mined { world, mined: Mined { slot, deposit, kind, amount, at } } => Self::Mined {
                world: world.0,
                slot: *slot,
                deposit: deposit.0,
                kind: (*kind).into(),
                amount: *amount,
                at: *at,
            },
            Change::Replenished { world, replenished: Replenished { at, refills, rng } } => {
                let refills = refills.iter().map(StoredRefill::from).collect();
                Self::Replenished { world: world.0, at: *at, refills, random_state: rng.state() }
            }
            &Change::Deactivated(Deactivated { world, is_sealed, at }) => {
                Self::Deactivated { world: world.0, is_sealed, at }
            }
            Change::Withdrawn { world, at } => Self::Withdrawn { world: world.0, at: *at },
        }
    }
}

impl TryFrom<StoredChange> for Change {
    type Error = UnreadableChange;

    fn try_from(stored: StoredChange) -> Result<Self, UnreadableChange> {
        Ok(match stored {
            StoredChange::WorldMade { world, unannounced_from } => {
                Self::WorldMade { world: WorldId(world), unannounced_from }
            }
            StoredChange::StationsAnnounced { world, unannounced_from } => {
                Self::StationsAnnounced { world: WorldId(world), unannounced_from }
            }
            StoredChange::Mined { world, slot, deposit, kind, amount, at } => Self::Mined {
                world: WorldId(world),
                mined: Mined { slot, deposit: DepositId(deposit), kind: kind.try_into()?, amount, at },
            },
            StoredChange::Replenished { world, at, refills, random_state } => Self::Replenished {
                world: WorldId(world),
                replenished: Replenished {
                    at,
                    refills: refills.into_iter().map(Refill::try_from).collect::<Result<_, _>>()?,
                    rng: Rng::from_state(random_state),
                },
            },
            StoredChange::Deactivated { world, is_sealed, at } => {
                Self::Deactivated(Deactivated { world: WorldId(world), is_sealed, at })
            }
            StoredChange::Withdrawn { world, at } => Self::Withdrawn { world: WorldId(world), at },
        })
    }
}

impl From<&Refill> for StoredRefill {
    fn from(refill: &Refill) -> Self {
        let &Refill { replaced, slot, deposit, kind, amount } = refill;
        let replaced = replaced.map(|(slot, deposit)| (slot, deposit.0));
        Self { replaced, slot, deposit: deposit.0, kind: kind.into(), amount }
    }
}

impl TryFrom<StoredRefill> for Refill {
    type Error = UnreadableChange;

    fn try_from(stored: StoredRefill) -> Result<Self, UnreadableChange> {
        let StoredRefill { replaced, slot, deposit, kind, amount } = stored;
        let replaced = replaced.map(|(slot, deposit)| (slot, DepositId(deposit)));
        Ok(Self { replaced, slot, deposit: DepositId(deposit), kind: kind.try_into()?, amount })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORLD: WorldId = WorldId(Uuid::from_u128(1));

    /// Every form, as it is stored: these bytes are in databases and stay readable.
    #[test]
    fn version_1_is_written_as_it_always_was() {
        let at = Timestamp::from_millisecond(1_714_564_800_123).unwrap();
        let deposit = DepositId(Uuid::from_u128(2));
        let kind = ResourceKind::Gold;
        let refill = |replaced| Refill { replaced, slot: 3, deposit, kind, amount: 10_000 };
        let refills = vec![refill(None), refill(Some((4, DepositId(Uuid::from_u128(5)))))];
        let replenished = Replenished { at, refills, rng: Rng::from_state(u64::MAX) };
        let world = "00000000-0000-0000-0000-000000000001";
        let two = "00000000-0000-0000-0000-000000000002";
        let five = "00000000-0000-0000-0000-000000000005";
        let date = "2024-05-01T12:00:00.123Z";
        let table = [
            (
                Change::WorldMade { world: WORLD, unannounced_from: None },
                format!(r#"{{"world_made":{{"world":"{world}"}}}}"#),
            ),
            (
                Change::WorldMade { world: WORLD, unannounced_from: Some(1_000) },
                format!(r#"{{"world_made":{{"world":"{world}","unannounced_from":1000}}}}"#),
            ),
            (
                Change::StationsAnnounced { world: WORLD, unannounced_from: None },
                format!(r#"{{"stations_announced":{{"world":"{world}","unannounced_from":null}}}}"#),
            ),
            (
                Change::StationsAnnounced { world: WORLD, unannounced_from: Some(2_000) },
                format!(r#"{{"stations_announced":{{"world":"{world}","unannounced_from":2000}}}}"#),
            ),
            (
                Change::Mined { world: WORLD, mined: Mined { slot: 3, deposit, kind, amount: 7, at } },
                format!(
                    r#"{{"mined":{{"world":"{world}","slot":3,"deposit":"{two}","kind":"gold","amount":7,"at":"{date}"}}}}"#
                ),
            ),
            (
                Change::Replenished { world: WORLD, replenished },
                format!(
                    r#"{{"replenished":{{"world":"{world}","at":"{date}","refills":[{{"replaced":null,"slot":3,"deposit":"{two}","kind":"gold","amount":10000}},{{"replaced":[4,"{five}"],"slot":3,"deposit":"{two}","kind":"gold","amount":10000}}],"random_state":18446744073709551615}}}}"#
                ),
            ),
            (
                Change::Deactivated(Deactivated { world: WORLD, is_sealed: false, at }),
                format!(r#"{{"deactivated":{{"world":"{world}","at":"{date}"}}}}"#),
            ),
            (
                Change::Deactivated(Deactivated { world: WORLD, is_sealed: true, at }),
                format!(r#"{{"deactivated":{{"world":"{world}","is_sealed":true,"at":"{date}"}}}}"#),
            ),
            (
                Change::Withdrawn { world: WORLD, at },
                format!(r#"{{"withdrawn":{{"world":"{world}","at":"{date}"}}}}"#),
            ),
        ];
        for (change, form) in table {
            let stored = Maps::encode(&change);
            assert_eq!(String::from_utf8_lossy(&stored), format!(r#"{{"v":1,"change":{form}}}"#));
            assert_eq!(Maps::decode(&stored), Ok(change));
        }
    }

    #[test]
    fn what_another_version_wrote_is_refused() {
        let made = format!(r#"{{"world_made":{{"world":"{WORLD}"}}}}"#);
        let mined = format!(
            r#"{{"mined":{{"world":"{WORLD}","slot":3,"deposit":"{WORLD}","kind":"tin","amount":7,"at":"2024-05-01T12:00:00Z"}}}}"#
        );
        for (form, reason) in [
            (format!(r#"{{"v":2,"change":{made},"more":1}}"#), "version 2"),
            (format!(r#"{{"v":1,"change":{made},"more":1}}"#), "unknown field `more`"),
            (
                format!(r#"{{"v":1,"change":{{"world_made":{{"world":"{WORLD}","size":9}}}}}}"#),
                "unknown field `size`",
            ),
            (format!(r#"{{"v":1,"change":{{"world_sold":{{"world":"{WORLD}"}}}}}}"#), "world_sold"),
            (format!(r#"{{"v":1,"change":{mined}}}"#), "`tin` is no kind of resource"),
            (format!(r#"{{"change":{made}}}"#), "missing field `v`"),
        ] {
            let UnreadableChange(text) = Maps::decode(form.as_bytes()).unwrap_err();
            assert!(text.contains(reason), "{text}");
        }
    }
}
