//! Two replicas of each service under load, one killed every few seconds, every other time the one that leads: nothing that was
//! acknowledged is lost or seen late, the logs have no hole and no repeat, the rounds go on, each event is in its topic once, and
//! in the end all replicas have the same in memory.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use starkeep_client::{EventStream, Item, StartFrom};
use starkeep_platform::clock::{Clock as _, SystemClock};
use starkeep_test_broker::Broker;
use starkeep_test_http::{Caller, within_limit};
use starkeep_test_postgres::shared;
use tokio::process::Child;
use tokio::task::{JoinHandle, JoinSet};
use uuid::Uuid;

use crate::journal::{assert_kept, whole_log};
use crate::program::{command, start};
use crate::relayed::{assert_same, health, logged, sent};
use crate::replica_set::{ReplicaSet, SERVICES, Which};
use crate::scale::scale;
use crate::traffic::planets_of_a_new_world;
use crate::two_services::{END, START, new_game, path};
use crate::whole_game::assert_books_balance;

const ROUND: Duration = Duration::from_secs(1);
/// Five seconds, if nothing holds them up.
const ROUNDS_BETWEEN_KILLS: u64 = 5;
/// Of 12, a minute, in the long run.
const KILLS_AT_LEAST: usize = 2;
const MINERS: usize = 4;
const BOTS: &str = "3";
/// Longer than any run.
const ROUNDS: u32 = 100_000;

/// Who is killed one after the other: the leader of this service, or one that follows.
const VICTIMS: [(&str, bool); 8] = [
    ("game", true),
    ("map", false),
    ("map", true),
    ("game", false),
    ("robot", true),
    ("trading", false),
    ("trading", true),
    ("robot", false),
];

#[tokio::test(flavor = "multi_thread")]
async fn replicas_that_are_killed_lose_nothing_and_agree_in_the_end() {
    let Some(broker) = Broker::start().await else { return };
    let kills = (12 * scale() / 10).max(KILLS_AT_LEAST);
    let database = shared().database("replicas_killed");
    let flags = ["--kafka", broker.address(), "--replenish-every", "0"];
    let mut set = ReplicaSet::start(&database, &flags).await;
    for service in SERVICES {
        set.leader_of(service).await;
    }
    let game = set.service("game");
    let played = create_game(&game).await;
    let bots = bots_in(&set, &played).await;
    let load = Load::on(&set).await;
    game.post(&path(&played, START), &Value::Null).await.expect(201);
    let clock = SystemClock::start();
    let begun = clock.monotonic();

    for (service, leads) in VICTIMS.into_iter().cycle().take(kills) {
        rounds_are_played(&game, &played, ROUNDS_BETWEEN_KILLS).await;
        let victim: Which = if leads { set.leader_of(service).await } else { set.follower_of(service).await };
        set.kill(victim).await;
        set.serve(victim).await;
    }
    rounds_are_played(&game, &played, ROUNDS_BETWEEN_KILLS).await;
    let rounds = round_of(&game, &played).await;
    // What was measured is to be read: how many it is is up to the machine.
    println!("{rounds} rounds of {ROUND:?} were played in {:?}", clock.monotonic().since(begun));

    load.stop.store(true, Ordering::Release);
    end_game(&game, &played).await;
    within_limit("the bots' end", bots.wait_with_output()).await.unwrap();
    let done = load.done().await;
    all_is_settled(&set).await;
    assert_log_has_everything(&set, &done).await;
    assert_topics_are_the_logs(&broker, &set).await;
    assert_rounds_are_in_order(&whole_log(&game).await, &played, rounds);
    for service in ["map", "robot", "trading"] {
        assert_books_balance(&set.service(service)).await;
    }
    assert_no_command_twice(&set).await;
    assert_same_in_memory(&mut set).await;
}

async fn create_game(game: &Caller) -> Value {
    let new = json!({ "maxRounds": ROUNDS, "maxPlayers": 4, "duration": ROUND.as_millis() });
    game.post("/games", &new).await.expect(201)["gameId"].take()
}

/// Returns when all of them take part.
async fn bots_in(set: &ReplicaSet, game: &Value) -> Child {
    let url = set.url("game");
    let mut joining = EventStream::open(&url, StartFrom::End, &["playerStatus"]).unwrap();
    joining.ready().await.unwrap();
    let flags = ["bot", "--game-url", &url, "--game", game.as_str().unwrap(), "--count", BOTS, "--seed", "7"];
    let bots = start(command().args(flags)).await;
    for _ in 0..BOTS.parse().unwrap() {
        within_limit("the bots to join", joining.next()).await.unwrap();
    }
    bots
}

