//! An event of the watched game as a plain sentence; none for those that say nothing new to a watcher.

use serde_json::Value;
use starkeep_contract::events::{Channel, PublishedEvent};

use super::model::Model;
use crate::names::id;
use crate::paint::harmless;

pub(super) fn of(model: &mut Model, event: &PublishedEvent) -> Option<String> {
    let payload = &event.payload;
    let text = |key: &str| payload[key].as_str();
    let number = |key: &str| payload[key].as_i64();
    learn(model, event);
    let by = who(model, event);
    let planet = || Some(model.names.planet(id(&payload["planet_id"])?));
    let sentence = match event.channel {
        Channel::Status => format!("the game is {}", text("status")?),
        Channel::PlayerStatus => format!("{} joined", text("name")?),
        Channel::RoundStatus => match text("roundStatus")? {
            "command input ended" => return None,
            word => format!("round {} {word}", number("roundNumber")?),
        },
        Channel::GameClock => format!("clock: {}", text("change")?),
        Channel::ResourceMined => {
            // Robots that mine the same planet in a round share one mining, which names none of them.
            let is_shared = payload["robot_id"].is_null();
            let by = if is_shared { "several robots".to_owned() } else { by };
            let by = owner(model, &payload["robot_id"]).unwrap_or(by);
            let (amount, kind) = (number("amount_mined")?, text("resource_type")?);
            format!("{by} mined {amount} {kind} on {}", planet()?)
        }
        Channel::ResourceReplenished => {
            format!("{} was replenished on {}", text("resource_type")?, planet()?)
        }
        Channel::SpawnNotification => format!("{} has a new robot", owner(model, &payload["robotId"])?),
        Channel::Movement if is_success(payload) => format!("{by} moved a robot"),
        Channel::Regeneration if is_success(payload) => format!("{by} let a robot regenerate"),
        Channel::Movement | Channel::Regeneration | Channel::Mining if !is_success(payload) => {
            format!("{by} failed: {}", text("message")?)
        }
        Channel::Fighting if is_success(payload) => {
            let (attacker, defender) =
                (owner(model, &payload["attacker"]), owner(model, &payload["defender"]));
            format!(
                "{} attacked {}",
                attacker.unwrap_or(by),
                defender.unwrap_or_else(|| "a robot".to_owned())
            )
        }
        Channel::RobotDestroyed => format!("{} lost a robot", owner(model, &payload["robotId"])?),
        Channel::Trades => {
            let money = number("moneyChangedBy")?;
            match event.headers.r#type.as_str() {
                "sell-resource" => format!("{by} sold resources for {money}"),
                "buy-robot" => format!("{by} bought robots for {}", -money),
                "buy-item" => format!("{by} bought an upgrade for {}", -money),
                _ => format!("{by} failed to trade: {}", text("message")?),
            }
        }
        _ => return None,
    };
    Some(harmless(&sentence))
}

fn is_success(payload: &Value) -> bool {
    payload["success"] == true
}

/// Names and owners that the event tells.
fn learn(model: &mut Model, event: &PublishedEvent) {
    let payload = &event.payload;
    match (event.channel, id(&payload["playerId"])) {
        (Channel::PlayerStatus, Some(player)) => {
            model.names.learn_player(player, payload["name"].as_str().unwrap_or_default());
        }
        (Channel::SpawnNotification, Some(player)) => {
            if let Some(robot) = id(&payload["robotId"]) {
                model.robots.insert(robot, player);
            }
        }
        _ => {}
    }
}

/// Who did it; players are told to hosts only while a game lasts.
fn who(model: &Model, event: &PublishedEvent) -> String {
    let player = event.about.player_id.or_else(|| model.robots.get(&event.about.robot_id?).copied());
    player.map_or_else(|| "somebody".to_owned(), |player| model.names.player(player))
}

fn owner(model: &Model, robot: &Value) -> Option<String> {
    Some(model.names.player(*model.robots.get(&id(robot)?)?))
}
