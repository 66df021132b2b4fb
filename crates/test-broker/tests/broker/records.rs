//! Putting and reading: a record comes back as it was put, and a topic is read whole.
//! Every test has a broker of its own.

use starkeep_test_broker::{Broker, Record};

/// A record that has only a value.
fn bare(offset: i64, value: &str) -> Record {
    Record { offset, key: None, headers: Vec::new(), value: value.to_owned() }
}

#[tokio::test]
async fn a_record_is_read_back_with_its_key_its_headers_in_order_and_its_value() {
    let Some(broker) = Broker::start().await else { return };
    broker.create_topic("greetings").await;
    assert_eq!(broker.records("greetings").await, [], "a new topic is empty");

    let headers = [("type", "round"), ("a", "1"), ("type", "again"), ("empty", "")];
    assert_eq!(broker.put("greetings", Some("kéy"), &headers, r#"{"round":1}"#).await, 0);
    assert_eq!(broker.put("greetings", None, &[], "").await, 1);
    let headers = headers.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
    let full =
        Record { offset: 0, key: Some("kéy".to_owned()), headers, value: r#"{"round":1}"#.to_owned() };
    assert_eq!(broker.records("greetings").await, [full, bare(1, "")]);
}

#[tokio::test]
async fn two_brokers_side_by_side_do_not_meet() {
    let (one, other) = tokio::join!(Broker::start(), Broker::start());
    let (Some(one), Some(mut other)) = (one, other) else { return };
    assert_ne!(one.address(), other.address());
    for (broker, value) in [(&one, "here"), (&other, "there")] {
        broker.create_topic("greetings").await;
        broker.put("greetings", None, &[], value).await;
    }
    assert_eq!(other.records("greetings").await, [bare(0, "there")]);
    other.kill().await;
    assert_eq!(one.records("greetings").await, [bare(0, "here")]);
}
