//! Commands under players, executors and kills that come at random: whatever happens, nothing is sent twice, and every
//! receipt says in the end what was sent.

use std::collections::HashMap;

use proptest::prelude::*;
use serde_json::json;
use starkeep_game_service::ports::BatchFault;
use starkeep_test_harness::{delete, in_one_process, post, uuid_in};
use uuid::Uuid;

use crate::fake_executor::Reaction;
use crate::playing::Match;

#[derive(Clone, Debug)]
enum Deed {
    /// A command of this kind for this robot.
    Send(&'static str, u128),
    Buy,
    /// How the executor fails on a batch that is sent soon.
    Expect {
        trading: bool,
        fault: Fault,
    },
    /// Time passes, and nobody carries anything out.
    Pass {
        millis: u64,
    },
    /// What is to be carried out is, as long as it takes.
    Execute,
    /// The process dies while it is carried out, or shortly before or after.
    DieExecuting {
        polls: usize,
    },
    Order(&'static str),
    /// The robot takes no commands any longer.
    Destroy(u128),
    Restart,
}

#[derive(Clone, Copy, Debug)]
enum Fault {
    NotReached,
    TurnedDown,
    Unclear,
    Hanging,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let kind = prop_oneof![
        Just("selling"),
        Just("buying"),
        Just("movement"),
        Just("battle"),
        Just("mining"),
        Just("regeneration")
    ];
    let fault = prop_oneof![
        2 => Just(Fault::NotReached),
        1 => Just(Fault::TurnedDown),
        1 => Just(Fault::Unclear),
        2 => Just(Fault::Hanging),
    ];
    let deed = prop_oneof![
        12 => (kind, 0..4_u128).prop_map(|(kind, robot)| Deed::Send(kind, robot)),
        3 => Just(Deed::Buy),
        4 => (any::<bool>(), fault).prop_map(|(trading, fault)| Deed::Expect { trading, fault }),
        8 => (1..3_000_u64).prop_map(|millis| Deed::Pass { millis }),
        4 => Just(Deed::Execute),
        4 => (0..24_usize).prop_map(|polls| Deed::DieExecuting { polls }),
        2 => prop_oneof![Just("pause"), Just("resume"), Just("end")].prop_map(Deed::Order),
        1 => (0..4_u128).prop_map(Deed::Destroy),
        1 => Just(Deed::Restart),
    ];
    prop::collection::vec(deed, 10..50)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(ProptestConfig::default().cases / 4) })]

    #[test]
    fn whatever_happens_nothing_is_sent_twice_and_every_receipt_is_true(deeds in deeds()) {
        in_one_process(async {
            let mut it = Match::new().await;
            for robot in 0..4 {
                it.bench.spawn(Uuid::from_u128(robot), it.ada.0).await;
            }
            let mut taken = Vec::new();
            for deed in deeds {
                perform(&mut it, &mut taken, deed).await;
            }
            it.bench.compare_replica().await;
            it.bench.end(it.game).await;
            it.bench.compare_replica().await;
            assert_every_receipt_is_true(&it, &taken).await;
        });
    }
}

async fn perform(it: &mut Match, taken: &mut Vec<Uuid>, deed: Deed) {
    match deed {
        Deed::Send(kind, robot) => send(it, taken, kind, robot).await,
        Deed::Buy => {
            let buy = it.of_ada("buying", &json!({"itemName": "ROBOT"}));
            let reply = it.bench.ask(post("/commands").json(&buy)).await;
            taken.extend((reply.status == 201).then(|| uuid_in(&reply.json(), "transactionId")));
        }
        Deed::Expect { trading, fault } => {
            let executor = if trading { &it.bench.trading } else { &it.bench.robots };
            executor.then(match fault {
                Fault::NotReached => Reaction::Fail(BatchFault::NotReached("refused".into())),
                Fault::TurnedDown => Reaction::Fail(BatchFault::TurnedDown("400".into())),
                Fault::Unclear => Reaction::Fail(BatchFault::Unclear("500".into())),
                Fault::Hanging => Reaction::Hang,
            });
        }
        Deed::Pass { millis } => {
            it.bench.beat().await;
            it.bench.advance_alone(millis).await;
        }
        Deed::Execute => it.execute().await,
        Deed::DieExecuting { polls } => {
            {
                let mut executing = Box::pin(it.bench.dispatch());
                for _ in 0..polls {
                    if futures::poll!(&mut executing).is_ready() {
                        break;
                    }
                    it.ping().await;
                }
            }
            it.bench.restart().await;
            it.bench.compare_replica().await;
        }
        Deed::Order(command) => drop(it.bench.order(it.game, command).await),
        Deed::Destroy(robot) => {
            let destroyed = delete(format!("/robots/{}", Uuid::from_u128(robot)));
            assert_eq!(it.bench.ask(destroyed).await.status, 204);
        }
        Deed::Restart => {
            it.bench.restart().await;
            it.bench.compare_replica().await;
        }
    }
}

async fn send(it: &Match, taken: &mut Vec<Uuid>, kind: &str, robot: u128) {
    let object =
        json!({"planetId": Uuid::from_u128(9), "targetId": Uuid::from_u128(9), "itemName": "HEALTH"});
    let mut body = it.of_ada(kind, &object);
    body["robotId"] = json!(Uuid::from_u128(robot));
    let reply = it.bench.ask(post("/commands").json(&body)).await;
    taken.extend((reply.status == 201).then(|| uuid_in(&reply.json(), "transactionId")));
}

/// Nobody is at work any longer, so nothing is open.
async fn assert_every_receipt_is_true(it: &Match, taken: &[Uuid]) {
    let mut arrived: HashMap<Uuid, u32> = HashMap::new();
    for (_, ids) in it.bench.trading.sent().into_iter().chain(it.bench.robots.sent()) {
        for id in ids {
            *arrived.entry(id).or_default() += 1;
        }
    }
    for (id, state) in taken.iter().zip(it.states(taken).await) {
        let times = arrived.remove(id).unwrap_or_default();
        let true_of = match state.as_str() {
            "dispatched" => times == 1,
            "unknown" => times <= 1,
            "undelivered" | "dropped" | "replaced" => times == 0,
            _ => false,
        };
        assert!(true_of, "a command that arrived {times} times is {state}");
    }
    assert!(arrived.is_empty(), "something was sent that nobody asked for");
}
