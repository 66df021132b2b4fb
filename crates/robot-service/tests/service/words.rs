//! Every field of every body with every kind of value: what is refused is named, in JSON's words.

use starkeep_robot_service::RobotService;
use starkeep_test_harness::{check_words, spoiled_requests};

use crate::harness::Bench;

#[tokio::test]
async fn a_refused_field_is_named_in_the_words_of_json() {
    let bench = Bench::new().await;
    let mut answers = Vec::new();
    for spoiled in spoiled_requests(&serde_json::to_value(RobotService::contract()).unwrap()) {
        let reply = bench.ask(spoiled.request.clone()).await;
        answers.push((spoiled, reply));
    }
    assert!(answers.len() > 100, "{}", answers.len());
    let lenient = check_words(&answers);
    assert_eq!(lenient.iter().map(String::as_str).collect::<Vec<_>>(), LENIENT);
}

/// What is read only where it is needed, or by nobody.
const LENIENT: &[&str] = &[];
