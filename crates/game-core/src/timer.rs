//! The timer of one game: it turns service time into game time, and can be paused.
//! What happens when game time reaches the end of a phase is decided in `rounds`.
//!
//! Service time counts while the service is up; game time counts while the game is played. They differ because a game
//! starts late, can be paused, and can lose time in a stall. The end of a phase is a point of game time, so moving the
//! timer moves all later deadlines, and no deadline has to be rewritten.
//!
//! Example, in seconds: a game starts at service time 100, so its timer is `since: 100, from: 0`. Its first phase ends at
//! game time 45, which is the moment 145. At 120 it is paused: `since: 120, from: 20, paused`; there is no next deadline.
//! At 300 it is resumed: `since: 300, from: 20`. The phase has 25 s left, so it ends at the moment 325.
//!
//! A boundary sets the timer to the moment at which it was scheduled, here `since: 325, from: 45`, even if it is committed
//! a little later: lateness does not add up over the rounds. A stall longer than a round moves `since` forward instead
//! (see `stall`), so that the lost time is not played in a burst.

use std::time::Duration;

use crate::time::Moment;

/// At the moment `since` game time was `from`; it has run on from there, or is paused there.
///
/// `since` is the moment of the last start, scheduled boundary, pause or resume, or later by the length of a stall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timer {
    pub since: Moment,
    pub from: Duration,
    pub paused: bool,
}

impl Timer {
    pub(crate) fn game_time(&self, now: Moment) -> Duration {
        if self.paused { self.from } else { self.from.saturating_add(now - self.since) }
    }

    /// The moment at which game time reaches `game_time`; None while the timer is paused.
    pub(crate) fn moment_of(&self, game_time: Duration) -> Option<Moment> {
        (!self.paused).then(|| self.since + game_time.saturating_sub(self.from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_runs_from_where_it_was_or_stands_there() {
        let ticking = Timer { since: Moment(100), from: Duration::from_nanos(7), paused: false };
        assert_eq!(ticking.game_time(Moment(130)), Duration::from_nanos(37));
        assert_eq!(ticking.game_time(Moment(90)), Duration::from_nanos(7), "it never runs backwards");
        assert_eq!(ticking.moment_of(Duration::from_nanos(37)), Some(Moment(130)));
        assert_eq!(ticking.moment_of(Duration::ZERO), Some(Moment(100)));

        let standing = Timer { paused: true, ..ticking };
        assert_eq!(standing.game_time(Moment(130)), Duration::from_nanos(7));
        assert_eq!(standing.moment_of(Duration::from_nanos(37)), None);
    }
}
