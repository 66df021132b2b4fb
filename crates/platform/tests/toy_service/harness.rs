//! What the test harness has to notice by itself, whatever a test looks at; shown on the toy.

use starkeep_test_harness::{Environment, Harness, Opened, ServiceUnderTest, StoreKind, get, post};

use crate::toy::Greeter;
use crate::{Toy, start};

/// A toy that claims to have a contract, in which nothing is documented.
struct Undocumented(Toy);

impl ServiceUnderTest for Undocumented {
    type Service = Greeter;

    async fn open(&self, environment: Environment<'_>) -> Opened<Greeter> {
        self.0.open(environment).await
    }
}

#[tokio::test]
#[should_panic(expected = "GET /health 200 does not conform to the contract")]
async fn an_exchange_that_is_not_in_the_contract_fails_the_test() {
    let toy = Harness::open(Undocumented(Toy::default()), StoreKind::Sqlite).await;
    toy.ask(get("/health")).await;
}

#[tokio::test]
#[should_panic(expected = "something of the process lives on")]
async fn a_restart_while_somebody_holds_on_to_the_service_fails_the_test() {
    let mut toy = start(Toy::default()).await;
    let _held = toy.service().clone();
    toy.restart().await;
}

#[tokio::test]
#[should_panic(expected = "the log has gaps")]
async fn a_gap_in_the_log_fails_the_test() {
    let toy = start(Toy::default()).await;
    for key in ["one", "two"] {
        toy.ask(post("/greetings").key(key)).await.is(201);
    }
    assert_eq!(toy.stored_events().len(), 2);
    toy.database().execute("DELETE FROM event_log WHERE position = 1", []).unwrap();
    toy.stored_events();
}
