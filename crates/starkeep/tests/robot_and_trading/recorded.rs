//! The recorded games, played again: the same inputs, and the same answers, events and calls but for the ids that are made up.
//! Where something else comes out on purpose, `recorded_differences` says what, and why.

use std::collections::{BTreeMap, BTreeSet};

use http::Method;
use serde_json::Value;
use starkeep_contract::batch_headers;
use starkeep_test_harness::request;

use crate::both_services::BothServices;
use crate::outputs::{ANSWER, Outputs, ROBOT_TO_MAP, answer};
use crate::recorded_differences::DIFFERENCES;
use crate::recording::{Content, Exchange, Record, Step, planets, steps};
use crate::robot_wire::text_of;

/// With it those stations are drawn on which robots were spawned in the recording: for a1 the first of two, for a2 the second.
const SEED: &str = "2";

#[tokio::test]
async fn what_was_recorded_comes_out_alike_or_differs_for_a_reason() {
    let mut services = BothServices::beside_a_map_of(planets()).await;
    let (mut robots, mut wrong) = (MadeUp::default(), Vec::new());
    let mut unmet: BTreeSet<_> = DIFFERENCES.iter().flat_map(|(_, rows)| *rows).collect();
    for Step { note, input, outputs: mut expected } in steps() {
        let ours = play(&mut services, &robots, &input).await;
        robots.learn(&expected, &ours);
        for (reason, rows) in DIFFERENCES {
            for row in rows.iter().filter(|(step, ..)| *step == note) {
                let (_, pointer, value) = row;
                let value = (!value.is_empty()).then(|| serde_json::from_str(value).unwrap());
                if !expected.edit(pointer, value) {
                    wrong.push(format!("{note}: {pointer} is as it was recorded: {reason}"));
                }
                unmet.remove(row);
            }
        }
        wrong.extend(compare(&robots.here(&comparable(&expected)), &comparable(&ours), &note));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(unmet.is_empty(), "differences of nothing that was recorded: {unmet:?}");
    services.assert_books_balance().await;
}

/// Hands the services one input in our ids, and collects what comes of it.
async fn play(services: &mut BothServices, robots: &MadeUp, input: &Content) -> Outputs {
    let reply = match input {
        Content::Record(Record { topic, headers, value }) => {
            let transaction = headers["transactionId"].as_str().unwrap();
            services.hear(topic, transaction, &serde_json::from_str(value).unwrap()).await;
            None
        }
        Content::Exchange(Exchange { to, method, path, request: body, .. }) => {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            let sent = request(method, path).text(robots.text_here(body)).header(batch_headers::SEED, SEED);
            Some(match to.as_str() {
                "robot" => services.ask_robots(sent).await,
                _ => services.ask_trading(sent).await,
            })
        }
    };
    let mut outputs = services.take_outputs().await;
    if let Some(reply) = reply {
        let labelled = reply.header("content-type").unwrap();
        assert!(reply.status >= 400 || labelled.starts_with("text/plain"), "{reply:?}");
        outputs.add(ANSWER, answer(reply.status, &text_of(&reply)));
    }
    outputs
}

/// Robots have made-up ids: what a recorded one is here, as the spawns told.
#[derive(Default)]
struct MadeUp {
    known: BTreeMap<String, String>,
}

impl MadeUp {
    fn learn(&mut self, recorded: &Outputs, ours: &Outputs) {
        let spawned = |outputs: &Outputs| {
            let robots = outputs.of("spawn-notification").iter();
            robots.map(|told| told["payload"]["robotId"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        for (recorded, ours) in spawned(recorded).into_iter().zip(spawned(ours)) {
            assert!(self.known.values().all(|known| *known != ours), "{ours} was spawned before");
            assert_eq!(self.known.insert(recorded, ours), None);
        }
    }

    /// A recorded text in our ids.
    fn text_here(&self, text: &str) -> String {
        self.known.iter().fold(text.to_owned(), |text, (recorded, ours)| text.replace(recorded, ours))
    }

    fn here(&self, outputs: &Outputs) -> Outputs {
        Outputs(serde_json::from_str(&self.text_here(&outputs.0.to_string())).unwrap())
    }
}

/// Without what the map says, which is the test's, and without places where nothing came out.
fn comparable(outputs: &Outputs) -> Outputs {
    let mut outputs = outputs.0.clone();
    let places = outputs.as_object_mut().unwrap();
    places.retain(|_, outputs| outputs.as_array().is_some_and(|outputs| !outputs.is_empty()));
    for call in places.get_mut(ROBOT_TO_MAP).and_then(Value::as_array_mut).into_iter().flatten() {
        call.as_object_mut().unwrap().remove("response");
    }
    Outputs(outputs)
}

fn compare(expected: &Outputs, ours: &Outputs, note: &str) -> Vec<String> {
    let places = |outputs: &Outputs| outputs.0.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let places: BTreeSet<_> = places(expected).into_iter().chain(places(ours)).collect();
    let differing = places.into_iter().filter(|place| expected.of(place) != ours.of(place));
    let texts = |outputs: &[Value]| outputs.iter().map(Value::to_string).collect::<Vec<_>>().join("\n  ");
    differing
        .map(|place| {
            let (expected, ours) = (texts(expected.of(&place)), texts(ours.of(&place)));
            format!("{note}, {place}:\n  {ours}\ninstead of\n  {expected}")
        })
        .collect()
}
