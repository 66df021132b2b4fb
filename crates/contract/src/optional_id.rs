//! Ids that may be left out, also as an empty text: existing clients write `""` where they mean "none".
//! Used by every request that takes an id which need not be there.

use std::borrow::Cow;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use uuid::Uuid;

use crate::{RobotId, TransactionId, WorldId};

/// For a field: `#[serde(default, deserialize_with = "uuid_or_empty")]`.
pub(crate) fn uuid_or_empty<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromUuid,
{
    // What stands there is not repeated: it may be a secret in the wrong place.
    let refused = || D::Error::custom("expected a UUID");
    match Option::<Cow<'de, str>>::deserialize(deserializer).map_err(|_| refused())?.as_deref() {
        None | Some("") => Ok(None),
        Some(text) => Uuid::parse_str(text).map(|uuid| Some(T::from_uuid(uuid))).map_err(|_| refused()),
    }
}

pub(crate) trait FromUuid {
    fn from_uuid(uuid: Uuid) -> Self;
}

macro_rules! from_uuid {
    ($($id:ident),+) => {$(
        impl FromUuid for $id {
            fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }
    )+};
}
from_uuid!(WorldId, TransactionId, RobotId);

#[cfg(test)]
mod tests {
    use crate::map::NewMining;

    #[test]
    fn an_empty_or_absent_uuid_means_none() {
        for body in [
            r#"{"amount_requested":5}"#,
            r#"{"amount_requested":5,"transaction_id":""}"#,
            r#"{"amount_requested":5,"transaction_id":null,"spare":1}"#,
        ] {
            let mining: NewMining = serde_json::from_str(body).unwrap();
            assert_eq!(mining.transaction_id, None, "{body}");
        }
        let refusal =
            serde_json::from_str::<NewMining>(r#"{"amount_requested":5,"robot_id":"r2"}"#).unwrap_err();
        assert!(refusal.to_string().contains("expected a UUID"), "{refusal}");
    }
}
