//! What a player without a plan orders its robots to do, from what it sees: whatever is drawn, of all kinds of commands.

use serde_json::{Value, json};
use starkeep_contract::command::CommandType;
use starkeep_fault_harness::Chance;

pub fn buy_robots(quantity: u32) -> Value {
    json!({ "commandType": "buying", "commandObject": { "itemName": "ROBOT", "itemQuantity": quantity } })
}

pub fn order(kind: CommandType, robot: &Value, details: &Value) -> Value {
    json!({ "commandType": kind, "robotId": robot["id"], "commandObject": details })
}

/// One for each robot, and perhaps one more robot.
pub fn drawn_orders(view: &Value, chance: &mut Chance) -> Vec<Value> {
    let list = |name: &str| view[name].as_array().map(Vec::as_slice).unwrap_or_default();
    let (robots, planets) = (list("robots"), list("planets"));
    let mut orders: Vec<_> =
        robots.iter().filter_map(|robot| drawn_order(robot, robots, planets, chance)).collect();
    if view["money"].as_u64().is_some_and(|money| money >= 100) && chance.one_in(2) {
        orders.push(buy_robots(1));
    }
    orders
}

fn drawn_order(robot: &Value, robots: &[Value], planets: &[Value], chance: &mut Chance) -> Option<Value> {
    let here = planets.iter().find(|planet| planet["id"] == robot["planet"])?;
    Some(match chance.draw(&(0..=5)) {
        0 => order(CommandType::Selling, robot, &json!({ "planetId": here["id"] })),
        1 | 2 => order(CommandType::Mining, robot, &json!({})),
        3 => order(CommandType::Regeneration, robot, &json!({})),
        4 => order(CommandType::Battle, robot, &json!({ "targetId": chance.pick(robots)["id"] })),
        _ => {
            let neighbours = here["neighbours"].as_array().filter(|neighbours| !neighbours.is_empty())?;
            let target = &chance.pick(neighbours)["planet_id"];
            order(CommandType::Movement, robot, &json!({ "planetId": target }))
        }
    })
}
