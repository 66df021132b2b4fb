//! The bots against a game service that the test plays itself, on a real socket and a clock of its own.
//! That they get on with the real service is tested with the executable.

mod fake;
mod time;

mod outages;
mod playing;
mod seating;
mod turns;

use std::sync::Arc;

use starkeep_platform::clock::Clock;

use self::fake::{Place, patiently};
use super::error::BotError;
use super::tally::Tally;
use super::{Wanted, run};

/// How the command ended, what it said, and what it has to tell.
struct Told {
    outcome: Result<(), BotError>,
    said: String,
    tally: String,
}

/// The command against the service, while the script comes to its end.
async fn told(
    place: &Place,
    clock: Arc<dyn Clock>,
    wanted: &Wanted<'_>,
    script: impl Future<Output = ()>,
) -> Told {
    let (mut tally, mut output) = (Tally::default(), Vec::new());
    let running = async {
        let outcome = patiently(run(&place.url, clock, wanted, &mut tally, &mut output)).await;
        place.left.notify_one();
        outcome
    };
    let (outcome, ()) = tokio::join!(running, script);
    Told { outcome, said: String::from_utf8(output).unwrap(), tally: tally.to_string() }
}

fn bots(count: u32) -> Wanted<'static> {
    Wanted { count, name: "bot", game: None }
}
