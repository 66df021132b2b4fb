//! Random histories: whatever is mined and replenished, and whenever the process ends, the books balance.
//! A single step of each kind is tested elsewhere.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use rusqlite::Connection;
use serde_json::Value;
use starkeep_test_harness::{EPOCH, in_one_process};

use crate::harness::TestMap;

#[derive(Clone, Debug)]
enum Step {
    Mine {
        deposit: usize,
        amount: i64,
    },
    /// At once, so that they share a commit with one another and with a replenishment.
    MineTogether {
        deposit: usize,
        amounts: Vec<i64>,
    },
    Replenish,
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let amount = || prop_oneof![1..2_000_i64, Just(10_000), Just(1_000_000_000)];
    let step = prop_oneof![
        4 => (0..100_usize, amount()).prop_map(|(deposit, amount)| Step::Mine { deposit, amount }),
        2 => (0..100_usize, prop::collection::vec(amount(), 2..8))
            .prop_map(|(deposit, amounts)| Step::MineTogether { deposit, amounts }),
        2 => Just(Step::Replenish),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 1..25)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(ProptestConfig::default().cases / 5) })]

    #[test]
    fn the_books_balance_in_memory_and_on_disk(steps in steps()) {
        in_one_process(play(steps))?;
    }
}

async fn play(steps: Vec<Step>) -> Result<(), TestCaseError> {
    let mut map = TestMap::new().await;
    let world = map.world().await;
    let mut mined = 0;
    for step in steps {
        let planets = map.deposits(&world).await;
        match step {
            Step::Mine { deposit, amount } => {
                let reply = map.mine(&planets[deposit % planets.len()], amount).await;
                mined += reply.body["amount_mined"].as_i64().unwrap();
            }
            Step::MineTogether { deposit, amounts } => {
                let planet = &planets[deposit % planets.len()];
                let replenisher = map.service().replenisher();
                let minings =
                    futures::future::join_all(amounts.iter().map(|amount| map.mine(planet, *amount)));
                let (replies, step) = futures::join!(minings, replenisher.step(EPOCH));
                step.unwrap();
                // The deposit may have moved away between two of them.
                let taken = replies.iter().filter_map(|reply| reply.body["amount_mined"].as_i64());
                mined += taken.sum::<i64>();
            }
            Step::Replenish => drop(map.service().replenisher().step(EPOCH).await.unwrap()),
            Step::Restart => map.restart().await,
        }
        let health = map.get("/health").await.body;
        prop_assert_eq!(&health["parts"]["books"]["status"], "ok", "{}", health);
    }
    let charted = map.chart(&world).await;
    map.restart().await;
    prop_assert_eq!(map.chart(&world).await, charted.clone());
    let left: i64 = charted.iter().filter_map(|planet| planet["resource"]["current_amount"].as_i64()).sum();
    let (added, taken) = books(&map.database());
    prop_assert_eq!(taken, mined);
    prop_assert_eq!(added, taken + left);
    let health: Value = map.get("/health").await.body;
    prop_assert_eq!(&health["parts"]["books"]["status"], "ok");
    Ok(())
}

fn books(database: &Connection) -> (i64, i64) {
    database
        .query_row("SELECT sum(initial + replenished), sum(mined) FROM book", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap()
}
