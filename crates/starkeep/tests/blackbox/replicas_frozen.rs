//! A leader that is frozen for longer than its lease and goes on afterwards, with the lock of its service held or not: another one
//! leads meanwhile, and what the first one does afterwards changes nothing. And a leader that is asked to stop: another one leads
//! at once.

use serde_json::Value;
use starkeep_platform::clock::{Clock as _, SystemClock};
use starkeep_test_broker::Broker;
use starkeep_test_http::{Caller, within_limit};
use starkeep_test_postgres::shared;

use crate::journal::whole_log;
use crate::program::Program;
use crate::relayed::{assert_same, health, logged, sent};
use crate::rounds::started;
use crate::scale::scale;
use crate::two_services::{END, path};

const ROUND_MILLIS: u32 = 400;
const SCHEMA: &str = "starkeep_game";

/// Two processes with all services, of which one leads.
struct Pair {
    database: String,
    processes: [Program; 2],
    flags: Vec<String>,
}

impl Pair {
    async fn start(name: &str, broker: &Broker) -> Self {
        let database = shared().database(name);
        let flags: Vec<String> =
            ["--database-url", &database, "--kafka", broker.address()].map(str::to_owned).into();
        let processes = [Program::serve("all", &flags).await, Program::serve("all", &flags).await];
        Self { database, processes, flags }
    }

    /// The place of the one whose game service leads.
    async fn leader(&self) -> usize {
        let find = async {
            loop {
                for (place, process) in self.processes.iter().enumerate() {
                    if leads(&process.game()).await {
                        return place;
                    }
                }
            }
        };
        within_limit("a leader", find).await
    }

    /// Of the database, as `psql` is told.
    fn database(&self) -> &str {
        self.database.rsplit('/').next().unwrap()
    }
}

async fn leads(game: &Caller) -> bool {
    game.get("/health").await.body["replica"]["leads"] == true
}

async fn round(game: &Caller, id: &Value) -> u64 {
    game.get(&path(id, "")).await.body["currentRoundNumber"].as_u64().unwrap_or_default()
}

async fn rounds_go_on(game: &Caller, id: &Value) {
    let now = round(game, id).await;
    let later = async { while round(game, id).await < now + 3 {} };
    within_limit("the rounds to go on", later).await;
}

/// Returns when the other one leads and plays.
async fn is_taken_over(other: &Caller, id: &Value) {
    let clock = SystemClock::start();
    let since = clock.monotonic();
    within_limit("the other one to lead", async { while !leads(other).await {} }).await;
    // What was measured is to be read: how long it takes is up to the machine.
    println!("taken over after {:?} (at most 5 s is wanted)", clock.monotonic().since(since));
    rounds_go_on(other, id).await;
}

