//! Every field of every body with every kind of value: what is refused is named, in JSON's words.

use starkeep_map_service::MapService;
use starkeep_test_harness::{check_words, spoiled_requests};

use crate::harness::TestMap;

#[tokio::test]
async fn a_refused_field_is_named_in_the_words_of_json() {
    let bench = TestMap::in_memory().await;
    let mut answers = Vec::new();
    for spoiled in spoiled_requests(&serde_json::to_value(MapService::contract()).unwrap()) {
        let reply = bench.ask(spoiled.request.clone()).await;
        answers.push((spoiled, reply));
    }
    assert!(answers.len() > 100, "{}", answers.len());
    let lenient = check_words(&answers);
    assert_eq!(lenient.iter().map(String::as_str).collect::<Vec<_>>(), LENIENT);
}

/// What is read only where it is needed, or by nobody.
const LENIENT: &[&str] = &[];
