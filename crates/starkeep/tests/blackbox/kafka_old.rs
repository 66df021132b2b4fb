//! A broker of Kafka 2.2, the oldest that the program is made for: each event is in its topic once, whoever is killed meanwhile.
//! It is what newer brokers are put through as well, only shorter.

use starkeep_test_broker::Broker;

use crate::kafka_away::broker_killed_again_and_again;
use crate::kafka_survives::killed_again_and_again;
use crate::scale::scale;

#[tokio::test(flavor = "multi_thread")]
async fn an_old_broker_gets_every_event_once_and_in_order_over_kills_of_the_program_and_its_own() {
    let Some(mut broker) = Broker::start_old().await else { return };
    let home = tempfile::tempdir().unwrap();
    let data = home.path().to_str().unwrap();
    let program = killed_again_and_again(&broker, data, 2 * scale()).await;
    broker_killed_again_and_again(&mut broker, &program, scale().div_ceil(2)).await;
}
