//! The clock of one game: it turns service time into game time, and can stand still.
//! What happens when game time reaches the end of a phase is decided in `rounds`.

use std::time::Duration;

use crate::time::Moment;

/// At the moment `since` game time was `from`; it has run on from there, or stands there.
///
/// `since` is always a moment that has been lived: the start, an intended boundary, a pause, a resume.
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

    /// When game time will be so far; None while it stands.
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
