//! From the wire to what a bot is shown, and from its orders to commands.
//! Commands have the shape that the existing bots send.

use serde_json::{Value, json};
use starkeep_bot_core::{
    Amounts, Deposit, Direction, Levels, Neighbour, Order, OwnRobot, PlanetId, ResourceKind, RobotId,
    SeenPlanet, View,
};
use starkeep_contract::command::{CommandObject, CommandRequest, CommandType};
use starkeep_contract::map::{self, PlanetType, ResourceType};
use starkeep_contract::robot_service::Robot;
use starkeep_contract::view::GameView;
use starkeep_contract::{GameId, RobotId as SentRobotId};

/// None where robots or trading are another program's, which does not tell what a bot needs to know.
pub(super) fn view(shown: &GameView, last_round: u32) -> Option<View> {
    let prices = shown.prices.as_ref()?;
    Some(View {
        round: shown.round_number,
        // It may have been raised meanwhile.
        last_round: last_round.max(shown.round_number),
        money: shown.money?,
        prices: [prices.coal, prices.iron, prices.gem, prices.gold, prices.platin],
        robots: shown.robots.as_ref()?.iter().map(robot).collect::<Option<_>>()?,
        planets: shown.planets.as_ref()?.iter().map(planet).collect(),
    })
}

/// None if it has levels that no rule of ours knows.
fn robot(shown: &Robot) -> Option<OwnRobot> {
    let held = &shown.inventory;
    Some(OwnRobot {
        id: RobotId(shown.id.0),
        planet: PlanetId(shown.planet.0),
        health: shown.health,
        energy: shown.energy,
        levels: Levels::new([
            shown.storage_level,
            shown.health_level,
            shown.damage_level,
            shown.mining_speed_level,
            shown.mining_level,
            shown.energy_level,
            shown.energy_regen_level,
        ])?,
        cargo: Amounts::new([
            held.stored_coal,
            held.stored_iron,
            held.stored_gem,
            held.stored_gold,
            held.stored_platin,
        ]),
    })
}

fn planet(shown: &map::Planet) -> SeenPlanet {
    SeenPlanet {
        id: PlanetId(shown.id.0),
        movement_difficulty: shown.movement_difficulty.into(),
        is_station: shown.planet_type == PlanetType::Spacestation,
        deposit: shown.resource.as_ref().map(|resource| Deposit {
            kind: kind(resource.resource_type),
            amount: u64::try_from(resource.current_amount).unwrap_or(0),
        }),
        neighbours: shown.neighbours.iter().map(neighbour).collect(),
    }
}

fn kind(shown: ResourceType) -> ResourceKind {
    match shown {
        ResourceType::Coal => ResourceKind::Coal,
        ResourceType::Iron => ResourceKind::Iron,
        ResourceType::Gem => ResourceKind::Gem,
        ResourceType::Gold => ResourceKind::Gold,
        ResourceType::Platin => ResourceKind::Platin,
    }
}

fn neighbour(shown: &map::Neighbour) -> Neighbour {
    Neighbour {
        planet: PlanetId(shown.planet_id.0),
        movement_difficulty: shown.movement_difficulty.into(),
        direction: match shown.direction {
            map::Direction::North => Direction::North,
            map::Direction::East => Direction::East,
            map::Direction::South => Direction::South,
            map::Direction::West => Direction::West,
        },
    }
}

pub(super) fn command(game: GameId, token: &str, order: &Order) -> CommandRequest {
    let (kind, details) = details(order);
    let details = CommandObject { command_type: Some(kind), ..details };
    CommandRequest {
        game_id: json!(game),
        player_token: json!(token),
        robot_id: order.robot().map_or(Value::Null, |robot| json!(robot.0)),
        command_type: json!(kind),
        command_object: json!(details),
        ..CommandRequest::default()
    }
}

fn details(order: &Order) -> (CommandType, CommandObject) {
    let nothing = CommandObject::default();
    match order {
        Order::BuyRobots { amount } => {
            let item_name = Some("ROBOT".to_owned());
            (CommandType::Buying, CommandObject { item_name, item_quantity: Some(*amount), ..nothing })
        }
        Order::BuyItem { planet, item, .. } => {
            let (item_name, planet_id) = (Some(item.name()), Some(planet.to_string()));
            (CommandType::Buying, CommandObject { item_name, planet_id, item_quantity: Some(1), ..nothing })
        }
        Order::Sell { planet, .. } => {
            (CommandType::Selling, CommandObject { planet_id: Some(planet.to_string()), ..nothing })
        }
        Order::Move { target, .. } => {
            (CommandType::Movement, CommandObject { planet_id: Some(target.to_string()), ..nothing })
        }
        Order::Attack { target, .. } => {
            (CommandType::Battle, CommandObject { target_id: Some(SentRobotId(target.0)), ..nothing })
        }
        Order::Mine { .. } => (CommandType::Mining, nothing),
        Order::Regenerate { .. } => (CommandType::Regeneration, nothing),
    }
}
