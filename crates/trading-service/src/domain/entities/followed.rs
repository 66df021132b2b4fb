//! What is received from other services: the games, gameworlds that no game plays yet, and how far their events were read.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use starkeep_executor::{FollowedGame, GameStatus, RoundState};
use starkeep_platform::documents::{Entity, StoredPosition};
use starkeep_trading_core::{GameId, PlanetId, WorldId};
use uuid::Uuid;

use crate::domain::{Image, Stream, StreamState, Trading, UnclaimedWorld};

/// A game that is followed; ended ones stay until they are deleted.
pub(super) struct FollowedGameEntity;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GameForm {
    #[serde(with = "Status")]
    status: GameStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    world: Option<Uuid>,
    round: u32,
    #[serde(with = "Round")]
    round_state: RoundState,
    created: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<u64>,
    /// What further stations are drawn from.
    #[serde(skip_serializing_if = "Option::is_none")]
    drawn: Option<u64>,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "GameStatus", rename_all = "snake_case")]
enum Status {
    Created,
    Running,
    Ended,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "RoundState", rename_all = "snake_case")]
enum Round {
    Init,
    Started,
    InputEnded,
    Ended,
}

impl Entity for FollowedGameEntity {
    type Of = Trading;
    const NAME: &'static str = "game";
    type Key = (Uuid,);
    type Form = GameForm;

    fn form(image: &Image, (id,): &(Uuid,)) -> Option<GameForm> {
        let FollowedGame { status, world, round, round_state, created, started } =
            *image.games.get(GameId(*id))?;
        let drawn = image.markets.get(&GameId(*id)).and_then(|market| market.sites.rng_state);
        Some(GameForm {
            status,
            world: world.map(|world| world.0),
            round,
            round_state,
            created,
            started,
            drawn,
        })
    }

    fn put(image: &mut Image, (id,): (Uuid,), form: GameForm) -> Result<(), String> {
        let GameForm { status, world, round, round_state, created, started, drawn } = form;
        let world = world.map(WorldId);
        image.games.restore(GameId(id), FollowedGame { status, world, round, round_state, created, started });
        if image.is_kept(GameId(id)) || image.markets.contains_key(&GameId(id)) {
            image.markets.entry(GameId(id)).or_default().sites.rng_state = drawn;
        }
        Ok(())
    }
}

/// A gameworld that no game plays yet.
pub(super) struct Unclaimed;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UnclaimedForm {
    number: u64,
    stations: Vec<Uuid>,
}

impl Entity for Unclaimed {
    type Of = Trading;
    const NAME: &'static str = "unclaimed-world";
    type Key = (Uuid,);
    type Form = UnclaimedForm;

    fn form(image: &Image, (world,): &(Uuid,)) -> Option<UnclaimedForm> {
        let UnclaimedWorld { number, stations } = image.unclaimed.get(&WorldId(*world))?;
        Some(UnclaimedForm { number: *number, stations: stations.iter().map(|planet| planet.0).collect() })
    }

    fn put(
        image: &mut Image,
        (world,): (Uuid,),
        UnclaimedForm { number, stations }: UnclaimedForm,
    ) -> Result<(), String> {
        let stations = stations.into_iter().map(PlanetId).collect();
        image.unclaimed.insert(WorldId(world), UnclaimedWorld { number, stations });
        Ok(())
    }
}

/// How far another service's events were read.
pub(super) struct StreamEntity;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StreamForm {
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<StoredPosition>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<Timestamp>,
}

impl Entity for StreamEntity {
    type Of = Trading;
    const NAME: &'static str = "stream";
    type Key = (Stream,);
    type Form = StreamForm;

    fn form(image: &Image, (stream,): &(Stream,)) -> Option<StreamForm> {
        let StreamState { position, gap } = image.stream(*stream);
        Some(StreamForm { read: position.clone().map(StoredPosition::new), gap: *gap })
    }

    fn put(
        image: &mut Image,
        (stream,): (Stream,),
        StreamForm { read, gap }: StreamForm,
    ) -> Result<(), String> {
        *image.stream_mut(stream) = StreamState { position: read.map(StoredPosition::into_text), gap };
        Ok(())
    }
}