/// What both have told is in order, complete, and the same, and each event is in its topic once.
async fn assert_all_is_well(broker: &Broker, pair: &Pair, game: &Value) {
    let (first, second) = (pair.processes[0].game(), pair.processes[1].game());
    let ended = async { while second.post(&path(game, END), &Value::Null).await.status == 503 {} };
    within_limit("the game to be ended", ended).await;
    let (mine, log) = (whole_log(&first).await, whole_log(&second).await);
    assert_eq!(mine, log);
    let rounds: Vec<u64> = log
        .iter()
        .filter(|event| event["payload"]["roundStatus"] == "started")
        .map(|event| event["payload"]["roundNumber"].as_u64().unwrap())
        .collect();
    assert_eq!(rounds, (1..=rounds.len() as u64).collect::<Vec<_>>());
    let leader = pair.processes[pair.leader().await].game();
    let sent_all = |health: &Value| health["parts"]["kafka"]["detail"] == "0 events behind";
    health(&leader, "everything to be sent", sent_all).await;
    for channel in ["status", "roundStatus"] {
        assert_same(channel, &sent(broker, channel).await, &logged(&log, channel));
    }
    let mut digests = Vec::new();
    for game in [&first, &second] {
        game.wanting_json().get("/events?limit=1&after=end").await.expect(200);
        digests.push(game.get("/health?digest=true").await.expect(200)["digest"].clone());
    }
    assert!(digests[0].is_object(), "{digests:?}");
    assert_eq!(digests[0], digests[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_that_was_frozen_changes_nothing_more() {
    let Some(broker) = Broker::start().await else { return };
    let pair = Pair::start("frozen_leader", &broker).await;
    let leader = pair.leader().await;
    let game = started(&pair.processes[leader].game(), ROUND_MILLIS).await;
    for _ in 0..2 * scale() {
        let leader = pair.leader().await;
        let (frozen, other) = (&pair.processes[leader], pair.processes[1 - leader].game());
        frozen.freeze();
        is_taken_over(&other, &game).await;
        frozen.unfreeze();
        rounds_go_on(&frozen.game(), &game).await;
    }
    assert_all_is_well(&broker, &pair, &game).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_that_was_frozen_with_the_lock_blocks_nobody_for_long_and_changes_nothing_more() {
    let Some(broker) = Broker::start().await else { return };
    let pair = Pair::start("frozen_with_the_lock", &broker).await;
    let leader = pair.leader().await;
    let game = started(&pair.processes[leader].game(), ROUND_MILLIS).await;
    for _ in 0..2 * scale() {
        let leader = pair.leader().await;
        let (frozen, other) = (&pair.processes[leader], pair.processes[1 - leader].game());
        // Its next batch waits for the lock, which is given to it when it is frozen.
        let lock = format!("SELECT pg_advisory_xact_lock(hashtextextended('{SCHEMA}', 0))");
        let held = shared().session(pair.database(), &format!("BEGIN; {lock};"));
        let waits = async { while waiting(&pair).is_empty() {} };
        within_limit("the leader to wait for the lock", waits).await;
        frozen.freeze();
        let waiting = waiting(&pair);
        drop(held);
        assert!(!waiting.is_empty(), "it was frozen while it waited");
        is_taken_over(&other, &game).await;
        frozen.unfreeze();
        rounds_go_on(&frozen.game(), &game).await;
    }
    assert_all_is_well(&broker, &pair, &game).await;
}

/// Who waits for the lock.
fn waiting(pair: &Pair) -> String {
    let question = format!(
        "SELECT pid FROM pg_locks JOIN pg_database ON pg_database.oid = database
         WHERE locktype = 'advisory' AND NOT granted AND datname = '{}'",
        pair.database()
    );
    shared().psql(&question)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_that_is_asked_to_stop_hands_over_at_once() {
    let Some(broker) = Broker::start().await else { return };
    let mut pair = Pair::start("stopped_leader", &broker).await;
    let leader = pair.leader().await;
    let game = started(&pair.processes[leader].game(), ROUND_MILLIS).await;
    let other = pair.processes[1 - leader].game();
    pair.processes[1 - leader].freeze();
    // PostgreSQL ends the transaction in which it may have been frozen.
    let busy = format!(
        "SELECT count(*) FROM pg_stat_activity
         WHERE datname = '{}' AND state <> 'idle' AND pid <> pg_backend_pid()",
        pair.database()
    );
    within_limit("all sessions to be idle", async { while shared().psql(&busy) != "0" {} }).await;
    pair.processes[leader].terminate();
    // While nobody takes it the lease shows that it was given up, and does not have to run out.
    let lease = format!("SELECT until = '-infinity' FROM {SCHEMA}.lease");
    let given_up = async { while shared().psql_in(pair.database(), &lease) != "t" {} };
    within_limit("the lease to be given up", given_up).await;
    pair.processes[1 - leader].unfreeze();
    within_limit("the other one to lead", async { while !leads(&other).await {} }).await;
    rounds_go_on(&other, &game).await;
    let again = Program::serve("all", &pair.flags).await;
    let ended = std::mem::replace(&mut pair.processes[leader], again).ended().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_all_is_well(&broker, &pair, &game).await;
}
