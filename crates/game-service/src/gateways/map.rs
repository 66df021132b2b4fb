//! The map service over HTTP: makes, looks up, replenishes and retires worlds, and reports why the map cannot be reached.
//! Every call has a time-out. Whether a call that timed out took effect is not known, and callers must not assume either.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use http::{HeaderName, Method, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use starkeep_contract::health::Health;
use starkeep_contract::map::{
    CreateGameworld, GameworldPatch, NewGameworld, NewWorldStatus, PatchGameworld, WorldStatus,
};
use starkeep_contract::{Nonce, WorldId as WireWorldId, batch_headers, map};
use starkeep_game_core::{MadeWorld, ReplenishmentMode, Retire, Retirement, WorldId};
use starkeep_http_client::{Answer, Call, Caller, Connections, Refusal, ServiceUrl, Timeout, Token};
use starkeep_platform::clock::Clock;
use starkeep_platform::http::auth::AdminToken;
use uuid::Uuid;

use crate::ports::{KnownWorld, MapFault, MapGateway, WorldOrder};

/// A gameworld of 10,000 players has 20,000 stations, each a UUID in the answer.
const LARGEST_ANSWER: usize = 16 * 1024 * 1024;

/// A healthy map answers at once.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

pub struct HttpMap {
    caller: Caller,
    /// The same caller with the time-out of a probe.
    prober: Caller,
    last_fault: Mutex<Option<MapFault>>,
}

impl HttpMap {
    pub fn new(url: ServiceUrl, token: &AdminToken, clock: Arc<dyn Clock>, timeout: Duration) -> Self {
        let caller = Caller::new(url, Connections::Pooled).with_token(token.secret().map(Token::new));
        let probing = Timeout { clock: clock.clone(), after: timeout.min(PROBE_TIMEOUT) };
        let prober = caller.clone().with_timeout(probing);
        let caller = caller.with_timeout(Timeout { clock, after: timeout });
        Self { caller, prober, last_fault: Mutex::default() }
    }

    async fn call(&self, call: Call) -> Result<Answer, MapFault> {
        self.call_by(&self.caller, call).await
    }

    /// The answer, whatever its status; what it says about the map's health is kept.
    async fn call_by(&self, caller: &Caller, call: Call) -> Result<Answer, MapFault> {
        let outcome = caller.exchange(&call.largest_answer(LARGEST_ANSWER)).await;
        let outcome = outcome.map_err(|failure| self.away(&failure.to_string()));
        let fault = match &outcome {
            Err(fault) => Some(fault.clone()),
            Ok(answer) if answer.status.is_server_error() => Some(self.refused(answer.clone())),
            Ok(_) => None,
        };
        *self.last_fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
        outcome
    }

    fn gameworld_in<T: DeserializeOwned>(&self, answer: &Answer) -> Result<T, MapFault> {
        answer.json().map_err(|fault| self.away(&format!("its answer is no gameworld: {fault}")))
    }

    fn away(&self, reason: &str) -> MapFault {
        MapFault::Away { url: self.caller.url().to_owned(), reason: reason.to_owned() }
    }

    fn refused(&self, answer: Answer) -> MapFault {
        let refusal = answer.into_refusal();
        MapFault::Refused {
            url: self.caller.url().to_owned(),
            status: refusal.status.as_u16(),
            reason: reason_in(&refusal),
        }
    }
}

