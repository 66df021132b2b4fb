//! The existing service's recorded answers, asked for again here in their order: the same codes, and every recorded field.
//! Where the answer is another one on purpose, `recorded_differences` says so and why.

use std::collections::{BTreeMap, BTreeSet};

use http::{Method, header};
use serde::Deserialize;
use serde_json::{Value, json};
use starkeep_test_harness::{Reply, TestRequest, delete, request};
use uuid::Uuid;

use crate::harness::Bench;
use crate::recorded_differences::DIFFERENCES;

const RECORDED: &str = include_str!("../fixtures/game.http.jsonl");

/// Shorter than any recorded round: more than a round at once would be a freeze.
const STEP_MILLIS: u64 = 500;

/// Answers give these ids a first time; from then on they mean the same thing here and there.
const IDS: [&str; 5] = ["gameId", "playerId", "bearerToken", "transactionId", "roundId"];

/// What everybody is shown there, and nobody here.
const SECRETS: [&str; 2] = ["playerToken", "mailAddress"];

/// The recorded times are wrong: only that there is a time, or none, is compared.
const CLOCKS: [&str; 2] = ["gameTime", "roundTime"];

/// One request and its recorded answer; first what happens in the meantime, which is in no recording.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exchange {
    /// Unique among the recorded ones.
    note: String,
    /// What the recording needs and does not have, or not at this time: a player who registers, a game that ends.
    #[serde(default)]
    unrecorded: bool,
    /// Milliseconds that pass before.
    #[serde(default)]
    wait: u64,
    /// The process is killed before, and started again.
    #[serde(default)]
    restart: bool,
    /// Robots that are reported before, and whose they are.
    #[serde(default)]
    robots: BTreeMap<Uuid, String>,
    /// A robot that is no more.
    destroyed: Option<Uuid>,
    /// Milliseconds after which the answer comes.
    #[serde(default)]
    answer_after: u64,
    method: String,
    path: String,
    /// JSON is declared where nothing else is.
    headers: Option<BTreeMap<String, String>>,
    request: Option<String>,
    status: u16,
    response: Option<Value>,
}

struct Replay {
    bench: Bench,
    /// What a recorded id is here.
    known: BTreeMap<String, String>,
}

