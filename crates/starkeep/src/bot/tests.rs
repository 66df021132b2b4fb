//! The bots against a game service that the test scripts, on a real socket and with a clock of its own.
//! That they work with the real service is tested with the executable.

mod fake;
mod time;

mod outages;
mod playing;
mod seating;
mod seeing;
mod turns;

use std::path::Path;
use std::sync::Arc;

use starkeep_platform::clock::Clock;
use starkeep_test_http::within_limit;

use self::fake::Place;
use self::time::Longest;
use super::error::BotError;
use super::service::Service;
use super::tally::Tally;
use super::{TokenFile, Wanted, run};

/// How the command ended, what it printed, and its summary.
struct Ran {
    outcome: Result<(), BotError>,
    printed: String,
    tally: String,
}

/// The command against the service, while the script comes to its end.
async fn run_bots(
    place: &Place,
    clock: Arc<dyn Clock>,
    wanted: &Wanted<'_>,
    script: impl Future<Output = ()>,
) -> Ran {
    let (mut tally, mut output) = (Tally::default(), Vec::new());
    let running = async {
        // It is large, and so would be every test that runs it.
        let service = Service::new(&place.url, clock, Arc::new(Longest)).unwrap();
        let running = Box::pin(run(&service, wanted, &mut tally, &mut output, true, || ()));
        let outcome = within_limit("the bots", running).await;
        place.left.notify_one();
        outcome
    };
    let (outcome, ()) = tokio::join!(running, script);
    Ran { outcome, printed: String::from_utf8(output).unwrap(), tally: tally.to_string() }
}

fn bots(count: u32) -> Wanted<'static> {
    let tokens = Arc::new(TokenFile::open(Path::new("/dev/null"), "").unwrap());
    Wanted { count, name: "bot", game: None, seed: 1, in_order: false, tokens }
}
