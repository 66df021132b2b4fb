//! The topics that the program creates on a broker that creates none by itself: its own, and those of the robot and trading
//! services. And a broker that is too old is logged at the start.

use serde_json::Value;
use starkeep_test_broker::Broker;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::program::Program;
use crate::relayed::{health, nothing_waits};

/// To the letter, as those services send to them.
const OF_OTHERS: [&str; 12] = [
    "bank-created",
    "current-item-prices",
    "current-resource-prices",
    "fighting",
    "mining",
    "movement",
    "neighbours",
    "regeneration",
    "resource-distribution",
    "robot-destroyed",
    "spawn-notification",
    "trades",
];

/// What is logged about an older broker.
const MADE_FOR: &str = "Starkeep is made for Kafka 2.2 and newer";

async fn serve(broker: &str) -> (Program, tempfile::TempDir) {
    let home = tempfile::tempdir().unwrap();
    let data = home.path().to_str().unwrap();
    (Program::serve("all", &["--data-dir", data, "--kafka", broker]).await, home)
}

async fn gets_all_topics(broker: Broker) {
    broker.create_topic("trades").await;
    broker.put("trades", None, &[], "sent before").await;
    let (program, _home) = serve(broker.address()).await;
    nothing_waits(&program).await;
    let created = |health: &Value| {
        let task = &health["tasks"]["create-topics"];
        !task["lastRun"].is_null() && task["lastError"].is_null()
    };
    health(&program.game(), "the topics of others", created).await;
    for topic in OF_OTHERS {
        let records = broker.records(topic).await;
        assert_eq!(records.len(), usize::from(topic == "trades"), "{topic}");
    }
    program.terminate();
    let log = program.ended().await.stderr;
    assert!(!log.contains(MADE_FOR), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_gets_the_topics_of_the_other_services_as_well() {
    let Some(broker) = Broker::start().await else { return };
    gets_all_topics(broker).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_broker_gets_the_topics_of_the_other_services_as_well() {
    let Some(broker) = Broker::start_old().await else { return };
    gets_all_topics(broker).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_that_cannot_replicate_as_it_is_set_to_gets_no_topic_with_a_single_replica() {
    let Some(mut broker) = Broker::start().await else { return };
    broker.restart_with("default.replication.factor=3").await;
    let (program, _home) = serve(broker.address()).await;
    let refused = |health: &Value| {
        let detail = health["parts"]["kafka"]["detail"].as_str().unwrap();
        detail.contains("did not create topic status: InvalidReplicationFactor")
    };
    health(&program.game(), "the broker's refusal", refused).await;
    broker.restart_with("default.replication.factor=1").await;
    nothing_waits(&program).await;
    assert_eq!(broker.records("status").await, []);
}

/// Says which requests it knows, as Kafka 2.1 does, and nothing else.
async fn say_kafka_2_1(mut client: TcpStream) -> std::io::Result<()> {
    const WHICH_REQUESTS: (i16, i16) = (18, 0);
    let length = client.read_i32().await?;
    let request = (client.read_i16().await?, client.read_i16().await?);
    let correlation = client.read_i32().await?;
    let mut rest = vec![0; usize::try_from(length).unwrap() - 8];
    client.read_exact(&mut rest).await?;
    if request != WHICH_REQUESTS {
        return Ok(());
    }
    let known: Vec<[i16; 3]> =
        (0..=42).map(|request| [request, 0, if request == 1 { 10 } else { 1 }]).collect();
    client.write_i32(4 + 2 + 4 + 43 * 6).await?;
    client.write_i32(correlation).await?;
    client.write_i16(0).await?;
    client.write_i32(43).await?;
    for number in known.concat() {
        client.write_i16(number).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_is_too_old_is_logged_once() {
    let broker = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = broker.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((client, _)) = broker.accept().await {
            // A client may close the connection at any time.
            tokio::spawn(async move { drop(say_kafka_2_1(client).await) });
        }
    });
    let (program, _home) = serve(&address).await;
    for service in [program.game(), program.map()] {
        health(&service, "a fault", |health| health["parts"]["kafka"]["status"] == "degraded").await;
    }
    program.terminate();
    let log = program.ended().await.stderr;
    let warning = format!("the broker at {address} is of Kafka 2.1; {MADE_FOR}");
    assert_eq!(log.matches(&warning).count(), 1, "{log}");
}
