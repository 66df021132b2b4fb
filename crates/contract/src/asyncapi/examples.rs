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

const fn id(number: u128) -> Uuid {
    Uuid::from_u128(0x5eed_0000_0000_4000_8000_0000_0000_0000 | number)
}

const GAME: GameId = GameId(id(1));
const PLANET: PlanetId = PlanetId(id(2));
const DEPOSIT: DepositId = DepositId(id(3));
const PLAYER: PlayerId = PlayerId(id(4));
const WORLD: WorldId = WorldId(id(6));
const ROBOT: RobotId = RobotId(id(8));

pub(super) fn payload_of(channel: Channel, schemas: &mut Map<String, Value>) -> ChannelPayload {
    match channel {
        Channel::Status
        | Channel::PlayerStatus
        | Channel::RoundStatus
        | Channel::GameClock
        | Channel::GameRoster
        | Channel::Scores => of_game(channel, schemas),
        Channel::GameworldCreated
        | Channel::SpacestationCreated
        | Channel::ResourceMined
        | Channel::ResourceReplenished => of_map(channel, schemas),
        Channel::SpawnNotification
        | Channel::Neighbours
        | Channel::Movement
        | Channel::Mining
        | Channel::Regeneration
        | Channel::Fighting
        | Channel::RobotDestroyed
        | Channel::ResourceDistribution => of_robot(channel, schemas),
        Channel::BankCreated
        | Channel::Trades
        | Channel::CurrentItemPrices
        | Channel::CurrentResourcePrices => of_trading(channel, schemas),
    }
}

/// Of the game service.
fn of_game(channel: Channel, schemas: &mut Map<String, Value>) -> ChannelPayload {
    match channel {
        Channel::Status => telling(
            "A game was created, started or ended.",
            &GameStatusChanged { game_id: GAME, status: GameStatusWord::Created },
            schemas,
        ),
        Channel::PlayerStatus => telling(
            "A player joined a game.",
            &PlayerJoined { player_id: PLAYER, name: "ada".to_owned() },
            schemas,
        ),
        Channel::RoundStatus => telling(
            "A round started, its command input ended, or it ended.",
            &RoundStatusChanged {
                game_id: GAME,
                round_id: RoundId(id(5)),
                round_number: 1,
                round_status: RoundStatusWord::CommandInputEnded,
            },
            schemas,
        ),
        Channel::GameClock => telling(
            "A game was paused, resumed, stepped, or given another pace.",
            &GameClockChanged {
                game_id: GAME,
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
                game_id: GAME,
                change: GameRosterChange::Joined,
                player_id: Some(PLAYER),
                gameworld_id: None,
                start_money: Some(200),
            },
            schemas,
        ),
        _ => telling(
            "A round has ended: how the players stand.",
            &RoundScores {
                game_id: GAME,
                round_number: 1,
                players: vec![PlayerScore {
                    player_id: PLAYER,
                    money: Some(100),
                    robots_alive: Some(1),
                    mined: Some(4),
                    fights_won: Some(0),
                }],
            },
            schemas,
        ),
    }
}

/// Of the map service.
fn of_map(channel: Channel, schemas: &mut Map<String, Value>) -> ChannelPayload {
    match channel {
        Channel::GameworldCreated => telling(
            "A gameworld was created.",
            &GameworldCreated { id: WORLD, spacestation_ids: vec![PLANET], status: WorldStatus::Active },
            schemas,
        ),
        Channel::SpacestationCreated => {
            telling("A planet is a space station.", &SpacestationCreated { planet_id: PLANET }, schemas)
        }
        Channel::ResourceMined => telling(
            "Something was mined.",
            &ResourceMined {
                planet_id: PLANET,
                resource_id: DEPOSIT,
                resource_type: ResourceType::Coal,
                amount_mined: 25,
                amount_left: 9975,
                transaction_id: Some(TransactionId(id(7))),
                robot_id: Some(ROBOT),
            },
            schemas,
        ),
        _ => telling(
            "A deposit was filled up, or a new one appeared.",
            &ResourceReplenished::spoken(Dialect::Standard, PLANET, DEPOSIT, ResourceType::Coal),
            schemas,
        ),
    }
}

/// Of the robot service.
fn of_robot(channel: Channel, schemas: &mut Map<String, Value>) -> ChannelPayload {
    match channel {
        Channel::SpawnNotification => telling(
            "A robot was spawned.",
            &RobotSpawnedEvent { robot_id: ROBOT, player_id: PLAYER, other_seeable_robots: vec![] },
            schemas,
        ),
        Channel::Neighbours => telling(
            "What a robot that was spawned or has moved sees around it.",
            &NeighboursEvent {
                neighbours: vec![SeenNeighbour {
                    planet_id: PLANET,
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
                    planet_id: PLANET,
                    movement_difficulty: 2,
                    planet_type: "DEFAULT".to_owned(),
                    resource_type: Some("coal".to_owned()),
                }),
                robots: vec![ROBOT],
            },
            schemas,
        ),
        Channel::Mining => telling(
            "A robot has mined, or could not.",
            &MiningEvent {
                success: true,
                message: format!("Robot {ROBOT} mined successfully"),
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
                attacker: Some(ROBOT),
                defender: Some(RobotId(id(9))),
                remaining_defender_health: Some(9),
                remaining_energy: Some(19),
            },
            schemas,
        ),
        Channel::RobotDestroyed => telling(
            "A robot was destroyed.",
            &RobotDestroyedEvent { robot_id: ROBOT, player_id: PLAYER },
            schemas,
        ),
        _ => telling(
            "What a robot holds after the loot of its planet was shared out.",
            &ResourceDistributionEvent { robot_id: ROBOT, coal: 3, iron: 0, gem: 0, gold: 0, platin: 0 },
            schemas,
        ),
    }
}

/// Of the trading service.
fn of_trading(channel: Channel, schemas: &mut Map<String, Value>) -> ChannelPayload {
    match channel {
        Channel::BankCreated => {
            telling("A player has an account.", &BankCreatedEvent { money: 200, player_id: PLAYER }, schemas)
        }
        Channel::Trades => telling(
            "Something was bought or sold, or could not be; the `type` says which.",
            &TradeEvent {
                data: None,
                success: true,
                message: format!("robot {ROBOT} energy restored"),
                money_changed_by: -75,
            },
            schemas,
        ),
        Channel::CurrentItemPrices => telling_all(
            "The prices of special items in the round that has started.",
            &[Price { price: 40, name: "ROCKET".to_owned() }],
            schemas,
        ),
        _ => telling_all(
            "The prices of resources in the round that has started.",
            &[Price { price: 5, name: "coal".to_owned() }],
            schemas,
        ),
    }
}
