//! The map service over HTTP: makes worlds, retires them, and says clearly when it is away.
//! Every call has a time-out; whether a call that timed out took effect is not known, and nobody assumes it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use http::{HeaderValue, Method, Request, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use starkeep_contract::health::Health;
use starkeep_contract::map::{CreateGameworld, GameworldPatch, NewGameworld, NewWorldStatus, PatchGameworld};
use starkeep_contract::{Problem, WorldId as WireWorldId};
use starkeep_game_core::{Retire, Retirement, WorldId};
use starkeep_platform::clock::{Clock, within};
use starkeep_platform::error_chain::error_chain;
use starkeep_platform::http::auth::AdminToken;

use super::service_url::ServiceUrl;
use crate::ports::{MapFault, MapGateway, WorldOrder};

/// A gameworld of 10,000 players has 20,000 stations, each a UUID in the answer.
const LARGEST_ANSWER: usize = 16 * 1024 * 1024;

/// A map that is well says so at once.
const GLANCE: Duration = Duration::from_secs(2);

pub struct HttpMap {
    url: ServiceUrl,
    client: Client<HttpConnector, Full<Bytes>>,
    token: AdminToken,
    clock: Arc<dyn Clock>,
    patience: Duration,
    last_fault: Mutex<Option<MapFault>>,
}

impl HttpMap {
    pub fn new(url: ServiceUrl, token: AdminToken, clock: Arc<dyn Clock>, patience: Duration) -> Self {
        let client = Client::builder(TokioExecutor::new()).build_http();
        Self { url, client, token, clock, patience, last_fault: Mutex::default() }
    }

    async fn call(
        &self,
        method: Method,
        path: &str,
        key: Option<WorldId>,
        body: Option<Vec<u8>>,
    ) -> Result<(StatusCode, Bytes), MapFault> {
        self.call_within(self.patience, method, path, key, body).await
    }

    async fn call_within(
        &self,
        patience: Duration,
        method: Method,
        path: &str,
        key: Option<WorldId>,
        body: Option<Vec<u8>>,
    ) -> Result<(StatusCode, Bytes), MapFault> {
        let mut request = Request::builder().method(method).uri(self.url.path(path));
        if let Some(bearer) = self.token.bearer() {
            request = request.header(header::AUTHORIZATION, bearer);
        }
        if let Some(WorldId(key)) = key {
            request = request.header("idempotency-key", key.to_string());
        }
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        let request = request
            .body(Full::from(body.unwrap_or_default()))
            .map_err(|fault| self.away(&format!("the request cannot be built: {fault}")))?;
        let exchange = async {
            let answer =
                self.client.request(request).await.map_err(|fault| self.away(&error_chain(&fault)))?;
            let status = answer.status();
            let body = Limited::new(answer.into_body(), LARGEST_ANSWER).collect().await;
            let body = body.map_err(|fault| self.away(&format!("its answer broke off: {fault}")))?;
            Ok((status, body.to_bytes()))
        };
        let outcome = match within(&*self.clock, patience, exchange).await {
            Some(outcome) => outcome,
            None => Err(self.away(&format!("no answer within {patience:?}"))),
        };
        let fault = match &outcome {
            Err(fault) => Some(fault.clone()),
            Ok((status, body)) if status.is_server_error() => Some(self.refused(*status, body)),
            Ok(_) => None,
        };
        *self.last_fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
        outcome
    }

    fn away(&self, reason: &str) -> MapFault {
        MapFault::Away { url: self.url.as_str().to_owned(), reason: reason.to_owned() }
    }

    fn refused(&self, status: StatusCode, body: &[u8]) -> MapFault {
        MapFault::Refused {
            url: self.url.as_str().to_owned(),
            status: status.as_u16(),
            reason: reason_in(body),
        }
    }
}

impl MapGateway for HttpMap {
    fn make(&self, order: WorldOrder) -> BoxFuture<'_, Result<WorldId, MapFault>> {
        Box::pin(async move {
            let id = order.id;
            let (status, answer) =
                self.call(Method::POST, "/gameworlds", Some(id), Some(body_of(order))).await?;
            if status != StatusCode::CREATED {
                return Err(self.refused(status, &answer));
            }
            let made: Made = serde_json::from_slice(&answer)
                .map_err(|fault| self.away(&format!("its answer is no gameworld: {fault}")))?;
            Ok(WorldId(made.id.0))
        })
    }

    fn probe(&self) -> BoxFuture<'_, Result<(), MapFault>> {
        Box::pin(async move {
            let patience = self.patience.min(GLANCE);
            let (status, answer) = self.call_within(patience, Method::GET, "/health", None, None).await?;
            // A map of another make may know no such route: also a refusal shows that it is there.
            if status.is_server_error() { Err(self.refused(status, &answer)) } else { Ok(()) }
        })
    }

    fn fault(&self) -> Option<MapFault> {
        self.last_fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn retire(&self, Retirement { world, how }: Retirement) -> BoxFuture<'_, Result<(), MapFault>> {
        Box::pin(async move {
            let path = format!("/gameworlds/{world}");
            let (status, answer) = match how {
                Retire::Delete => self.call(Method::DELETE, &path, None, None).await?,
                Retire::Deactivate => {
                    let inactive =
                        PatchGameworld { gameworld: GameworldPatch { status: NewWorldStatus::Inactive } };
                    let body = serde_json::to_vec(&inactive).expect("the contract's types are plain data");
                    self.call(Method::PATCH, &path, None, Some(body)).await?
                }
            };
            // A world that is unknown needs no retirement.
            if status.is_success() || status == StatusCode::NOT_FOUND {
                return Ok(());
            }
            Err(self.refused(status, &answer))
        })
    }
}

fn reason_in(body: &[u8]) -> String {
    if let Ok(problem) = serde_json::from_slice::<Problem>(body) {
        return problem.detail;
    }
    if let Ok(health) = serde_json::from_slice::<Health>(body) {
        let worst = health.parts.iter().filter(|(_, part)| part.status == health.status);
        return worst
            .map(|(name, part)| format!("its {name} {}", part.detail))
            .collect::<Vec<_>>()
            .join(", ");
    }
    String::from_utf8_lossy(body).chars().take(200).collect()
}

/// All that the game service needs to know of a gameworld.
#[derive(serde::Deserialize)]
struct Made {
    id: WireWorldId,
}

fn body_of(order: WorldOrder) -> Vec<u8> {
    let gameworld = NewGameworld {
        player_amount: bounded(order.players.into()),
        round_amount: Some(bounded(order.rounds.into())),
        seed: order.seed.map(|seed| bounded(seed.cast_signed())),
        style: order.style.and_then(|word| serde_json::from_value(word.into()).ok()),
        id: Some(WireWorldId(order.id.0)),
    };
    serde_json::to_vec(&CreateGameworld { gameworld }).expect("the contract's types are plain data")
}

/// The core has checked these values against the same bounds.
fn bounded<const LEAST: i64, const MOST: i64>(value: i64) -> starkeep_contract::Bounded<LEAST, MOST> {
    starkeep_contract::Bounded::new(value.clamp(LEAST, MOST)).expect("clamped")
}
