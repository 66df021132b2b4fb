//! What comes out of the two services, in one form for the recording and for ours: events by their channel, calls by who makes
//! them, and the answer to the game. Ids of events and times are left out.

use serde_json::{Value, json};

/// Where the answer to a batch stands among the outputs.
pub(crate) const ANSWER: &str = "answer";
pub(crate) const TRADING_TO_ROBOT: &str = "trading to robot";
pub(crate) const ROBOT_TO_MAP: &str = "robot to map";

/// Their events belong to no command, so that their transaction is drawn.
const DRAWN_TRANSACTIONS: [&str; 2] = ["current-item-prices", "current-resource-prices"];

/// An object: each output stands in the array of where it came out, in the order in which it came out there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outputs(pub(crate) Value);

impl Outputs {
    pub(crate) fn none() -> Self {
        Self(json!({}))
    }

    pub(crate) fn add(&mut self, place: &str, output: Value) {
        let all = self.0.as_object_mut().unwrap();
        all.entry(place).or_insert_with(|| json!([])).as_array_mut().unwrap().push(output);
    }

    pub(crate) fn of(&self, place: &str) -> &[Value] {
        self.0.get(place).map_or(&[], |outputs| outputs.as_array().unwrap())
    }

    /// Sets what stands at the pointer, or removes it. Whether that is another output than before.
    pub(crate) fn edit(&mut self, pointer: &str, value: Option<Value>) -> bool {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        match (self.0.pointer_mut(parent), value) {
            (Some(Value::Object(fields)), Some(value)) => {
                fields.insert(name.to_owned(), value.clone()) != Some(value)
            }
            (Some(Value::Object(fields)), None) => fields.remove(name).is_some(),
            (Some(Value::Array(elements)), value) => {
                let Some(place) = name.parse().ok().filter(|place| *place < elements.len()) else {
                    return false;
                };
                let before = elements.remove(place);
                value.is_none_or(|value| {
                    elements.insert(place, value.clone());
                    before != value
                })
            }
            _ => false,
        }
    }
}

pub(crate) fn event(channel: &str, headers: &Value, payload: &Value) -> Value {
    let mut transaction = headers["transactionId"].clone();
    if DRAWN_TRANSACTIONS.contains(&channel) {
        let id: Result<uuid::Uuid, _> = transaction.as_str().unwrap().parse();
        transaction = json!(id.map(|_| "drawn").unwrap());
    }
    json!({
        "type": headers["type"], "version": headers["version"], "transactionId": transaction, "payload": payload,
    })
}

/// A request of one service to another, and its answer.
pub(crate) fn call(method: &str, path: &str, request: &str, status: u16, response: &str) -> Value {
    json!({
        "method": method, "path": path, "request": content(request), "status": status, "response": content(response),
    })
}

pub(crate) fn answer(status: u16, text: &str) -> Value {
    json!({ "status": status, "text": text })
}

/// JSON where it is some.
fn content(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}
