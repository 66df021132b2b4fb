//! Positions of event logs in documents. An installation that is restored from a backup has new logs, so that what its services remember
//! of each other's logs has to be found in whatever document it is.

use serde::{Deserialize, Serialize};

/// In a body it is `{"position":"..."}`, which is nowhere else: quotes within a text are escaped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredPosition {
    position: String,
}

const BEFORE: &str = r#"{"position":""#;
const AFTER: &str = r#""}"#;

impl StoredPosition {
    pub fn new(position: String) -> Self {
        Self { position }
    }

    pub fn into_text(self) -> String {
        self.position
    }

    /// The body with every position in it that is given another one.
    pub fn replaced_in(body: &str, moved: impl Fn(&str) -> Option<String>) -> String {
        let mut parts = body.split(BEFORE);
        let mut replaced = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            replaced.push_str(BEFORE);
            let (position, rest) = part.split_once(AFTER).unwrap_or((part, ""));
            match moved(position) {
                Some(other) if part.len() > position.len() => {
                    replaced.extend([&*other, AFTER, rest]);
                }
                _ => replaced.push_str(part),
            }
        }
        replaced
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_a_position_is_replaced() {
        #[derive(Serialize)]
        struct Form {
            name: &'static str,
            read: [StoredPosition; 2],
        }
        let form = |one: &str, other: &str| {
            let read = [one, other].map(|position| StoredPosition::new(position.to_owned()));
            serde_json::to_string(&Form { name: r#"{"position":"1"}"#, read }).unwrap()
        };
        let moved = |position: &str| (position == "1").then(|| "one".to_owned());
        assert_eq!(StoredPosition::replaced_in(&form("1", "2"), moved), form("one", "2"));
        assert_eq!(StoredPosition::replaced_in("{}", moved), "{}");
    }
}
