//! The executors' events over a real connection, and results that come over topics.

use std::fmt::Write;

use serde_json::json;
use starkeep_contract::events::{Channel, Gap, GapReason};
use starkeep_game_core::ExecutorKind;
use starkeep_game_service::{ExecutorEvents, ServiceUrl};
use starkeep_http_client::Item;
use starkeep_platform::tasks::{Leader, Stop};
use starkeep_test_harness::{EPOCH, get};
use starkeep_test_http::{OneRequestServer, RawAnswer};
use uuid::Uuid;

use crate::executor_log::{ExecutorLog, Whom};
use crate::harness::Setup;
use crate::playing::Match;

/// The log as the whole of a stream that is closed then.
fn stream(log: &ExecutorLog, it: &Match) -> RawAnswer {
    let mut body = String::new();
    for item in log.unread(it.bench.service(), usize::MAX) {
        let Item::Event(event) = item else { continue };
        let data = json!({"headers": event.headers, "payload": event.payload, "about": event.about});
        let _ = write!(body, "event: {}\nid: {}\ndata: {data}\n\n", event.channel.name(), event.id);
    }
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close";
    RawAnswer::Text(format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()))
}

fn follower(it: &Match, url: &str, token: Option<&str>) -> ExecutorEvents {
    let (app, url) = (it.bench.service().app().clone(), ServiceUrl::parse(url).expect("an address"));
    ExecutorEvents::new(app, ExecutorKind::Trading, url, token)
}

#[tokio::test]
async fn a_stream_is_read_from_its_start_and_from_where_it_was_left() {
    let mut it = Match::with(Setup { streams: true, ..Setup::default() }).await;
    let mut log = ExecutorLog::of(ExecutorKind::Trading);
    let mut money = Vec::new();
    for (after, token) in [("start", Some("s3cret")), ("00000000000000aa-1-00000000", None)] {
        if token.is_some() {
            log.account(it.game, it.ada.0, 200);
        } else {
            let whom = Whom { game: it.game, round: Some(1), player: Some(it.ada.0), robot: None };
            log.trade("buy-item", whom, Uuid::max(), -50, &json!(null));
        }
        let server = OneRequestServer::start(stream(&log, &it)).await;
        let follower = follower(&it, &server.url, token);
        let mut events = follower.open();
        let items = vec![events.next().await.expect("an event comes")];
        follower
            .record(EPOCH, &items, events.position().expect("a position").to_owned())
            .await
            .expect("recorded");
        let request = server.received().await;
        assert_eq!(request.path_and_query(), format!("/events?after={after}"), "of all channels");
        assert_eq!(request.header("authorization"), token.map(|token| format!("Bearer {token}")).as_deref());
        drop((follower, events));
        it.bench.beat().await;
        it.bench.restart().await;
        let rows = it.bench.ask(get(format!("/games/{}/scoreboard", it.game))).await.is(200);
        money.push(rows[0]["money"].clone());
    }
    assert_eq!(money, [200, 150]);
}

#[tokio::test]
async fn a_gap_is_counted_and_what_follows_it_is_recorded() {
    let it = Match::with(Setup { streams: true, ..Setup::in_memory() }).await;
    let mut log = ExecutorLog::of(ExecutorKind::Trading);
    log.account(it.game, it.ada.0, 7);
    let gap = Gap { reason: GapReason::Expired, resumes_after: "00000000000000aa-0-00000000".to_owned() };
    let mut items = vec![Item::Gap(gap)];
    items.extend(log.unread(it.bench.service(), 1));
    log.record(it.bench.service(), &items).await;
    let metrics = it.bench.metrics().await;
    let counted = r#"starkeep_executor_event_gaps_total{service="trading"} 1"#;
    assert!(metrics.lines().any(|line| line == counted), "{metrics}");
    let rows = it.bench.ask(get(format!("/games/{}/scoreboard", it.game))).await.is(200);
    assert_eq!(rows[0]["money"], 7);
}

#[tokio::test]
async fn an_event_that_cannot_be_read_is_counted_and_skipped() {
    let it = Match::with(Setup { streams: true, ..Setup::in_memory() }).await;
    let mut log = ExecutorLog::of(ExecutorKind::Trading);
    let whom = Whom { game: it.game, round: Some(1), player: Some(it.ada.0), robot: None };
    log.tell(Channel::BankCreated, whom, None, json!({"money": "much"}));
    log.account(it.game, it.ada.0, 7);
    log.read_all(it.bench.service()).await;
    let metrics = it.bench.metrics().await;
    let counted = r#"starkeep_executor_bad_events_total{service="trading"} 1"#;
    assert!(metrics.lines().any(|line| line == counted), "{metrics}");
    let rows = it.bench.ask(get(format!("/games/{}/scoreboard", it.game))).await.is(200);
    assert_eq!(rows[0]["money"], 7);
}

#[tokio::test]
async fn results_of_other_executors_come_over_their_topics() {
    for (kind, topic, record_type) in [("mining", "mining", "mining"), ("selling", "trades", "sell-resource")]
    {
        let it = Match::with(Setup { results: true, ..Setup::default() }).await;
        let stop = Stop::new();
        let leader = Leader::always(it.bench.clock.clone(), stop.clone());
        it.bench.service().robot_results().expect("there is a broker").start(&leader);
        it.bench.topics.read(topic, 1).await;
        let id = it.ada_sends(kind, json!({})).await;
        it.bench.topics.put(topic, &[("transactionId", &id.to_string()), ("type", record_type)]);
        it.bench.topics.put(topic, &[("transactionId", "nothing of ours")]);
        it.bench.topics.read(topic, 3).await;
        let own = get(format!("/commands/{id}")).bearer(&it.ada.1.to_string());
        let result = json!({"channel": topic, "type": record_type, "payload": {}});
        assert_eq!(it.bench.ask(own).await.is(200)["result"], result);
        it.bench.compare_replica().await;
        stop.cancel();
        leader.finished().await;
    }
}
