//! Every field of every body with every kind of value: what is refused is named, in JSON's words.

use crate::harness::Bench;

/// Read only where it is needed.
const LENIENT: &str = "POST /players/{playerId}/token playerToken";

#[tokio::test]
async fn a_refused_field_is_named_in_the_words_of_json() {
    let lenient = Bench::in_memory().await.lenient_fields().await;
    assert_eq!(lenient.into_iter().collect::<Vec<_>>(), [LENIENT]);
}
