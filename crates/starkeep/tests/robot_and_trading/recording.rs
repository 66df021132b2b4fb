//! The recorded games of the existing services, as steps: what they heard or were asked, and what came of it.
//! `tests/fixtures/README.md` says where the lines are from and what was changed.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::outputs::{ANSWER, Outputs, answer, call, event};

const RECORDED: &str = include_str!("../fixtures/robot-trading.jsonl");

/// An input has a note, which no other one has; an output stands after the input that caused it.
#[derive(Deserialize)]
struct Line {
    note: Option<String>,
    #[serde(flatten)]
    content: Content,
}

#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Content {
    Record(Record),
    Exchange(Exchange),
}

#[derive(Clone, Deserialize)]
pub(crate) struct Record {
    pub(crate) topic: String,
    pub(crate) headers: Value,
    pub(crate) value: String,
}

#[derive(Clone, Deserialize)]
pub(crate) struct Exchange {
    from: String,
    pub(crate) to: String,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) request: String,
    status: u16,
    response: String,
}

pub(crate) struct Step {
    pub(crate) note: String,
    pub(crate) input: Content,
    pub(crate) outputs: Outputs,
}

pub(crate) fn steps() -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for Line { note, content } in lines() {
        let Some(note) = note else {
            let step = steps.last_mut().expect("an output has a cause");
            step.add(&content);
            continue;
        };
        assert!(steps.iter().all(|step| step.note != note), "{note} stands there twice");
        let mut outputs = Outputs::none();
        if let Content::Exchange(exchange) = &content {
            outputs.add(ANSWER, answer(exchange.status, &exchange.response));
        }
        steps.push(Step { note, input: content, outputs });
    }
    steps
}

impl Step {
    fn add(&mut self, output: &Content) {
        match output {
            Content::Record(Record { topic, headers, value }) => {
                let payload = serde_json::from_str(value).unwrap();
                self.outputs.add(topic, event(topic, headers, &payload));
            }
            Content::Exchange(Exchange { from, to, method, path, request, status, response }) => {
                let made = call(method, path, request, *status, response);
                self.outputs.add(&format!("{from} to {to}"), made);
            }
        }
    }
}

/// The planets by their paths, each as the map showed it first.
pub(crate) fn planets() -> BTreeMap<String, Value> {
    let mut planets = BTreeMap::new();
    for line in lines() {
        if let Content::Exchange(Exchange { to, method, path, response, .. }) = line.content
            && to == "map"
            && method == "GET"
        {
            planets.entry(path).or_insert_with(|| serde_json::from_str(&response).unwrap());
        }
    }
    planets
}

fn lines() -> impl Iterator<Item = Line> {
    RECORDED.lines().map(|line| serde_json::from_str(line).expect("a line of the recording"))
}
