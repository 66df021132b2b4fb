//! Slows down who guesses secrets: wrong mail addresses and wrong tokens are counted by player and client address together.
//! Kept in memory: a restart forgets it, and each replica counts for itself.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::HeaderMap;
use starkeep_contract::{Code, Problem};
use starkeep_game_core::PlayerId;
use starkeep_platform::clock::{Clock, Monotonic};
use starkeep_platform::http::connection::{AddressFrom, client_address};

/// Guessers that are remembered at most. Beyond that those are forgotten who may guess again soonest.
const MOST_GUESSERS: usize = 100_000;

/// How much may be guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuessLimits {
    /// Wrong ones in a row before a client has to wait; 0 for no limit.
    pub wrong: u32,
    /// After so long one more may be wrong.
    pub every: Duration,
}

impl Default for GuessLimits {
    fn default() -> Self {
        Self { wrong: 20, every: Duration::from_secs(5) }
    }
}

/// Who guesses, and whose secret. A token that names nobody is guessed for no player in particular.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Guesser {
    player: Option<PlayerId>,
    client: Option<IpAddr>,
}

/// Counts by the generic cell rate algorithm: of each guesser only when it will be as if it had never guessed.
pub(super) struct GuessLimit {
    limits: GuessLimits,
    address_from: AddressFrom,
    clock: Arc<dyn Clock>,
    forgotten_at: Mutex<HashMap<Guesser, Monotonic>>,
}

impl GuessLimit {
    pub(super) fn new(limits: GuessLimits, address_from: AddressFrom, clock: Arc<dyn Clock>) -> Self {
        Self { limits, address_from, clock, forgotten_at: Mutex::default() }
    }

    /// Somebody has shown the right secret of a player. Refused while its client has to wait: it could be one more guess.
    pub(super) fn right(&self, player: PlayerId, headers: &HeaderMap) -> Result<(), Problem> {
        self.judge(Some(player), headers, false)
    }

    /// Somebody has shown a wrong one. Refused while its client has to wait, which is not counted again.
    pub(super) fn wrong(&self, player: Option<PlayerId>, headers: &HeaderMap) -> Result<(), Problem> {
        self.judge(player, headers, true)
    }

    fn judge(&self, player: Option<PlayerId>, headers: &HeaderMap, is_wrong: bool) -> Result<(), Problem> {
        if self.limits.wrong == 0 {
            return Ok(());
        }
        let client = client_address(headers, self.address_from).map(network);
        let guesser = Guesser { player, client };
        let now = self.clock.monotonic();
        let mut forgotten_at = self.forgotten_at.lock().unwrap_or_else(PoisonError::into_inner);
        let at = forgotten_at.get(&guesser).copied().unwrap_or(now).max(now);
        let most = self.limits.every.saturating_mul(self.limits.wrong - 1);
        let wait = at.since(now).saturating_sub(most);
        if !wait.is_zero() {
            return Err(too_many(wait));
        }
        if is_wrong {
            make_room(&mut forgotten_at, now);
            forgotten_at.insert(guesser, at.after(self.limits.every));
        }
        Ok(())
    }
}

/// Whoever has one IPv6 address has all of its network.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

fn make_room(forgotten_at: &mut HashMap<Guesser, Monotonic>, now: Monotonic) {
    if forgotten_at.len() < MOST_GUESSERS {
        return;
    }
    forgotten_at.retain(|_, at| *at > now);
    if forgotten_at.len() > MOST_GUESSERS / 2 {
        let mut times: Vec<_> = forgotten_at.values().copied().collect();
        let (_, median, _) = times.select_nth_unstable(MOST_GUESSERS / 2);
        let median = *median;
        forgotten_at.retain(|_, at| *at > median);
    }
}

