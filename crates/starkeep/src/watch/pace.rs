//! How often the screen is drawn: ten times a second, however many events arrive between two pictures.

use std::time::Duration;

use starkeep_platform::clock::Monotonic;

const BETWEEN_PICTURES: Duration = Duration::from_millis(100);

pub(super) struct Pace {
    next: Monotonic,
}

impl Pace {
    /// The first picture is due at once.
    pub(super) fn begin(now: Monotonic) -> Self {
        Self { next: now }
    }

    /// When the next picture is due, so that the countdown runs while nothing happens.
    pub(super) fn next(&self) -> Monotonic {
        self.next
    }

    /// Whether a picture is to be drawn now.
    pub(super) fn is_due(&mut self, now: Monotonic) -> bool {
        let is_due = now >= self.next;
        if is_due {
            self.next = now.after(BETWEEN_PICTURES);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn in_no_second_there_are_more_than_ten_pictures_and_none_is_late(
            waits in prop::collection::vec(0_u64..300, 1..400),
        ) {
            let at = |millis| Monotonic(0).after(Duration::from_millis(millis));
            let (mut pace, mut now, mut drawn) = (Pace::begin(at(0)), 0, Vec::new());
            for wait in waits {
                // Something arrives, unless the next picture is due before.
                let arrives = at(now + wait);
                let wakes = arrives.min(pace.next()).max(at(now));
                now = u64::try_from(wakes.since(at(0)).as_millis()).unwrap();
                if pace.is_due(wakes) {
                    drawn.push(now);
                }
            }
            prop_assert_eq!(drawn[0], 0);
            for pair in drawn.windows(2) {
                prop_assert_eq!(pair[1] - pair[0], 100);
            }
        }
    }
}
