//! How the words of several commands are read: games, lengths of time, and the variables of the existing stack.

use clap::builder::RangedI64ValueParser;
use starkeep_contract::game::RoundLength;
use starkeep_map_core::PLAYERS;

use crate::durations::duration;

/// A flag wins over its variable, and both over the variable that the existing stack sets.
#[expect(clippy::disallowed_methods, reason = "variables that clap cannot read as a second choice")]
pub(super) fn or_legacy_env(given: Option<&String>, variable: &str) -> Option<String> {
    given.cloned().or_else(|| std::env::var(variable).ok()).filter(|value| !value.is_empty())
}

pub(super) fn players() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(i64::from(*PLAYERS.start())..=i64::from(*PLAYERS.end()))
}

/// How long a round lasts.
pub(super) fn round_length(text: &str) -> Result<RoundLength, String> {
    let millis = u64::try_from(duration(text)?.as_millis()).unwrap_or(u64::MAX);
    serde_json::from_value(millis.into()).map_err(|_| "a round lasts from 100ms to 24h".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_lasts_as_long_as_the_service_allows() {
        for (text, millis) in [("100ms", 100), ("30s", 30_000), ("24h", 86_400_000)] {
            assert_eq!(serde_json::to_value(round_length(text).unwrap()).unwrap(), millis);
        }
        for text in ["99ms", "25h", "30", "soon"] {
            assert!(round_length(text).is_err(), "{text}");
        }
    }
}