fn too_many(wait: Duration) -> Problem {
    let seconds = u32::try_from(wait.as_millis().div_ceil(1000)).unwrap_or(u32::MAX);
    let text = format!(
        "too many wrong tokens, mail addresses or recovery codes from this address: try again in {seconds} s"
    );
    Problem::new(Code::TooManyGuesses, text).retry_after(seconds)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use starkeep_platform::clock::ManualClock;
    use uuid::Uuid;

    use super::*;

    fn limit(wrong: u32, every: u64) -> (GuessLimit, Arc<ManualClock>) {
        let clock = ManualClock::new(jiff::Timestamp::UNIX_EPOCH);
        let limits = GuessLimits { wrong, every: Duration::from_secs(every) };
        (GuessLimit::new(limits, AddressFrom::Proxy, clock.clone()), clock)
    }

    fn from(address: &str) -> HeaderMap {
        [("x-forwarded-for".parse().unwrap(), address.parse().unwrap())].into_iter().collect()
    }

    fn player(number: u128) -> PlayerId {
        PlayerId(Uuid::from_u128(number))
    }

    #[test]
    fn who_guesses_too_often_waits_and_nobody_else_does() {
        let (limit, clock) = limit(3, 10);
        let (here, there) = (from("10.0.0.1"), from("10.0.0.2"));
        for _ in 0..3 {
            limit.wrong(Some(player(1)), &here).unwrap();
        }
        let refused = limit.wrong(Some(player(1)), &here).unwrap_err();
        assert_eq!((refused.status, refused.retry_after_seconds), (429, Some(10)));
        // Not even the right one helps: it could be one more guess.
        limit.right(player(1), &here).unwrap_err();
        limit.right(player(1), &there).unwrap();
        limit.right(player(2), &here).unwrap();
        limit.wrong(None, &here).unwrap();
        clock.advance(Duration::from_secs(9));
        assert_eq!(limit.wrong(Some(player(1)), &here).unwrap_err().retry_after_seconds, Some(1));
        clock.advance(Duration::from_secs(1));
        limit.wrong(Some(player(1)), &here).unwrap();
        limit.wrong(Some(player(1)), &here).unwrap_err();
    }

    #[test]
    fn all_addresses_of_an_ipv6_network_are_one_client() {
        let (limit, _clock) = limit(1, 10);
        limit.wrong(Some(player(1)), &from("2001:db8:0:1::1")).unwrap();
        limit.wrong(Some(player(1)), &from("2001:db8:0:1:ffff::2")).unwrap_err();
        limit.wrong(Some(player(1)), &from("2001:db8:0:2::1")).unwrap();
        limit.wrong(Some(player(1)), &from("::ffff:10.0.0.1")).unwrap();
        limit.wrong(Some(player(1)), &from("10.0.0.1")).unwrap_err();
    }

    #[test]
    fn nobody_waits_where_there_is_no_limit() {
        let (limit, _clock) = limit(0, 10);
        for _ in 0..1000 {
            limit.wrong(Some(player(1)), &from("10.0.0.1")).unwrap();
        }
    }

    #[test]
    fn what_is_remembered_has_a_bound_and_the_worst_stay() {
        let (limit, _clock) = limit(2, 3600);
        let worst = from("10.0.0.1");
        limit.wrong(Some(player(0)), &worst).unwrap();
        limit.wrong(Some(player(0)), &worst).unwrap();
        let client = from("10.0.0.2");
        for number in 1..=u128::try_from(2 * MOST_GUESSERS).unwrap() {
            limit.wrong(Some(player(number)), &client).unwrap();
        }
        assert!(limit.forgotten_at.lock().unwrap().len() <= MOST_GUESSERS);
        limit.wrong(Some(player(0)), &worst).unwrap_err();
    }

    proptest! {
        /// Over any stretch of time nobody gets further than the first ones and one more for each span.
        #[test]
        fn no_pattern_of_guesses_gets_more_than_the_limits_allow(
            wrong in 1..5_u32,
            pauses in prop::collection::vec(0..40_u64, 1..200),
        ) {
            let (limit, clock) = limit(wrong, 10);
            let client = from("10.0.0.1");
            let (mut now, mut allowed) = (0, Vec::new());
            for pause in pauses {
                clock.advance(Duration::from_secs(pause));
                now += pause;
                if limit.wrong(Some(player(1)), &client).is_ok() {
                    allowed.push(now);
                }
            }
            for (first, begin) in allowed.iter().enumerate() {
                for (last, end) in allowed.iter().enumerate().skip(first) {
                    let most = u64::from(wrong) + (end - begin) / 10;
                    prop_assert!(((last - first) as u64) < most, "{begin} to {end}");
                }
            }
        }
    }
}