/// Whoever loads the services until it is told to stop.
struct Load {
    stop: Arc<AtomicBool>,
    miners: JoinSet<Mined>,
    hosts: JoinSet<usize>,
    readers: Vec<(&'static str, JoinHandle<EventStreamRead>)>,
}

/// What was done, as those know it who did it.
struct Done {
    mined: Vec<Mined>,
    read: Vec<(&'static str, Vec<String>)>,
}

/// What one miner was told.
#[derive(Default)]
struct Mined {
    acknowledged: Vec<String>,
    /// Those without an answer, or whose answer says that nobody knows.
    unanswered: usize,
}

type EventStreamRead = Vec<String>;

impl Load {
    async fn on(set: &ReplicaSet) -> Self {
        let stop = Arc::<AtomicBool>::default();
        let planets = planets_of_a_new_world(&set.service("map")).await;
        let mut miners = JoinSet::new();
        for (number, own) in planets.chunks(planets.len() / MINERS).take(MINERS).enumerate() {
            miners.spawn(mine(set.service("map"), number, own.to_vec(), stop.clone()));
        }
        let mut hosts = JoinSet::new();
        hosts.spawn(host(set.service("game"), stop.clone()));
        let readers = SERVICES.map(|service| (service, tokio::spawn(read(set.url(service), stop.clone()))));
        Self { stop, miners, hosts, readers: readers.into() }
    }