#[tokio::test]
async fn what_was_recorded_is_answered_alike_or_differs_for_a_reason() {
    let differences: BTreeMap<_, _> = DIFFERENCES
        .iter()
        .flat_map(|(reason, code, notes)| notes.iter().map(move |note| (*note, (*code, *reason))))
        .collect();
    let (mut unmet, mut wrong): (BTreeSet<_>, _) = (differences.keys().copied().collect(), Vec::new());
    let mut recording = Replay { bench: Bench::msd().await, known: BTreeMap::new() };
    for line in RECORDED.lines() {
        let exchange: Exchange = serde_json::from_str(line).expect("an exchange");
        let reply = recording.ask(&exchange).await;
        let different = differences.get(&*exchange.note).filter(|_| !exchange.unrecorded);
        match (different, recording.compare(&exchange, &reply)) {
            (None, None) => {}
            (None, Some(complaint)) => wrong.push(format!("{}: {complaint}", exchange.note)),
            (Some((code, _)), Some(_)) if reply.status == *code => {}
            (Some((code, _)), Some(_)) => {
                wrong.push(format!("{}: {}, expected {code}", exchange.note, reply.status));
            }
            (Some((_, reason)), None) => {
                wrong.push(format!("{}: no longer differs: {reason}", exchange.note));
            }
        }
        unmet.remove(&*exchange.note);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(unmet.is_empty(), "differences of nothing that was recorded: {unmet:?}");
}

impl Replay {
    async fn ask(&mut self, exchange: &Exchange) -> Reply {
        self.pass(exchange.wait).await;
        if exchange.restart {
            self.bench.restart().await;
        }
        for (robot, owner) in &exchange.robots {
            self.bench.spawn(*robot, self.here(owner).parse().expect("a player's id")).await;
        }
        if let Some(robot) = exchange.destroyed {
            assert_eq!(self.bench.ask(delete(format!("/robots/{robot}"))).await.status, 204);
        }
        let mut answer = Box::pin(self.bench.ask(self.request(exchange)));
        if exchange.answer_after > 0 {
            assert!(futures::poll!(&mut answer).is_pending(), "{}: nothing is waited for", exchange.note);
            self.pass(exchange.answer_after).await;
        }
        answer.await
    }

    fn request(&self, exchange: &Exchange) -> TestRequest {
        let method = Method::from_bytes(exchange.method.as_bytes()).expect("a method");
        let mut request = request(method, self.here(&exchange.path));
        if let Some(body) = &exchange.request {
            request = request.text(self.here(body));
        }
        if let Some(headers) = &exchange.headers {
            request = request.without(header::CONTENT_TYPE.as_str());
            for (name, value) in headers {
                request = request.header(name, value);
            }
        }
        request
    }

    async fn pass(&self, millis: u64) {
        for begin in (0..millis).step_by(usize::try_from(STEP_MILLIS).expect("a small number")) {
            self.bench.advance(STEP_MILLIS.min(millis - begin)).await;
        }
    }

    /// A recorded text in our ids.
    fn here(&self, text: &str) -> String {
        self.known.iter().fold(text.to_owned(), |text, (recorded, ours)| text.replace(recorded, ours))
    }

    /// What is not as it was recorded.
    fn compare(&mut self, exchange: &Exchange, reply: &Reply) -> Option<String> {
        if reply.status != exchange.status {
            let body = String::from_utf8_lossy(&reply.bytes);
            return Some(format!("{} instead of {}: {body}", reply.status, exchange.status));
        }
        let recorded = exchange.response.as_ref()?;
        let Ok(ours) = serde_json::from_slice(&reply.bytes) else { return Some("no JSON".to_owned()) };
        self.learn(recorded, &ours);
        let recorded = serde_json::from_str(&self.here(&recorded.to_string())).expect("still JSON");
        lacks(&recorded, &ours)
    }

    fn learn(&mut self, recorded: &Value, ours: &Value) {
        for name in IDS {
            let (Some(recorded), Some(ours)) = (recorded[name].as_str(), ours[name].as_str()) else {
                continue;
            };
            if !self.known.contains_key(recorded) {
                assert!(self.known.values().all(|id| id != ours), "{name} {ours} was given before");
                self.known.insert(recorded.to_owned(), ours.to_owned());
            }
        }
    }
}

/// The first thing that was recorded and is not in ours, which may have more. Lists have no order there.
fn lacks(recorded: &Value, ours: &Value) -> Option<String> {
    match (recorded, ours) {
        (Value::Object(recorded), Value::Object(_)) => recorded.iter().find_map(|(name, recorded)| {
            let complaint = lacks_field(name, recorded, ours.get(name))?;
            Some(format!("{name}: {complaint}"))
        }),
        (Value::Array(recorded), Value::Array(ours)) if recorded.len() == ours.len() => {
            let missing = |recorded: &&Value| ours.iter().all(|ours| lacks(recorded, ours).is_some());
            recorded.iter().find(missing).map(|recorded| format!("no {recorded} in {}", json!(ours)))
        }
        _ => (recorded != ours).then(|| format!("{ours} instead of {recorded}")),
    }
}

fn lacks_field(name: &str, recorded: &Value, ours: Option<&Value>) -> Option<String> {
    if SECRETS.contains(&name) {
        return ours.map(|_| "is a secret".to_owned());
    }
    let Some(ours) = ours else { return Some("is missing".to_owned()) };
    if CLOCKS.contains(&name) {
        return (recorded.is_number() != ours.is_number()).then(|| format!("{ours} instead of {recorded}"));
    }
    if name == "href" {
        return (path_of(recorded) != path_of(ours)).then(|| format!("{ours} instead of {recorded}"));
    }
    lacks(recorded, ours)
}

/// Where a link leads, whoever serves it.
fn path_of(link: &Value) -> Option<String> {
    let link: http::Uri = link.as_str()?.parse().ok()?;
    Some(link.path().to_owned())
}
