//! What a player asks for, in both shapes that bots send, made sense of field by field.
//! Which fields a command needs depends on its type; all others are ignored, whatever stands in them.

use serde_json::Value;
use starkeep_contract::command::{CommandRequest, CommandType};
use starkeep_contract::did_you_mean::suggestion;
use starkeep_contract::found::found;
use starkeep_contract::{Code, Problem};
use starkeep_game_core::{GameId, Kind, Order, PlayerId, RobotId, Upgrade};
use uuid::Uuid;

use super::commands::ROBOT;

/// In characters.
const LONGEST_TEXT: usize = 255;

/// What a request says, before anybody has looked who sent it.
pub(crate) struct ParsedCommand {
    pub(crate) token: Option<String>,
    pub(crate) player: Option<PlayerId>,
    pub(crate) game: Option<GameId>,
    pub(crate) order: Order,
}

impl ParsedCommand {
    pub(crate) fn read(request: &CommandRequest) -> Result<Self, Problem> {
        let kind = kind_of(request)?;
        Ok(Self {
            order: order(kind, &Details::of(request)?)?,
            token: text(&request.player_token, "playerToken")?.map(str::to_owned),
            player: uuid(&request.player_id, "playerId")?.map(PlayerId),
            game: uuid(&request.game_id, "gameId")?.map(GameId),
        })
    }

    /// One of many: nothing but an object is a command.
    pub(crate) fn read_one(element: Value) -> Result<Self, Problem> {
        if !element.is_object() {
            return Err(unexpected("body", "an object", &element));
        }
        let request = serde_json::from_value::<CommandRequest>(element);
        Self::read(&request.map_err(|_| refuse("body", "expected a command"))?)
    }
}

/// What a request says beside the type, wherever it stands.
struct Details<'a> {
    robot: &'a Value,
    object: &'a Value,
}

impl<'a> Details<'a> {
    fn of(request: &'a CommandRequest) -> Result<Self, Problem> {
        let (name, object) = either([("commandObject", &request.command_object), ("data", &request.data)])?;
        if !object.is_object() && !is_absent(object) {
            return Err(unexpected(name, "an object", object));
        }
        let beside = &request.robot_id;
        Ok(Self { robot: if is_absent(beside) { &object["robotId"] } else { beside }, object })
    }

    fn robot(&self) -> Result<RobotId, Problem> {
        needed(uuid(self.robot, "robotId")?, "robotId").map(RobotId)
    }

    /// Only a robot is bought without one: another item may have been meant to be that.
    fn robot_for(&self, item: &str) -> Result<RobotId, Problem> {
        if is_absent(self.robot) && !items().any(|known| known == item) {
            let known: Vec<_> = items().collect();
            let hint = suggestion(item, known.iter().map(String::as_str));
            return Err(refuse("itemName", &format!("no item of this name is sold{hint}")));
        }
        self.robot()
    }

    fn planet(&self) -> Result<Option<String>, Problem> {
        short_text(&self.object["planetId"], "planetId")
    }

    fn item(&self) -> Result<Option<String>, Problem> {
        short_text(&self.object["itemName"], "itemName")
    }

    fn quantity(&self) -> Result<u32, Problem> {
        let quantity = &self.object["itemQuantity"];
        if is_absent(quantity) {
            return Ok(1);
        }
        let number = quantity.as_u64().and_then(|number| u32::try_from(number).ok());
        match number {
            Some(0) => Ok(1),
            Some(number @ 1..=1000) => Ok(number),
            _ => Err(unexpected("itemQuantity", "a whole number from 1 to 1000", quantity)),
        }
    }
}

/// What a robot can be given, and robots: as the built-in trading service sells them, and the existing one.
fn items() -> impl Iterator<Item = String> {
    let levels = |of: Upgrade| (1..=of.highest()).map(move |level| format!("{}_{level}", of.as_str()));
    let upgrades = Upgrade::ALL.into_iter().flat_map(levels);
    [ROBOT, "HEALTH", "ENERGY"].into_iter().map(str::to_owned).chain(upgrades)
}

fn order(kind: Kind, details: &Details<'_>) -> Result<Order, Problem> {
    Ok(match kind {
        Kind::Selling => {
            Order::Sell { robot: details.robot()?, item: details.item()?, planet: details.planet()? }
        }
        Kind::Buying => {
            let (item, planet) = (needed(details.item()?, "itemName")?, details.planet()?);
            if item == ROBOT {
                Order::BuyRobots { quantity: details.quantity()?, planet }
            } else {
                Order::Buy { robot: details.robot_for(&item)?, item, planet }
            }
        }
        Kind::Movement => {
            let robot = details.robot()?;
            Order::Move { robot, planet: needed(uuid(&details.object["planetId"], "planetId")?, "planetId")? }
        }
        Kind::Battle => {
            let robot = details.robot()?;
            let target = needed(uuid(&details.object["targetId"], "targetId")?, "targetId")?;
            Order::Fight { robot, target: RobotId(target) }
        }
        Kind::Mining => Order::Mine { robot: details.robot()? },
        Kind::Regeneration => Order::Regenerate { robot: details.robot()? },
    })
}

