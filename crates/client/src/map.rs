//! The map service: makes and retires gameworlds, shows planets, and mines them.
//! Worlds as wholes are the host's; planets and minings are everybody's.

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use starkeep_contract::health::Health;
use starkeep_contract::map::{
    CreateGameworld, CreateMining, Gameworld, GameworldPatch, Mining, NewGameworld, NewMining,
    NewWorldStatus, PatchGameworld, PlacedPlanet, Planet, Resource,
};
use starkeep_contract::{PlanetId, WorldId};
use starkeep_platform::clock::Clock;

use crate::error::ClientError;
use crate::http::Caller;

#[derive(Clone)]
pub struct MapClient {
    caller: Caller,
}

impl MapClient {
    /// `url` as in `http://127.0.0.1:8081`. Nothing is sent yet.
    pub fn new(url: &str) -> Result<Self, ClientError> {
        Ok(Self { caller: Caller::new(url)? })
    }

    /// Shows the admin token with every request.
    #[must_use]
    pub fn with_token(mut self, token: &str) -> Self {
        self.caller.show(token);
        self
    }

    /// How long an answer is waited for; 30 s unless told.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.caller.patience = patience;
        self
    }

    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.caller.clock = clock;
        self
    }

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
        let change = PatchGameworld { gameworld: GameworldPatch { status: NewWorldStatus::Inactive } };
        self.caller.send(Method::PATCH, &format!("/gameworlds/{id}"), &change).await
    }

    pub async fn delete_gameworld(&self, id: WorldId) -> Result<(), ClientError> {
        self.caller.delete(&format!("/gameworlds/{id}")).await
    }

    /// Every planet of a gameworld with its place.
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

    /// Answers also when the service is unwell.
    pub async fn health(&self) -> Result<Health, ClientError> {
        self.caller.health().await
    }
}
