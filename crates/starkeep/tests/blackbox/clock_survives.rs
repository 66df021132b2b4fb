//! A game's time under kills, in real time: every round once and in order, each phase with its whole length, and no more of one
//! played again than a heartbeat a kill. What becomes of time that a test makes up is tested with the game service.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use starkeep_contract::game::Phase;
use starkeep_platform::clock::SystemClock;
use starkeep_test_http::Caller;
use tokio::task::JoinSet;

use crate::game_time::Sighting;
use crate::journal::{KillLoop, ProcessRun};
use crate::program::Program;
use crate::rounds::{ended_with_whole_rounds, started, undisturbed_home};
use crate::scale::scale;
use crate::two_services::path;

/// The most that is read of a game's time in one run: several rounds' worth of the short ones.
const LONGEST_LIFE: u16 = 1_000;
/// So much of a game's time may be lost in a kill.
const HEARTBEAT: Duration = Duration::from_millis(100);

/// In which run, and what was seen.
type Seen = (usize, Sighting);

/// Reads the game's time again and again, until the service is gone.
async fn watch(game: Value, service: Caller, clock: Arc<SystemClock>, run: ProcessRun<Seen>) {
    while let Some(sighting) = Sighting::of(&game, &service, &clock).await {
        run.journal.note((run.number, sighting));
    }
}

/// What one more process shows, in a long run.
async fn last_run(game: &Value, service: &Caller, clock: &SystemClock) -> Vec<Sighting> {
    let mut seen = Vec::new();
    while seen.len() < LONGEST_LIFE.into() {
        seen.push(Sighting::within_a_phase(game, service, clock).await);
    }
    seen
}

fn total(runs: &[Vec<Sighting>], of_run: fn(&[Sighting]) -> Duration) -> Duration {
    runs.iter().map(|run| of_run(run)).sum()
}

/// How long the time of the run has certainly counted.
fn up(run: &[Sighting]) -> Duration {
    run[run.len() - 1].least_since(&counted(run)[0])
}

/// The round and the phase are those that game time has come to.
fn assert_in_its_phase(seen: &Sighting, round: Duration) {
    let begun = round * (seen.round - 1);
    let collection = round * 3 / 4;
    let phase = match seen.phase {
        Phase::Collection => begun..=begun + collection,
        Phase::Execution => begun + collection..=begun + round,
    };
    assert!(phase.contains(&seen.game_time), "{seen:?}");
}

/// What the process gave up because the machine left it no time for longer than a round; and for each time a heartbeat: where
/// the store stands, what is shown is not yet what will have been given up.
fn given_up(run: &[Sighting]) -> Duration {
    let shifts = run[run.len() - 1].shifts;
    shifts.by + HEARTBEAT * shifts.count + untold(run)
}

/// A process may be killed before its figures tell what it gave up: then a boundary that was waited for is ahead again, and nothing counts
/// from the time before it on.
fn untold(run: &[Sighting]) -> Duration {
    let is_ahead_again =
        |place: &usize| run[place - 1].waiting && run[*place].game_time < run[place - 1].game_time;
    let lost = |place: usize| {
        let (before, after) = (&run[..place], &run[place]);
        let counted = before.iter().rfind(|seen| !seen.waiting).unwrap_or(&run[0]);
        after.most_since(counted) + before[place - 1].gained_since(after)
    };
    (1..run.len()).filter(is_ahead_again).map(lost).sum()
}

/// Within one process nothing goes back, and game time keeps step with the clock, once it is counted: where replicas may share the
/// data, a new process leads only when the lease of the one before is over.
fn assert_keeps_step(run: &[Sighting]) {
    let given_up = given_up(run);
    for next in run.windows(2) {
        assert!(next[0].game_time <= next[1].game_time + given_up, "back within a run: {next:?}");
    }
    let mut running = counted(run).iter().filter(|seen| !seen.waiting);
    let Some(first) = running.next() else { return };
    for seen in running {
        let gained = seen.gained_since(first);
        let passed = seen.least_since(first).saturating_sub(given_up)..=seen.most_since(first);
        assert!(passed.contains(&gained), "{gained:?} gained, and {passed:?} passed: {first:?}, {seen:?}");
    }
}

