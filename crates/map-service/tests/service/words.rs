//! Every field of every body with every kind of value: what is refused is named, in JSON's words.

use crate::harness::TestMap;

#[tokio::test]
async fn a_refused_field_is_named_in_the_words_of_json() {
    let lenient = TestMap::in_memory().await.lenient_fields().await;
    assert!(lenient.is_empty(), "{lenient:?}");
}