impl MapGateway for HttpMap {
    fn make(&self, order: WorldOrder) -> BoxFuture<'_, Result<MadeWorld, MapFault>> {
        Box::pin(async move {
            let id = order.id;
            let call = Call::keyed(Method::POST, "/gameworlds", id.0.to_string()).json(&body_of(order));
            let answer = self.call(call).await?;
            if answer.status != StatusCode::CREATED {
                return Err(self.refused(answer));
            }
            let made: Made = self.gameworld_in(&answer)?;
            Ok(MadeWorld { id: WorldId(made.id.0), replenishment: replenishment(made.replenishment) })
        })
    }

    fn look_up(&self, world: WorldId) -> BoxFuture<'_, Result<Option<KnownWorld>, MapFault>> {
        Box::pin(async move {
            let answer = self.call(Call::get(format!("/gameworlds/{world}"))).await?;
            if answer.status == StatusCode::NOT_FOUND {
                return Ok(None);
            }
            if answer.status != StatusCode::OK {
                return Err(self.refused(answer));
            }
            let found: Found = self.gameworld_in(&answer)?;
            let is_active = found.status == WorldStatus::Active;
            Ok(Some(KnownWorld { is_active, replenishment: replenishment(found.replenishment) }))
        })
    }

    fn replenish(&self, world: WorldId, round: u32, key: Uuid) -> BoxFuture<'_, Result<(), MapFault>> {
        Box::pin(async move {
            let path = format!("/gameworlds/{world}/replenishments");
            let call = Call::keyed(Method::POST, path, key.to_string())
                .header(HeaderName::from_static(batch_headers::ROUND), round.into())
                .json(&serde_json::json!({}));
            let answer = self.call(call).await?;
            if answer.status.is_success() { Ok(()) } else { Err(self.refused(answer)) }
        })
    }

    fn probe(&self) -> BoxFuture<'_, Result<(), MapFault>> {
        Box::pin(async move {
            let answer = self.call_by(&self.prober, Call::get("/health")).await?;
            // Another implementation of the map may lack this route: a 4xx answer, too, shows that it is reachable.
            if answer.status.is_server_error() { Err(self.refused(answer)) } else { Ok(()) }
        })
    }

    fn fault(&self) -> Option<MapFault> {
        self.last_fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn retire(&self, Retirement { world, how }: Retirement) -> BoxFuture<'_, Result<(), MapFault>> {
        Box::pin(async move {
            let path = format!("/gameworlds/{world}");
            let call = match how {
                Retire::Delete => Call::once(Method::DELETE, path),
                Retire::Deactivate | Retire::Seal => {
                    let sealed = (how == Retire::Seal).then_some(true);
                    let gameworld = GameworldPatch { status: NewWorldStatus::Inactive, sealed };
                    Call::once(Method::PATCH, path).json(&PatchGameworld { gameworld })
                }
            };
            let answer = self.call(call).await?;
            // A world that is unknown needs no retirement.
            if answer.status.is_success() || answer.status == StatusCode::NOT_FOUND {
                return Ok(());
            }
            Err(self.refused(answer))
        })
    }
}

fn reason_in(refusal: &Refusal) -> String {
    if let Some(problem) = &refusal.problem {
        return problem.detail.clone();
    }
    if let Ok(health) = serde_json::from_slice::<Health>(&refusal.body) {
        let worst = health.parts.iter().filter(|(_, part)| part.status == health.status);
        return worst
            .map(|(name, part)| format!("its {name} {}", part.detail))
            .collect::<Vec<_>>()
            .join(", ");
    }
    refusal.excerpt()
}

/// All that the game service needs to know of a gameworld that was made.
#[derive(Deserialize)]
struct Made {
    id: WireWorldId,
    #[serde(default)]
    replenishment: Option<map::ReplenishmentMode>,
}

/// All that it needs to know of one that somebody else had made.
#[derive(Deserialize)]
struct Found {
    status: WorldStatus,
    #[serde(default)]
    replenishment: Option<map::ReplenishmentMode>,
}

/// A map that does not say it replenishes by its clock, as all did once.
fn replenishment(mode: Option<map::ReplenishmentMode>) -> ReplenishmentMode {
    match mode {
        None | Some(map::ReplenishmentMode::Automatic) => ReplenishmentMode::Automatic,
        Some(map::ReplenishmentMode::OnRequest) => ReplenishmentMode::OnRequest,
    }
}

fn body_of(order: WorldOrder) -> CreateGameworld {
    let gameworld = NewGameworld {
        player_amount: bounded(order.players.into()),
        round_amount: Some(bounded(order.rounds.into())),
        seed: order.seed.map(|seed| bounded(seed.cast_signed())),
        nonce: order.nonce.as_deref().and_then(Nonce::parse),
        style: order.style.and_then(|word| serde_json::from_value(word.into()).ok()),
        // The world lives in the game's time.
        replenishment: Some(map::ReplenishmentMode::OnRequest),
        planets: None,
        id: Some(WireWorldId(order.id.0)),
    };
    CreateGameworld { gameworld }
}

/// The core has checked these values against the same bounds.
fn bounded<const LEAST: i64, const MOST: i64>(value: i64) -> starkeep_contract::Bounded<LEAST, MOST> {
    starkeep_contract::Bounded::new(value.clamp(LEAST, MOST)).expect("clamped")
}
