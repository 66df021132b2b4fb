//! What the services that carry commands out take for a batch, as strictly as the real ones do, and how they answer.
//! Who listens, and when an answer comes, is in `executors`.

use serde_json::Value;
use starkeep_contract::command::CommandType;
use uuid::Uuid;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    Trading,
    Robots,
}

/// What a batch is about, and the transaction ids of its commands.
pub(crate) type Batch = (CommandType, Vec<Uuid>);

impl Service {
    /// None where the real one would turn it down.
    pub(crate) fn read(self, body: &Value) -> Option<Batch> {
        let commands: Option<Vec<_>> = match self {
            Self::Trading => body.as_array()?.iter().map(trade).collect(),
            Self::Robots => body["commands"].as_array()?.iter().map(sentence).collect(),
        };
        let (kinds, ids): (Vec<_>, Vec<_>) = commands?.into_iter().unzip();
        let kind = *kinds.first()?;
        kinds.iter().all(|other| *other == kind).then_some((kind, ids))
    }

    /// An empty text; and one that is called JSON and is none.
    pub(crate) fn consent(self) -> &'static str {
        match self {
            Self::Trading => "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
            Self::Robots => {
                "HTTP/1.1 202 Accepted\r\nConnection: close\r\nContent-Type: application/json\r\n\
                 Content-Length: 22\r\n\r\nCommand batch accepted"
            }
        }
    }

    pub(crate) fn refusal(self) -> &'static str {
        match self {
            Self::Trading => BREAKDOWN,
            Self::Robots => "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        }
    }
}

/// Neither of the real ones has a `/health`.
pub(crate) const NOT_FOUND: &str = "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

pub(crate) const BREAKDOWN: &str =
    "HTTP/1.1 500 Internal Server Error\r\nConnection: close\r\nContent-Length: 5\r\n\r\nOops!";

fn trade(command: &Value) -> Option<(CommandType, Uuid)> {
    let payload = &command["payload"];
    uuid(&command["playerId"])?;
    if !payload["robotId"].is_null() {
        uuid(&payload["robotId"])?;
    }
    let kind = match payload["commandType"].as_str()? {
        "sell" => CommandType::Selling,
        "buy" => {
            payload["itemName"].as_str()?;
            payload["amount"].as_u64()?;
            CommandType::Buying
        }
        _ => return None,
    };
    Some((kind, uuid(&command["transactionId"])?))
}

fn sentence(command: &Value) -> Option<(CommandType, Uuid)> {
    let words: Vec<_> = command.as_str()?.split(' ').collect();
    let (kind, ids) = match words.split_first()? {
        (&"move", ids @ [_, _, _]) => (CommandType::Movement, ids),
        (&"fight", ids @ [_, _, _]) => (CommandType::Battle, ids),
        (&"mine", ids @ [_, _]) => (CommandType::Mining, ids),
        (&"regenerate", ids @ [_, _]) => (CommandType::Regeneration, ids),
        _ => return None,
    };
    let ids: Result<Vec<_>, _> = ids.iter().map(|id| Uuid::try_parse(id)).collect();
    Some((kind, *ids.ok()?.last()?))
}

fn uuid(value: &Value) -> Option<Uuid> {
    Uuid::try_parse(value.as_str()?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ID: Uuid = Uuid::from_u128(1);

    fn trade_of(payload: &Value) -> Value {
        json!({ "transactionId": ID, "playerId": ID, "payload": payload })
    }

    #[test]
    fn what_the_real_ones_take_is_taken_and_what_they_turn_down_is_turned_down() {
        let sale =
            trade_of(&json!({ "commandType": "sell", "robotId": ID, "amount": null, "itemName": null }));
        let purchase =
            trade_of(&json!({ "commandType": "buy", "robotId": null, "amount": 2, "itemName": "A" }));
        let nameless = trade_of(&json!({ "commandType": "buy", "amount": 2, "itemName": null }));
        let uncounted = trade_of(&json!({ "commandType": "buy", "amount": 0.5, "itemName": "A" }));
        let gift = trade_of(&json!({ "commandType": "give", "amount": 1, "itemName": "A" }));
        let [mine, movement] = [format!("mine {ID} {ID}"), format!("move {ID} {ID} {ID}")];
        let taken = [
            (Service::Trading, json!([sale]), CommandType::Selling),
            (Service::Trading, json!([purchase]), CommandType::Buying),
            (Service::Robots, json!({ "commands": [movement] }), CommandType::Movement),
            (Service::Robots, json!({ "commands": [format!("fight {ID} {ID} {ID}")] }), CommandType::Battle),
            (Service::Robots, json!({ "commands": [mine] }), CommandType::Mining),
            (
                Service::Robots,
                json!({ "commands": [format!("regenerate {ID} {ID}")] }),
                CommandType::Regeneration,
            ),
        ];
        for (service, body, kind) in taken {
            assert_eq!(service.read(&body), Some((kind, vec![ID])), "{body}");
        }
        let turned_down = [
            (Service::Trading, json!([sale, purchase])),
            (Service::Trading, json!([nameless])),
            (Service::Trading, json!([uncounted])),
            (Service::Trading, json!([gift])),
            (Service::Trading, json!({ "commands": [] })),
            (Service::Robots, json!({ "commands": [mine, movement] })),
            (Service::Robots, json!({ "commands": [format!("mine {ID}")] })),
            (Service::Robots, json!({ "commands": [format!("mine {ID} me")] })),
            (Service::Robots, json!({ "commands": [format!("dance {ID} {ID}")] })),
            (Service::Robots, json!([mine])),
        ];
        for (service, body) in turned_down {
            assert_eq!(service.read(&body), None, "{body}");
        }
    }
}
