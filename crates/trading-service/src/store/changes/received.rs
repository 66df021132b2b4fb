//! What was learned from other services, in its serialised form.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use starkeep_executor::{FollowedGame, GameStatus, RoundState};
use starkeep_trading_core::{GameId, PlanetId, PlayerId, PriceList, WorldId};
use uuid::Uuid;

use crate::domain::{Move, Received, Stream};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredReceived {
    moves: Vec<StoredMove>,
    position: Option<(StoredStream, String)>,
    gap: Option<Timestamp>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredStream {
    Game,
    Map,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum StoredMove {
    Game {
        game: Uuid,
        status: StoredStatus,
        world: Option<Uuid>,
        round: u32,
        round_state: StoredRoundState,
        created: u64,
        started: Option<u64>,
    },
    Deleted {
        game: Uuid,
    },
    Joined {
        game: Uuid,
        player: Uuid,
        money: u64,
    },
    Left {
        game: Uuid,
        player: Uuid,
    },
    Prices {
        game: Uuid,
        round: u32,
        resources: [u64; 5],
        items: [u64; 6],
    },
    Balances {
        game: Uuid,
        round: u32,
    },
    World {
        world: Uuid,
        number: u64,
        stations: Vec<Uuid>,
    },
    WorldDropped {
        world: Uuid,
    },
    Stations {
        game: Uuid,
        world: Uuid,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredStatus {
    Created,
    Running,
    Ended,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredRoundState {
    Init,
    Started,
    InputEnded,
    Ended,
}

impl From<&Received> for StoredReceived {
    fn from(received: &Received) -> Self {
        let stream = |stream: &Stream| match stream {
            Stream::Game => StoredStream::Game,
            Stream::Map => StoredStream::Map,
        };
        Self {
            moves: received.moves.iter().map(StoredMove::from).collect(),
            position: received.position.as_ref().map(|(of, position)| (stream(of), position.clone())),
            gap: received.gap,
        }
    }
}

impl StoredReceived {
    pub(super) fn read(self) -> Received {
        let stream = |stream| match stream {
            StoredStream::Game => Stream::Game,
            StoredStream::Map => Stream::Map,
        };
        Received {
            moves: self.moves.into_iter().map(Move::from).collect(),
            position: self.position.map(|(of, position)| (stream(of), position)),
            gap: self.gap,
        }
    }
}

impl From<&Move> for StoredMove {
    fn from(step: &Move) -> Self {
        match step {
            Move::Game { game, state } => Self::Game {
                game: game.0,
                status: match state.status {
                    GameStatus::Created => StoredStatus::Created,
                    GameStatus::Running => StoredStatus::Running,
                    GameStatus::Ended => StoredStatus::Ended,
                },
                world: state.world.map(|world| world.0),
                round: state.round,
                round_state: match state.round_state {
                    RoundState::Init => StoredRoundState::Init,
                    RoundState::Started => StoredRoundState::Started,
                    RoundState::InputEnded => StoredRoundState::InputEnded,
                    RoundState::Ended => StoredRoundState::Ended,
                },
                created: state.created,
                started: state.started,
            },
            Move::Deleted { game } => Self::Deleted { game: game.0 },
            Move::Joined { game, player, money } => {
                Self::Joined { game: game.0, player: player.0, money: *money }
            }
            Move::Left { game, player } => Self::Left { game: game.0, player: player.0 },
            Move::Prices { game, round, prices: PriceList { resources, items } } => {
                Self::Prices { game: game.0, round: *round, resources: *resources, items: *items }
            }
            Move::Balances { game, round } => Self::Balances { game: game.0, round: *round },
            Move::World { world, number, stations } => Self::World {
                world: world.0,
                number: *number,
                stations: stations.iter().map(|planet| planet.0).collect(),
            },
            Move::WorldDropped { world } => Self::WorldDropped { world: world.0 },
            Move::Stations { game, world } => Self::Stations { game: game.0, world: world.0 },
        }
    }
}

impl From<StoredMove> for Move {
    fn from(stored: StoredMove) -> Self {
        match stored {
            StoredMove::Game { game, status, world, round, round_state, created, started } => {
                let state = FollowedGame {
                    status: match status {
                        StoredStatus::Created => GameStatus::Created,
                        StoredStatus::Running => GameStatus::Running,
                        StoredStatus::Ended => GameStatus::Ended,
                    },
                    world: world.map(WorldId),
                    round,
                    round_state: match round_state {
                        StoredRoundState::Init => RoundState::Init,
                        StoredRoundState::Started => RoundState::Started,
                        StoredRoundState::InputEnded => RoundState::InputEnded,
                        StoredRoundState::Ended => RoundState::Ended,
                    },
                    created,
                    started,
                };
                Self::Game { game: GameId(game), state }
            }
            StoredMove::Deleted { game } => Self::Deleted { game: GameId(game) },
            StoredMove::Joined { game, player, money } => {
                Self::Joined { game: GameId(game), player: PlayerId(player), money }
            }
            StoredMove::Left { game, player } => Self::Left { game: GameId(game), player: PlayerId(player) },
            StoredMove::Prices { game, round, resources, items } => {
                Self::Prices { game: GameId(game), round, prices: PriceList { resources, items } }
            }
            StoredMove::Balances { game, round } => Self::Balances { game: GameId(game), round },
            StoredMove::World { world, number, stations } => Self::World {
                world: WorldId(world),
                number,
                stations: stations.into_iter().map(PlanetId).collect(),
            },
            StoredMove::WorldDropped { world } => Self::WorldDropped { world: WorldId(world) },
            StoredMove::Stations { game, world } => {
                Self::Stations { game: GameId(game), world: WorldId(world) }
            }
        }
    }
}
