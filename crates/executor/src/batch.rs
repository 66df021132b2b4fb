//! The headers of a batch of commands: which game and round it is for, and how long it may wait for that round.
//! A batch without them is for the only game that runs, and is executed at once.

use std::str::FromStr;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use starkeep_contract::{Code, Problem, batch_headers};
use starkeep_core_types::GameId;
use uuid::Uuid;

/// How long a batch waits for its round where it does not say it.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(5);

/// No batch waits longer than this, whatever it says: no phase of a round needs more.
const LONGEST_TIMEOUT: Duration = Duration::from_mins(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchHeaders {
    pub game: Option<GameId>,
    pub round: Option<u32>,
    /// What the round's random choices are drawn from.
    pub seed: Option<u64>,
    pub timeout: Duration,
}

impl BatchHeaders {
    pub fn read(headers: &HeaderMap) -> Result<Self, Problem> {
        let timeout = value::<u64>(headers, batch_headers::TIMEOUT_MILLIS)?;
        Ok(Self {
            game: value::<Uuid>(headers, batch_headers::GAME)?.map(GameId),
            round: value(headers, batch_headers::ROUND)?,
            seed: value(headers, batch_headers::SEED)?,
            timeout: timeout.map_or(DEFAULT_TIMEOUT, Duration::from_millis).min(LONGEST_TIMEOUT),
        })
    }

    /// To pass them on to another executor, with what is left of the time.
    pub fn to_send(&self) -> Vec<(HeaderName, HeaderValue)> {
        let texts = [
            (batch_headers::GAME, self.game.map(|game| game.to_string())),
            (batch_headers::ROUND, self.round.map(|round| round.to_string())),
            (batch_headers::SEED, self.seed.map(|seed| seed.to_string())),
            (batch_headers::TIMEOUT_MILLIS, Some(self.timeout.as_millis().to_string())),
        ];
        let header = |(name, text): (&'static str, Option<String>)| {
            Some((HeaderName::from_static(name), HeaderValue::from_str(&text?).ok()?))
        };
        texts.into_iter().filter_map(header).collect()
    }
}

fn value<T: FromStr>(headers: &HeaderMap, name: &'static str) -> Result<Option<T>, Problem> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let read = value.to_str().ok().and_then(|text| text.parse().ok());
    // Its value is not repeated: it may be a secret in the wrong place.
    let bad =
        || Problem::new(Code::InvalidParameter, format!("the header `{name}` cannot be read")).at_field(name);
    read.map(Some).ok_or_else(bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_passed_on_reads_the_same() {
        let batch = BatchHeaders {
            game: Some(GameId(Uuid::from_u128(7))),
            round: Some(3),
            seed: Some(u64::MAX),
            timeout: Duration::from_millis(250),
        };
        let headers: HeaderMap = batch.to_send().into_iter().collect();
        assert_eq!(BatchHeaders::read(&headers).unwrap(), batch);
        let none = BatchHeaders::read(&HeaderMap::new()).unwrap();
        assert_eq!((none.game, none.round, none.seed, none.timeout), (None, None, None, DEFAULT_TIMEOUT));
    }

    #[test]
    fn nobody_waits_longer_than_a_minute() {
        let timeout = HeaderValue::from(u64::MAX);
        let headers: HeaderMap =
            [(HeaderName::from_static(batch_headers::TIMEOUT_MILLIS), timeout)].into_iter().collect();
        assert_eq!(BatchHeaders::read(&headers).unwrap().timeout, LONGEST_TIMEOUT);
    }

    #[test]
    fn a_header_that_cannot_be_read_is_refused() {
        for name in [batch_headers::GAME, batch_headers::ROUND, batch_headers::SEED] {
            let headers: HeaderMap =
                [(HeaderName::from_static(name), HeaderValue::from_static("x"))].into_iter().collect();
            assert!(BatchHeaders::read(&headers).is_err(), "{name}");
        }
    }
}
