//! The map as a game service asks it, without a socket between them: a world that is given is looked up there.

use futures::future::{BoxFuture, FutureExt as _, ready};
use http_body_util::BodyExt as _;
use serde_json::Value;
use starkeep_game_core::{MadeWorld, ReplenishmentMode, Retirement, WorldId};
use starkeep_game_service::ports::{KnownWorld, MapFault, MapGateway, WorldOrder};
use starkeep_platform::http::common::Front;
use tower::ServiceExt as _;
use uuid::Uuid;

use crate::request::FuzzRequest;

pub(super) struct AskedMap(Front);

impl AskedMap {
    pub(super) fn new(front: Front) -> Self {
        Self(front)
    }

    async fn known(&self, world: WorldId) -> Option<KnownWorld> {
        let request = FuzzRequest::get(&format!("/gameworlds/{world}"));
        let Ok(response) = self.0.clone().oneshot(request.to_http()).await;
        let body = response.into_body().collect().await.ok()?.to_bytes();
        let shown: Value = serde_json::from_slice(&body).ok()?;
        let replenishment = match shown["replenishment"].as_str()? {
            "automatic" => ReplenishmentMode::Automatic,
            _ => ReplenishmentMode::OnRequest,
        };
        Some(KnownWorld { is_active: shown["status"] == "active", replenishment })
    }
}

impl MapGateway for AskedMap {
    /// Only given worlds are played in here.
    fn make(&self, order: WorldOrder) -> BoxFuture<'_, Result<MadeWorld, MapFault>> {
        ready(Ok(MadeWorld { id: order.id, replenishment: ReplenishmentMode::OnRequest })).boxed()
    }

    fn look_up(&self, world: WorldId) -> BoxFuture<'_, Result<Option<KnownWorld>, MapFault>> {
        self.known(world).map(Ok).boxed()
    }

    fn replenish(&self, _: WorldId, _: u32, _: Uuid) -> BoxFuture<'_, Result<(), MapFault>> {
        ready(Ok(())).boxed()
    }

    fn probe(&self) -> BoxFuture<'_, Result<(), MapFault>> {
        ready(Ok(())).boxed()
    }

    fn fault(&self) -> Option<MapFault> {
        None
    }

    fn retire(&self, _: Retirement) -> BoxFuture<'_, Result<(), MapFault>> {
        ready(Ok(())).boxed()
    }
}