fn kind_of(request: &CommandRequest) -> Result<Kind, Problem> {
    let (name, value) = either([("commandType", &request.command_type), ("type", &request.r#type)])?;
    let word = needed(text(value, name)?, name)?;
    let known = CommandType::ALL.into_iter().find(|known| known.name() == word);
    match (known, word) {
        (Some(known), _) => Ok(kind(known)),
        // As the newer bots spell it.
        (None, "regenerate") => Ok(Kind::Regeneration),
        (None, _) => {
            let known = CommandType::ALL.map(CommandType::name);
            let hint = suggestion(word, known);
            Err(refuse(name, &format!("expected one of {}{hint}", known.join(", "))))
        }
    }
}

/// The same field in the two shapes: one of them may be absent, and two that differ would leave open which is meant.
fn either<'a>(named: [(&'static str, &'a Value); 2]) -> Result<(&'static str, &'a Value), Problem> {
    let mut present = named.into_iter().filter(|(_, value)| !is_absent(value));
    match (present.next(), present.next()) {
        (Some((first, one)), Some((second, other))) if meant(one) != meant(other) => {
            let text = format!("differs from `{first}`, which means the same; send only one of both");
            Err(refuse(second, &text))
        }
        (first, _) => Ok(first.unwrap_or(named[0])),
    }
}

/// Without what is absent, and without the type among the details, which is not looked at.
fn meant(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let told = fields.iter().filter(|(name, value)| *name != "commandType" && !is_absent(value));
            told.map(|(name, value)| (name.clone(), value.clone())).collect()
        }
        // As the newer bots spell it.
        Value::String(word) if word == "regenerate" => "regeneration".into(),
        other => other.clone(),
    }
}

/// An empty text stands for nothing.
fn is_absent(value: &Value) -> bool {
    value.is_null() || value.as_str() == Some("")
}

fn text<'a>(value: &'a Value, name: &str) -> Result<Option<&'a str>, Problem> {
    match value {
        value if is_absent(value) => Ok(None),
        Value::String(text) => Ok(Some(text)),
        other => Err(unexpected(name, "text", other)),
    }
}

fn short_text(value: &Value, name: &str) -> Result<Option<String>, Problem> {
    let text = text(value, name)?;
    if text.is_some_and(|text| text.chars().count() > LONGEST_TEXT) {
        return Err(refuse(name, &format!("expected text of at most {LONGEST_TEXT} characters")));
    }
    Ok(text.map(str::to_owned))
}

fn uuid(value: &Value, name: &str) -> Result<Option<Uuid>, Problem> {
    if is_absent(value) {
        return Ok(None);
    }
    let uuid = value.as_str().and_then(|text| Uuid::try_parse(text).ok());
    uuid.map(Some).ok_or_else(|| unexpected(name, "a UUID", value))
}

fn needed<T>(value: Option<T>, name: &str) -> Result<T, Problem> {
    value.ok_or_else(|| refuse(name, "this command needs it"))
}

fn unexpected(name: &str, expected: &str, value: &Value) -> Problem {
    let found = if expected == "a UUID" && value.is_string() { "another text" } else { &*found(value) };
    refuse(name, &format!("expected {expected}, found {found}"))
}

/// What stands in a field is not repeated: it may be a secret in the wrong place.
fn refuse(name: &str, expectation: &str) -> Problem {
    Problem::new(Code::InvalidField, format!("`{name}`: {expectation}")).at_field(name)
}

fn kind(word: CommandType) -> Kind {
    match word {
        CommandType::Selling => Kind::Selling,
        CommandType::Buying => Kind::Buying,
        CommandType::Movement => Kind::Movement,
        CommandType::Battle => Kind::Battle,
        CommandType::Mining => Kind::Mining,
        CommandType::Regeneration => Kind::Regeneration,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(body: Value) -> Result<(), (Option<String>, String)> {
        let read = ParsedCommand::read_one(body);
        read.map(|_| ()).map_err(|problem| (problem.field, problem.detail))
    }

    #[test]
    fn both_shapes_beside_each_other_have_to_say_the_same() {
        let planet = json!({ "planetId": Uuid::from_u128(1) });
        let other = json!({ "planetId": Uuid::from_u128(2) });
        let robot = Uuid::from_u128(3);
        let command = |kind: &str, kind_2: Value, details: &Value, details_2: Value| json!({ "robotId": robot, "commandType": kind, "type": kind_2, "commandObject": details, "data": details_2 });
        for same in [
            command("movement", json!("movement"), &planet, planet.clone()),
            command("movement", json!(""), &planet, json!(null)),
            command(
                "movement",
                json!(null),
                &json!({ "planetId": planet["planetId"], "commandType": "mining" }),
                planet.clone(),
            ),
            command("regeneration", json!("regenerate"), &json!({}), json!({ "targetId": null })),
        ] {
            assert_eq!(read(same.clone()), Ok(()), "{same}");
        }
        for (differing, names) in [
            (command("movement", json!("mining"), &planet, planet.clone()), ["type", "commandType"]),
            (command("movement", json!("movement"), &planet, other), ["data", "commandObject"]),
        ] {
            let (field, detail) = read(differing).unwrap_err();
            assert_eq!(field.as_deref(), Some(names[0]));
            assert!(names.iter().all(|name| detail.contains(&format!("`{name}`"))), "{detail}");
        }
    }
}
