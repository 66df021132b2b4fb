//! The map service: makes and retires gameworlds, shows planets, and mines them.
//! Gameworlds need the host's token where one is set; planets and minings are open to everybody, unless the host closed them.

use http::Method;
use starkeep_contract::map::{
    CreateGameworld, CreateMining, Fairness, Gameworld, GameworldPatch, Mining, NewGameworld, NewMining,
    NewWorldStatus, PatchGameworld, PlacedPlanet, Planet, Replenishment, Resource,
};
use starkeep_contract::{PlanetId, WorldId};

use crate::client::Client;
use crate::error::ClientError;

pub type MapClient = Client<MapService>;

/// The service that a `MapClient` talks to.
#[derive(Clone)]
pub enum MapService {}

impl MapClient {
    pub async fn gameworlds(&self) -> Result<Vec<Gameworld>, ClientError> {
        self.caller.list("/gameworlds").await
    }

    pub async fn gameworld(&self, id: WorldId) -> Result<Gameworld, ClientError> {
        self.caller.get(&format!("/gameworlds/{id}")).await
    }

    pub async fn create_gameworld(&self, gameworld: NewGameworld) -> Result<Gameworld, ClientError> {
        self.caller.send(Method::POST, "/gameworlds", &CreateGameworld { gameworld }).await
    }

    /// Ends mining in a gameworld for good; it can still be read.
    pub async fn deactivate(&self, id: WorldId) -> Result<Gameworld, ClientError> {
        let change =
            PatchGameworld { gameworld: GameworldPatch { status: NewWorldStatus::Inactive, sealed: None } };
        self.caller.send(Method::PATCH, &format!("/gameworlds/{id}"), &change).await
    }

    pub async fn delete_gameworld(&self, id: WorldId) -> Result<(), ClientError> {
        self.caller.delete(&format!("/gameworlds/{id}")).await
    }

    /// How even the starts of a gameworld were when it was made.
    pub async fn fairness(&self, id: WorldId) -> Result<Fairness, ClientError> {
        self.caller.get(&format!("/gameworlds/{id}/fairness")).await
    }

    /// Replenishes a gameworld that is replenished on request only.
    pub async fn replenish(&self, id: WorldId) -> Result<Replenishment, ClientError> {
        self.caller.post(&format!("/gameworlds/{id}/replenishments")).await
    }

    /// Every planet of a gameworld with its place; without the host's token once it is inactive.
    pub async fn placed_planets(&self, id: WorldId) -> Result<Vec<PlacedPlanet>, ClientError> {
        self.caller.get(&format!("/gameworlds/{id}/planets")).await
    }

    /// Planets of the active gameworlds, 50 a page from page 1 on; a page behind the last one is empty.
    pub async fn planets(&self, page: u64) -> Result<Vec<Planet>, ClientError> {
        self.caller.get(&format!("/planets?page={page}")).await
    }

    pub async fn planet(&self, id: PlanetId) -> Result<Planet, ClientError> {
        self.caller.get(&format!("/planets/{id}")).await
    }

    /// In the order north, east, south, west.
    pub async fn neighbours(&self, id: PlanetId) -> Result<Vec<Planet>, ClientError> {
        self.caller.get(&format!("/planets/{id}/neighbours")).await
    }

    /// The deposit of a planet: a list of one, or an empty one.
    pub async fn resources(&self, id: PlanetId) -> Result<Vec<Resource>, ClientError> {
        self.caller.get(&format!("/planets/{id}/resources")).await
    }

    pub async fn mine(&self, planet: PlanetId, mining: NewMining) -> Result<Mining, ClientError> {
        self.caller.send(Method::POST, &format!("/planets/{planet}/minings"), &CreateMining { mining }).await
    }
}