    async fn done(self) -> Done {
        let mined = within_limit("the miners' end", self.miners.join_all()).await;
        let hosted: usize = within_limit("the hosts' end", self.hosts.join_all()).await.into_iter().sum();
        assert!(hosted > 0, "no game was created");
        let mut read = Vec::new();
        for (service, reader) in self.readers {
            read.push((service, within_limit("the readers' end", reader).await.unwrap()));
        }
        Done { mined, read }
    }
}

/// Mines planets that nobody else mines, and asks after each answer, which another replica has given, what is left.
async fn mine(map: Caller, miner: usize, planets: Vec<String>, stop: Arc<AtomicBool>) -> Mined {
    let mut told = Mined::default();
    let mut number = 0_u128;
    let mut left = vec![None; planets.len()];
    while !stop.load(Ordering::Acquire) {
        for (place, planet) in planets.iter().enumerate() {
            number += 1;
            let transaction = Uuid::from_u128(1 << 127 | (miner as u128) << 64 | number);
            let order = json!({ "mining": { "amount_requested": 1, "transaction_id": transaction } });
            let mining = format!("/planets/{planet}/minings");
            let answer = map.post_meanwhile(&mining, &order).await.unwrap();
            match answer {
                Some(answer) if answer.status == 201 => {
                    told.acknowledged.push(transaction.to_string());
                    let before = left[place].take();
                    if let Some(now) = amount_of(&map, planet).await {
                        assert!(
                            before.is_none_or(|before: u64| now < before),
                            "a stale read: {before:?}, {now}"
                        );
                        left[place] = Some(now);
                    }
                }
                Some(answer) => {
                    assert_eq!(answer.status, 503, "{}", answer.body);
                    assert!(answer.headers.contains_key("retry-after"));
                    told.unanswered += usize::from(answer.body["code"] == "outcome-unknown");
                    left[place] = None;
                }
                None => {
                    told.unanswered += 1;
                    left[place] = None;
                }
            }
        }
    }
    told
}

/// None where nobody answers now.
async fn amount_of(map: &Caller, planet: &str) -> Option<u64> {
    let answer = map.get_unless_gone(&format!("/planets/{planet}")).await?;
    (answer.status == 200).then(|| answer.body["resource"]["current_amount"].as_u64().unwrap())
}

/// Creates games and asks for each of them; how many.
async fn host(game: Caller, stop: Arc<AtomicBool>) -> usize {
    let mut created = 0;
    while !stop.load(Ordering::Acquire) {
        let Some(answer) = game.post_meanwhile("/games", &new_game()).await.unwrap() else { continue };
        if answer.status != 201 {
            assert_eq!(answer.status, 503, "{}", answer.body);
            continue;
        }
        created += 1;
        let id = answer.body["gameId"].clone();
        for _ in 0..2 {
            if let Some(found) = game.get_unless_gone(&path(&id, "")).await {
                assert!([200, 503].contains(&found.status), "a stale read: {}", found.body);
            }
        }
        let _ = game.post_meanwhile(&path(&id, END), &Value::Null).await;
    }
    created
}

/// Follows the service's events from the beginning, over whichever replicas; their ids. Ends when nothing comes after the stop.
async fn read(url: String, stop: Arc<AtomicBool>) -> EventStreamRead {
    let mut stream = EventStream::open(&url, StartFrom::Start, &[]).unwrap();
    let mut read = Vec::new();
    let clock = SystemClock::start();
    loop {
        let next = tokio::select! {
            next = stream.next() => next,
            () = clock.sleep_until(clock.monotonic().after(ROUND)) => {
                if stop.load(Ordering::Acquire) {
                    return read;
                }
                continue;
            }
        };
        match next.unwrap() {
            Item::Event(event) => read.push(event.id),
            Item::Gap(gap) => panic!("nothing was removed, and yet {gap:?}"),
        }
    }
}

async fn round_of(game: &Caller, id: &Value) -> u64 {
    let answered = async {
        loop {
            let answer = game.get_unless_gone(&path(id, "")).await;
            if let Some(answer) = answer.filter(|answer| answer.status == 200) {
                return answer.body["currentRoundNumber"].as_u64().unwrap();
            }
        }
    };
    Box::pin(within_limit("an answer", answered)).await
}

async fn rounds_are_played(game: &Caller, id: &Value, rounds: u64) {
    let last = round_of(game, id).await + rounds;
    let played = async { while round_of(game, id).await < last {} };
    within_limit("the rounds to go on", played).await;
}

async fn end_game(game: &Caller, id: &Value) {
    let ended = async {
        loop {
            match game.post_meanwhile(&path(id, END), &Value::Null).await.unwrap() {
                Some(answer) if answer.status != 503 => return answer.expect(201),
                _ => {}
            }
        }
    };
    within_limit("the game to be ended", ended).await;
}

/// Returns when nothing is under way any more, and everything was sent.
async fn all_is_settled(set: &ReplicaSet) {
    for (service, part, settled) in
        [("trading", "robot", "all trades are settled"), ("robot", "map", "answers")]
    {
        let is_settled = |health: &Value| health["parts"][part]["detail"] == settled;
        health(&set.service(service), "open trades and minings to be finished", is_settled).await;
    }
    for service in SERVICES {
        let leader = set.replica(set.leader_of(service).await);
        let none_waits = json!({ "status": "ok", "detail": "0 events behind" });
        health(&leader, "everything to be sent", |health| health["parts"]["kafka"] == none_waits).await;
    }
}

async fn assert_log_has_everything(set: &ReplicaSet, done: &Done) {
    for (service, read) in &done.read {
        let log = whole_log(&set.service(service)).await;
        let all: Vec<&str> = log.iter().map(|event| event["id"].as_str().unwrap()).collect();
        assert!(read.len() <= all.len());
        assert_eq!(*read, all[..read.len()], "what was read of {service} is not its log");
    }
    let log = whole_log(&set.service("map")).await;
    let mined = log.iter().filter(|event| event["channel"] == "resource-mined");
    let mined = mined.map(|event| event["headers"]["transactionId"].as_str().unwrap().to_owned());
    let told: Vec<String> = mined.filter(|transaction| transaction.starts_with('8')).collect();
    let acknowledged: Vec<String> = done.mined.iter().flat_map(|mined| mined.acknowledged.clone()).collect();
    let unanswered = done.mined.iter().map(|mined| mined.unanswered).sum();
    assert!(acknowledged.len() > 100, "only {} minings", acknowledged.len());
    assert_kept(&acknowledged, &told, unanswered);
}

/// Every channel of every service.
async fn assert_topics_are_the_logs(broker: &Broker, set: &ReplicaSet) {
    for service in SERVICES {
        let log = whole_log(&set.service(service)).await;
        let channels: BTreeSet<_> = log.iter().map(|event| event["channel"].as_str().unwrap()).collect();
        assert!(!channels.is_empty(), "{service} has told nothing");
        for channel in channels {
            assert_same(channel, &sent(broker, channel).await, &logged(&log, channel));
        }
    }
}

fn assert_rounds_are_in_order(log: &[Value], game: &Value, at_least: u64) {
    let told =
        log.iter().filter(|event| event["channel"] == "roundStatus" && event["about"]["gameId"] == *game);
    let started = told.filter(|event| event["payload"]["roundStatus"] == "started");
    let rounds: Vec<u64> = started.map(|event| event["payload"]["roundNumber"].as_u64().unwrap()).collect();
    assert!(rounds.len() as u64 >= at_least);
    assert_eq!(rounds, (1..=rounds.len() as u64).collect::<Vec<_>>());
}

async fn assert_no_command_twice(set: &ReplicaSet) {
    let mut results = Vec::new();
    for service in ["robot", "trading"] {
        for event in whole_log(&set.service(service)).await {
            let channel = event["channel"].as_str().unwrap();
            if ["movement", "mining", "regeneration", "fighting", "trades"].contains(&channel) {
                results.push(event["headers"]["transactionId"].as_str().unwrap().to_owned());
            }
        }
    }
    assert!(!results.is_empty(), "the bots did nothing");
    let distinct: BTreeSet<_> = results.iter().collect();
    assert_eq!(distinct.len(), results.len(), "a command was executed twice");
}

/// Also a replica that loads everything anew.
async fn assert_same_in_memory(set: &mut ReplicaSet) {
    for service in SERVICES {
        let digests = set.digests(service).await;
        assert!(digests[0].is_object() && digests.iter().all(|digest| *digest == digests[0]), "{digests:?}");
        let follower = set.follower_of(service).await;
        set.kill(follower).await;
        set.serve(follower).await;
        assert_eq!(set.digests(service).await, digests, "{service}, loaded anew");
    }
}
