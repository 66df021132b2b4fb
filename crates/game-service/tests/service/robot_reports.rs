//! Reports on robots from the broker's topics: none is recorded twice and none is missed, over any restart; records that
//! cannot be read are counted and skipped. The broker is a list of records in memory.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::json;
use starkeep_game_service::RobotEventConsumer;
use starkeep_platform::consumer::{Record, TopicConsumer, TopicConsumers, WhenLost};
use starkeep_platform::relay::BrokerFault;
use starkeep_platform::tasks::{Leader, Stop};
use starkeep_test_harness::EPOCH;
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::fake_topics::FakeTopics;
use crate::harness::Bench;

const SPAWNED: &str = "spawn-notification";
const DESTROYED: &str = "robot-destroyed";

/// A topic's records from an offset on, so many at a time.
struct Topic {
    records: Vec<Record>,
    at_once: usize,
}

impl TopicConsumer for Topic {
    fn next(&mut self) -> BoxFuture<'_, Result<Vec<Record>, BrokerFault>> {
        let rest = self.records.split_off(self.at_once.min(self.records.len()));
        let next = std::mem::replace(&mut self.records, rest);
        async move { Ok(next) }.boxed()
    }
}

fn robot(number: u128) -> Uuid {
    Uuid::from_u128(0xb0_0000 + number)
}

fn player(number: u128) -> Uuid {
    Uuid::from_u128(0xa0_0000 + number)
}

fn spawned(number: u128, owner: u128) -> String {
    json!({"robotId": robot(number), "playerId": player(owner), "otherSeeableRobots": []}).to_string()
}

fn destroyed(number: u128) -> String {
    json!({"robotId": robot(number), "playerId": player(1)}).to_string()
}

fn record(number: usize, value: &str) -> Record {
    Record { position: number.to_string(), headers: vec![], value: value.into() }
}

impl Bench {
    /// A robot that was spawned at this time, as its record's header says.
    pub(crate) async fn hear_spawned(&self, robot: Uuid, owner: Uuid, time: Option<&str>) {
        let consumer = RobotEventConsumer::new(self.service().app().clone(), FakeTopics::new());
        let value = json!({"robotId": robot, "playerId": owner, "otherSeeableRobots": []}).to_string();
        let headers = [("type", Some(SPAWNED)), ("timestamp", time)].into_iter();
        let headers = headers.filter_map(|(name, value)| Some((name.to_owned(), value?.into())));
        let record = Record { headers: headers.collect(), ..record(self.consumed(SPAWNED), &value) };
        let mut topic = Topic { records: vec![record], at_once: 1 };
        consumer.consume(EPOCH, SPAWNED, &mut topic).await.expect("the report is recorded");
    }

    /// The robot's end, as it is told: without a round.
    pub(crate) async fn hear_destroyed(&self, robot: Uuid, owner: Uuid) {
        let consumer = RobotEventConsumer::new(self.service().app().clone(), FakeTopics::new());
        let value = json!({"robotId": robot, "playerId": owner}).to_string();
        let records = vec![record(self.consumed(DESTROYED), &value)];
        consumer.consume(EPOCH, DESTROYED, &mut Topic { records, at_once: 1 }).await.expect("it is recorded");
    }

    /// Consumes the topic from the stored position on, up to its end.
    async fn subscribe(&self, topic: &'static str, values: &[String], at_once: usize) {
        let consumer = RobotEventConsumer::new(self.service().app().clone(), FakeTopics::new());
        let from = self.consumed(topic);
        let records = values.iter().enumerate().map(|(number, value)| record(number, value));
        let mut topic_consumer = Topic { records: records.skip(from).collect(), at_once };
        while !topic_consumer.records.is_empty() {
            consumer.consume(EPOCH, topic, &mut topic_consumer).await.expect("the reports are recorded");
        }
    }

    /// How many records of the topic have been consumed.
    pub(crate) fn consumed(&self, topic: &str) -> usize {
        let select = "SELECT position FROM stream_position WHERE source = ?1";
        let position = self.database().query_row(select, [topic], |row| row.get::<_, String>(0));
        position.map_or(0, |position| position.parse::<usize>().expect("a number") + 1)
    }

    /// Number, owner and whether it lives, of every robot.
    fn robots(&self) -> Vec<(Uuid, Option<Uuid>, bool)> {
        let database = self.database();
        let mut select =
            database.prepare("SELECT id, owner_id, alive FROM robot ORDER BY id").expect("robots");
        let rows = select.query_map([], |row| {
            let owner = row.get::<_, Option<[u8; 16]>>(1)?.map(Uuid::from_bytes);
            Ok((Uuid::from_bytes(row.get(0)?), owner, row.get(2)?))
        });
        rows.and_then(Iterator::collect).expect("rows")
    }
}