/// Without what was seen before the time began to move.
fn counted(run: &[Sighting]) -> &[Sighting] {
    let standing = run.iter().take_while(|seen| seen.game_time == run[0].game_time).count();
    &run[standing.min(run.len() - 1)..]
}

/// Nothing is gained over a kill but the time that passed; how far game time went back.
fn set_back(before: &[Sighting], after: &[Sighting]) -> Duration {
    let next = &after[0];
    if let Some(last) = before.iter().rfind(|seen| !seen.waiting) {
        let (gained, most) = (next.gained_since(last), next.most_since(last));
        assert!(gained <= most, "{gained:?} over a kill, and {most:?} at most have passed");
    }
    before[before.len() - 1].gained_since(next)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_round_is_lost_or_played_twice_and_a_kill_costs_a_heartbeat_at_most() {
    // A busy machine may give up most of the time of such short rounds: then only longer ones prove something.
    for round_millis in [200, 1_000, 10_000] {
        if survives(round_millis).await {
            return;
        }
    }
    panic!("most of the time was given up, also in rounds of ten seconds");
}

/// The boundaries of short rounds are commits, too, which tell how far time has come. Here there are none.
#[tokio::test(flavor = "multi_thread")]
async fn a_kill_costs_a_heartbeat_at_most_within_a_long_round() {
    assert!(survives(60_000).await, "most of the time was given up");
}

/// Whether most of the time counted.
async fn survives(round_millis: u32) -> bool {
    let round = Duration::from_millis(round_millis.into());
    let home = undisturbed_home();
    let kills = 5 * scale();
    let kill_loop = KillLoop {
        service: "all",
        flags: &["--data-dir", home.path().to_str().unwrap()],
        kills,
        acknowledged: 20..=LONGEST_LIFE.into(),
        seed: 2,
    };
    let clock = SystemClock::start();
    let mut game = Value::Null;
    let drive = async |program: &Program, run: ProcessRun<Seen>| {
        let service = program.game();
        if run.number == 0 {
            game = started(&service, round_millis).await;
            // All is measured from here, so it must not be one that waits.
            run.journal.note((0, Sighting::within_a_phase(&game, &service, &clock).await));
        }
        let mut load = JoinSet::new();
        load.spawn(watch(game.clone(), service, clock.clone(), run));
        load
    };
    let (program, journal) = kill_loop.run(drive).await;
    let by_run = journal.chunk_by(|(run, _), (next, _)| run == next);
    let mut runs: Vec<Vec<Sighting>> =
        by_run.map(|run| run.iter().map(|(_, sighting)| sighting.clone()).collect()).collect();
    let service = program.game();
    let last = last_run(&game, &service, &clock).await;
    runs.push(last);
    assert_eq!(runs.len(), kills + 1);

    let all: Vec<&Sighting> = runs.iter().flatten().collect();
    for next in all.windows(2) {
        let reached = |seen: &Sighting| (seen.round, seen.phase == Phase::Execution);
        assert!(reached(next[0]) <= reached(next[1]), "a boundary was taken back: {next:?}");
    }
    for seen in &all {
        assert_in_its_phase(seen, round);
    }
    for run in &runs {
        assert_keeps_step(run);
    }

    let (up, given_up) = (total(&runs, up), total(&runs, given_up));
    let allowed = HEARTBEAT * u32::try_from(kills).unwrap() + given_up;
    let set_back: Duration = runs.windows(2).map(|next| set_back(&next[0], &next[1])).sum();
    assert!(set_back <= allowed, "{set_back:?} played again after {kills} kills");
    let (first, last) = (all[0], all[all.len() - 1]);
    let gained = last.gained_since(first);
    let passed = up.saturating_sub(allowed)..=last.most_since(first);
    assert!(passed.contains(&gained), "{gained:?} of game time, and {passed:?} passed");

    let rounds = ended_with_whole_rounds(&service, &game).await;
    let time = service.get(&path(&game, "/time")).await.expect(200);
    let played = Duration::from_millis(time["gameTimeInMillis"].as_u64().unwrap());
    assert!((round * (rounds - 1)..=round * rounds).contains(&played), "{rounds} rounds in {played:?}");
    given_up <= up / 2
}
