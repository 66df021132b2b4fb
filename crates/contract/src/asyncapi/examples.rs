//! An example of each channel's payload, and when it is published.

use serde_json::{Map, Value};
use uuid::Uuid;

use super::{ChannelPayload, telling, telling_all};
use crate::events::{
    Channel, GameClockChange, GameClockChanged, GameStatusChanged, GameStatusWord, GameworldCreated,
    PlayerJoined, ResourceMined, ResourceReplenished, RoundStatusChanged, RoundStatusWord,
    SpacestationCreated,
};
use crate::game::Phase;
use crate::game_roster::{GameRosterChange, GameRosterChanged};
use crate::map::{ResourceType, WorldStatus};
use crate::robot_events::{
    FightingEvent, MiningEvent, MovementEvent, NeighboursEvent, ReachedPlanet, RegenerationEvent,
    ResourceDistributionEvent, RobotDestroyedEvent, RobotSpawnedEvent, SeenNeighbour,
};
use crate::scores::{PlayerScore, RoundScores};
use crate::trading_events::{BankCreatedEvent, TradeEvent};
use crate::trading_service::Price;
use crate::{DepositId, Dialect, GameId, PlanetId, PlayerId, RobotId, RoundId, TransactionId, WorldId};

pub(super) fn payload_of(channel: Channel, schemas: &mut Map<String, Value>) -> ChannelPayload {
    let id = |number: u128| Uuid::from_u128(0x5eed_0000_0000_4000_8000_0000_0000_0000 | number);
    let (game_id, planet_id, resource_id) = (GameId(id(1)), PlanetId(id(2)), DepositId(id(3)));
    let (world_id, player_id, robot_id) = (WorldId(id(6)), PlayerId(id(4)), RobotId(id(8)));
    let resource_type = ResourceType::Coal;
    match channel {
        Channel::Status => telling(
            "A game was created, started or ended.",
            &GameStatusChanged { game_id, status: GameStatusWord::Created },
            schemas,
        ),
        Channel::PlayerStatus => {
            telling("A player joined a game.", &PlayerJoined { player_id, name: "ada".to_owned() }, schemas)
        }
        Channel::RoundStatus => telling(
            "A round started, its command input ended, or it ended.",
            &RoundStatusChanged {
                game_id,
                round_id: RoundId(id(5)),
                round_number: 1,
                round_status: RoundStatusWord::CommandInputEnded,
            },
            schemas,
        ),
        Channel::GameClock => telling(
            "A game was paused, resumed, stepped, or given another pace.",
            &GameClockChanged {
                game_id,
                change: GameClockChange::Paused,
                round_number: 1,
                phase: Some(Phase::Collection),
                remaining_millis: Some(30_000),
            },
            schemas,
        ),
        Channel::GameRoster => telling(
            "A player joined a game or left it; a game started, ended or was deleted.",
            &GameRosterChanged {
                game_id,
                change: GameRosterChange::Joined,
                player_id: Some(player_id),
                gameworld_id: None,
                start_money: Some(200),
            },
            schemas,
        ),
        Channel::Scores => telling(
            "A round has ended: how the players stand.",
            &RoundScores {
                game_id,
                round_number: 1,
                players: vec![PlayerScore {
                    player_id,
                    money: Some(100),
                    robots_alive: Some(1),
                    mined: Some(4),
                    fights_won: Some(0),
                }],
            },
            schemas,
        ),
        Channel::GameworldCreated => telling(
            "A gameworld was created.",
            &GameworldCreated {
                id: world_id,
                spacestation_ids: vec![planet_id],
                status: WorldStatus::Active,
            },
            schemas,
        ),
        Channel::SpacestationCreated => {
            telling("A planet is a space station.", &SpacestationCreated { planet_id }, schemas)
        }
        Channel::ResourceMined => telling(
            "Something was mined.",
            &ResourceMined {
                planet_id,
                resource_id,
                resource_type,
                amount_mined: 25,
                amount_left: 9975,
                transaction_id: Some(TransactionId(id(7))),
                robot_id: Some(robot_id),
            },
            schemas,
        ),
        Channel::ResourceReplenished => telling(
            "A deposit was filled up, or a new one appeared.",
            &ResourceReplenished::spoken(Dialect::Standard, planet_id, resource_id, resource_type),
            schemas,
        ),
        Channel::SpawnNotification => telling(
            "A robot was spawned.",
            &RobotSpawnedEvent { robot_id, player_id, other_seeable_robots: vec![] },
            schemas,
        ),
        Channel::Neighbours => telling(
            "What a robot that was spawned or has moved sees around it.",
            &NeighboursEvent {
                neighbours: vec![SeenNeighbour {
                    planet_id,
                    movement_difficulty: 2,
                    direction: "east".to_owned(),
                }],
            },
            schemas,
        ),
        Channel::Movement => telling(
            "A robot has moved, or could not.",
            &MovementEvent {
                success: true,
                message: "Movement successful".to_owned(),
                remaining_energy: Some(18),
                planet: Some(ReachedPlanet {
                    planet_id,
                    movement_difficulty: 2,
                    planet_type: "DEFAULT".to_owned(),
                    resource_type: Some("coal".to_owned()),
                }),
                robots: vec![robot_id],
            },
            schemas,
        ),
        Channel::Mining => telling(
            "A robot has mined, or could not.",
            &MiningEvent {
                success: true,
                message: format!("Robot {robot_id} mined successfully"),
                remaining_energy: Some(18),
                updated_inventory: 4,
                resource_type: "coal".to_owned(),
            },
            schemas,
        ),
        Channel::Regeneration => telling(
            "A robot has regenerated, or could not.",
            &RegenerationEvent {
                success: true,
                message: "Robot regenerated 4 energy".to_owned(),
                remaining_energy: Some(20),
            },
            schemas,
        ),
        Channel::Fighting => telling(
            "A robot has attacked another one, or could not.",
            &FightingEvent {
                success: true,
                message: "Attacking successful".to_owned(),
                attacker: Some(robot_id),
                defender: Some(RobotId(id(9))),
                remaining_defender_health: Some(9),
                remaining_energy: Some(19),
            },
            schemas,
        ),
        Channel::RobotDestroyed => {
            telling("A robot was destroyed.", &RobotDestroyedEvent { robot_id, player_id }, schemas)
        }
        Channel::ResourceDistribution => telling(
            "What a robot holds after the loot of its planet was shared out.",
            &ResourceDistributionEvent { robot_id, coal: 3, iron: 0, gem: 0, gold: 0, platin: 0 },
            schemas,
        ),
        Channel::BankCreated => {
            telling("A player has an account.", &BankCreatedEvent { money: 200, player_id }, schemas)
        }
        Channel::Trades => telling(
            "Something was bought or sold, or could not be; the `type` says which.",
            &TradeEvent {
                data: None,
                success: true,
                message: format!("robot {robot_id} energy restored"),
                money_changed_by: -75,
            },
            schemas,
        ),
        Channel::CurrentItemPrices => telling_all(
            "The prices of special items in the round that has started.",
            &[Price { price: 40, name: "ROCKET".to_owned() }],
            schemas,
        ),
        Channel::CurrentResourcePrices => telling_all(
            "The prices of resources in the round that has started.",
            &[Price { price: 5, name: "coal".to_owned() }],
            schemas,
        ),
    }
}
