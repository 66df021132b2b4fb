//! A broker's ends and restarts: what was acknowledged stays, its address stays, and it never outlives its test.
//! That it has ended is seen at its port, which does not answer.

use std::net::TcpStream;

use starkeep_test_broker::Broker;

fn answers(address: &str) -> bool {
    TcpStream::connect(address).is_ok()
}

#[tokio::test]
async fn what_was_acknowledged_outlives_a_kill_and_a_stop_at_the_same_address() {
    let Some(broker) = Broker::start().await else { return };
    outlives_a_kill_and_a_stop(broker).await;
}

#[tokio::test]
async fn an_old_broker_keeps_what_was_acknowledged_as_well() {
    let Some(broker) = Broker::start_old().await else { return };
    outlives_a_kill_and_a_stop(broker).await;
}

async fn outlives_a_kill_and_a_stop(mut broker: Broker) {
    let address = broker.address().to_owned();
    broker.create_topic("greetings").await;
    broker.put("greetings", Some("key"), &[("type", "first")], "before the kill").await;
    broker.kill().await;
    assert!(!answers(&address));

    broker.restart().await;
    assert_eq!(broker.address(), address);
    assert_eq!(broker.put("greetings", None, &[], "before the stop").await, 1);
    broker.stop().await;
    assert!(!answers(&address));

    broker.restart().await;
    let records = broker.records("greetings").await;
    let values: Vec<_> = records.iter().map(|record| record.value.as_str()).collect();
    assert_eq!(values, ["before the kill", "before the stop"]);
    assert_eq!(records[0].headers, [("type".to_owned(), "first".to_owned())]);
}

#[tokio::test]
async fn a_broker_ends_with_its_test_also_when_that_panics() {
    let Some(broker) = Broker::start().await else { return };
    let address = broker.address().to_owned();
    assert!(answers(&address));
    let panicked = tokio::spawn(async move {
        let _its_own = broker;
        panic!("as a failing test does");
    });
    assert!(panicked.await.unwrap_err().is_panic());
    assert!(!answers(&address));
}