#[tokio::test]
async fn robots_are_learned_once_over_any_restart() {
    let values: Vec<_> = (0..20).map(|number| spawned(number, number % 3)).collect();
    let mut bench = Bench::new().await;
    for sent in [0, 7, 7, 13, 20] {
        bench.subscribe(SPAWNED, &values[..sent], 3).await;
        assert_eq!((bench.consumed(SPAWNED), bench.robots().len()), (sent, sent));
        bench.restart().await;
    }
    bench.subscribe(DESTROYED, &[destroyed(4), destroyed(5)], 1).await;
    bench.restart().await;
    let dead: Vec<_> = bench.robots().into_iter().filter(|(_, _, alive)| !alive).map(|(id, ..)| id).collect();
    assert_eq!(dead, [robot(4), robot(5)]);
    assert_eq!(bench.robots()[4], (robot(4), Some(player(1)), false));
}

/// Knows no topic, and reports from which position each was to be read.
struct AskedBroker(mpsc::UnboundedSender<(String, Option<String>)>);

impl TopicConsumers for AskedBroker {
    fn create<'a>(&'a self, _: &'a [&'a str]) -> BoxFuture<'a, Result<(), BrokerFault>> {
        async { Ok(()) }.boxed()
    }

    fn subscribe<'a>(
        &'a self,
        topic: &'a str,
        after: Option<&'a str>,
        _: WhenLost,
    ) -> BoxFuture<'a, Result<Option<Box<dyn TopicConsumer>>, BrokerFault>> {
        // A test that has ended does not care any longer.
        let _ = self.0.send((topic.to_owned(), after.map(str::to_owned)));
        async { Ok(None) }.boxed()
    }
}

#[tokio::test]
async fn a_topic_is_read_on_after_the_position_that_was_stored() {
    let mut bench = Bench::new().await;
    let values: Vec<_> = (0..7).map(|number| spawned(number, 1)).collect();
    bench.subscribe(SPAWNED, &values, 3).await;
    for restarted in [false, true] {
        if restarted {
            bench.restart().await;
        }
        let (report, mut asked) = mpsc::unbounded_channel();
        let stop = Stop::new();
        let leader = Leader::always(bench.clock.clone(), stop.clone());
        let app = bench.service().app().clone();
        RobotEventConsumer::new(app, Arc::new(AskedBroker(report))).start(&leader);
        let mut positions = [asked.recv().await.expect("asked"), asked.recv().await.expect("asked")];
        positions.sort();
        stop.cancel();
        leader.finished().await;
        let expected = [(DESTROYED.to_owned(), None), (SPAWNED.to_owned(), Some("6".to_owned()))];
        assert_eq!(positions, expected, "restarted: {restarted}");
    }
}

#[tokio::test]
async fn an_end_that_is_heard_first_is_remembered() {
    let mut bench = Bench::new().await;
    bench.subscribe(DESTROYED, &[destroyed(1)], 1).await;
    assert_eq!(bench.robots(), [(robot(1), None, false)]);
    bench.restart().await;
    bench.subscribe(SPAWNED, &[spawned(1, 2)], 1).await;
    assert_eq!(bench.robots(), [(robot(1), Some(player(2)), false)]);
}

#[tokio::test]
async fn a_robot_that_is_announced_for_another_player_keeps_its_owner() {
    let bench = Bench::new().await;
    bench.subscribe(SPAWNED, &[spawned(1, 1), spawned(1, 2), spawned(1, 1)], 3).await;
    assert_eq!(bench.robots(), [(robot(1), Some(player(1)), true)]);
}

#[tokio::test]
async fn what_cannot_be_read_is_skipped_and_holds_up_nothing() {
    let bench = Bench::new().await;
    let values =
        ["", "no json", "{}", "[1]", r#"{"robotId":"x","playerId":"y"}"#, "\u{0}"].map(str::to_owned);
    let values = [values.to_vec(), vec![spawned(1, 1)]].concat();
    bench.subscribe(SPAWNED, &values, 2).await;
    assert_eq!(bench.robots(), [(robot(1), Some(player(1)), true)]);
    assert_eq!(bench.consumed(SPAWNED), 7);
}

#[tokio::test]
async fn what_could_not_be_kept_is_heard_again() {
    let bench = Bench::new().await;
    let database = bench.database();
    database.execute_batch("BEGIN IMMEDIATE").expect("another process holds the file");
    let consumer = RobotEventConsumer::new(bench.service().app().clone(), FakeTopics::new());
    let records = vec![record(0, &spawned(1, 1))];
    let recorded = consumer.consume(EPOCH, SPAWNED, &mut Topic { records, at_once: 1 }).await;
    assert!(recorded.is_err());
    database.execute_batch("ROLLBACK").expect("and lets it go");
    assert_eq!((bench.consumed(SPAWNED), bench.robots().len()), (0, 0));
    bench.subscribe(SPAWNED, &[spawned(1, 1)], 1).await;
    assert_eq!(bench.robots().len(), 1);
}
