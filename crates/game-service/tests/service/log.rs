//! The event log as it is stored, and the history of each game from it in a few words.
//! On a file nothing here goes through the service.

use serde_json::Value;
use starkeep_game_service::testing;
use starkeep_test_harness::StoredEvent;
use uuid::Uuid;

use crate::harness::Bench;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Logged {
    pub(crate) event_id: Uuid,
    pub(crate) channel: String,
    pub(crate) game: Uuid,
    pub(crate) transaction: Uuid,
    pub(crate) at_millis: i64,
    pub(crate) payload: Value,
}

impl Logged {
    /// `created`, `joined`, `started`, `1 started`, `1 command input ended`, `1 ended`, `ended`, `clock paused`, `roster left`.
    pub(crate) fn words(&self) -> String {
        let text = |field: &str| self.payload[field].as_str().expect("a word").to_owned();
        match self.channel.as_str() {
            "status" => text("status"),
            "roundStatus" => format!("{} {}", self.payload["roundNumber"], text("roundStatus")),
            "playerStatus" => "joined".to_owned(),
            "gameClock" => format!("clock {}", text("change")),
            "gameRoster" => format!("roster {}", text("change")),
            other => panic!("an event on {other}"),
        }
    }
}

/// Where `gameRoster` repeats a join, a start or an end, the step to the event that it repeats.
fn repeated_at(event: &Logged) -> Option<isize> {
    match event.words().as_str() {
        "roster joined" | "roster started" => Some(-1),
        "roster ended" => Some(1),
        _ => None,
    }
}

impl Bench {
    /// In the order of the log.
    pub(crate) fn events(&self) -> Vec<Logged> {
        self.stored_events().into_iter().map(logged).collect()
    }

    /// Without what `gameRoster` only repeats: every join and start right after it, every end right before it, in the same
    /// transaction.
    pub(crate) fn events_but_roster(&self) -> Vec<Logged> {
        let events = self.events();
        let repeated: Vec<_> = events.iter().map(repeated_at).collect();
        for (place, (event, step)) in events.iter().zip(&repeated).enumerate() {
            let Some(told) = step.and_then(|step| events.get(place.checked_add_signed(step)?)) else {
                assert_eq!(*step, None, "{event:?} repeats nothing");
                continue;
            };
            assert_eq!(event.words(), format!("roster {}", told.words()));
            let of = |event: &Logged| (event.game, event.transaction, event.at_millis);
            assert_eq!(of(event), of(told));
        }
        let kept: Vec<_> = events
            .into_iter()
            .zip(&repeated)
            .filter(|(_, step)| step.is_none())
            .map(|(event, _)| event)
            .collect();
        let told = kept.iter().filter(|event| {
            event.channel == "playerStatus" || (event.channel == "status" && event.words() != "created")
        });
        assert_eq!(told.count(), repeated.iter().flatten().count(), "every join, start and end is repeated");
        kept
    }

    /// How many creations are under way, and how many worlds are yet to be retired.
    pub(crate) fn pending(&self) -> (usize, usize) {
        if self.is_in_memory() {
            return testing::pending(self.service());
        }
        let count = |table| usize::try_from(self.count(table)).expect("a count");
        (count("intent"), count("world_to_retire"))
    }

    pub(crate) fn history(&self, game: Uuid) -> Vec<String> {
        self.events_but_roster().iter().filter(|event| event.game == game).map(Logged::words).collect()
    }
}

fn logged(event: StoredEvent) -> Logged {
    let StoredEvent { event_id, channel, subject, transaction, at_millis, payload } = event;
    let transaction = transaction.expect("every event of a game has a transaction");
    let payload = serde_json::from_str(&payload).expect("a payload is JSON");
    Logged { event_id, channel, game: subject, transaction, at_millis, payload }
}

/// What a whole round leaves in the log, for each of the rounds.
pub(crate) fn rounds(numbers: std::ops::RangeInclusive<u32>) -> Vec<String> {
    numbers
        .flat_map(|number| ["started", "command input ended", "ended"].map(|word| format!("{number} {word}")))
        .collect()
}
