//! A real process that is stopped and let go on, or killed and started again: after longer than a round its game goes on where it
//! was, after a shorter stop it has missed nothing. How long it is stopped is measured by the rounds of a second game, so that
//! nothing sleeps.

use serde_json::Value;
use starkeep_client::{EventStream, Item, StartFrom};
use starkeep_platform::clock::{Clock, SystemClock};
use starkeep_test_http::{Caller, within_limit};
use tempfile::TempDir;

use crate::game_time::{Shifts, Sighting};
use crate::program::Program;
use crate::rounds::{ended_with_whole_rounds, started, undisturbed_home};

/// A program with a game that runs.
struct Playing {
    program: Program,
    game: Value,
    home: TempDir,
}

impl Playing {
    async fn rounds_of(millis: u32) -> Self {
        let home = undisturbed_home();
        let program = serve(&home).await;
        let game = started(&program.game(), millis).await;
        Self { program, game, home }
    }

    fn service(&self) -> Caller {
        self.program.game()
    }

    async fn sighted(&self, clock: &SystemClock) -> Sighting {
        Sighting::within_a_phase(&self.game, &self.service(), clock).await
    }

    /// Returns at the beginning of a round, after so many whole ones.
    async fn plays(&self, rounds: u32) {
        let url = format!("http://{}", self.program.address("game"));
        let mut events = EventStream::open(&url, StartFrom::End, &["roundStatus"]).unwrap();
        within_limit("the stream", events.ready()).await.unwrap();
        let mut begun = 0;
        while begun <= rounds {
            match within_limit("the next event of a round", events.next()).await.unwrap() {
                Item::Event(event) => begun += u32::from(event.payload["roundStatus"] == "started"),
                Item::Gap(gap) => panic!("nothing was removed, and yet {gap:?}"),
            }
        }
    }

    /// Returns when the heart has beaten, from now on.
    async fn beats(&self) {
        let service = self.service();
        let beats = async || health(&service).await["tasks"]["heartbeat"]["runs"].as_u64().unwrap();
        // The first that is counted may have begun before.
        let enough = beats().await + 2;
        within_limit("the heartbeat", async { while beats().await < enough {} }).await;
    }

    async fn clock_part(&self) -> String {
        health(&self.service()).await["parts"]["clock"]["detail"].as_str().unwrap().to_owned()
    }
}

async fn serve(home: &TempDir) -> Program {
    Program::serve("all", &["--data-dir", home.path().to_str().unwrap()]).await
}

async fn health(service: &Caller) -> Value {
    service.get("/health").await.expect(200)
}

#[tokio::test]
async fn after_a_freeze_that_is_longer_than_a_round_the_game_goes_on_where_it_was() {
    // Rounds so long that only the freeze exceeds one, however busy the machine is.
    let (frozen, other) = (Playing::rounds_of(2_000).await, Playing::rounds_of(200).await);
    let clock = SystemClock::start();
    let before = frozen.sighted(&clock).await;
    frozen.program.freeze();
    let stopped = clock.monotonic();
    other.plays(15).await;
    let stood = clock.monotonic().since(stopped);
    frozen.program.unfreeze();
    // A boundary is taken only when it is known what became of the schedule.
    frozen.plays(0).await;
    let after = frozen.sighted(&clock).await;

    let Shifts { count, by } = after.shifts;
    // The machine may have taken more from it.
    assert!(count >= 1 && by >= stood, "shifted by {by:?}, and stopped for {stood:?}");
    let gained = after.gained_since(&before);
    let passed = after.least_since(&before)..=after.most_since(&before);
    assert!(passed.contains(&(gained + by)), "{gained:?} gained and {by:?} shifted, and {passed:?} passed");
    let detail = frozen.clock_part().await;
    let seconds = by.as_secs_f64();
    assert!(detail.ends_with(&format!(" the schedules of games were shifted by {seconds:.1} s")), "{detail}");

    let rounds = ended_with_whole_rounds(&frozen.service(), &frozen.game).await;
    assert!(rounds >= after.round);
}

#[tokio::test]
async fn a_freeze_that_is_shorter_than_a_round_is_caught_up() {
    let (frozen, other) = (Playing::rounds_of(120_000).await, Playing::rounds_of(200).await);
    let clock = SystemClock::start();
    let before = frozen.sighted(&clock).await;
    frozen.program.freeze();
    other.plays(5).await;
    frozen.program.unfreeze();
    frozen.beats().await;
    let after = frozen.sighted(&clock).await;

    let gained = after.gained_since(&before);
    let passed = after.least_since(&before)..=after.most_since(&before);
    assert!(passed.contains(&gained), "{gained:?} gained, and {passed:?} passed");
    assert_eq!(after.shifts.count, 0);
    assert_eq!(frozen.clock_part().await, "all rounds on schedule");
    assert_eq!(ended_with_whole_rounds(&frozen.service(), &frozen.game).await, 1);
}

#[tokio::test]
async fn time_while_nobody_is_up_does_not_count() {
    let (Playing { program, game, home }, other) =
        (Playing::rounds_of(60_000).await, Playing::rounds_of(200).await);
    let clock = SystemClock::start();
    let before = Sighting::within_a_phase(&game, &program.game(), &clock).await;
    program.kill().await;
    let killed = clock.monotonic();
    other.plays(5).await;
    let away = clock.monotonic().since(killed);
    let program = serve(&home).await;
    let after = Sighting::within_a_phase(&game, &program.game(), &clock).await;
    let (gained, most) = (after.gained_since(&before), after.most_since(&before));
    assert!(gained + away <= most, "{gained:?} gained, {away:?} away, and {most:?} passed");
}
