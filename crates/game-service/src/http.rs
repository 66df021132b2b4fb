//! The routes of the game service, as a table: who may call what.
//! Each family of endpoints has its own file below.

mod commands;
mod game_commands;
mod games;
mod guess_limit;
mod identity;
mod page;
mod players;
mod refusals;
mod replay;
mod robots;
mod rosters;
mod round_players;
mod scores;
mod services;
mod time;
mod view;

use std::ops::Deref;
use std::sync::Arc;

use axum::middleware;
use http::Uri;
use starkeep_contract::Problem;
use starkeep_contract::replay::{ReplayEvent, ReplayHeader};
use starkeep_platform::answer::Answer;
use starkeep_platform::http::auth::{AdminToken, host_only};
use starkeep_platform::http::contract::{bearer, complete};
use starkeep_platform::http::from_memory::ServiceRoutes;
use starkeep_platform::http::idempotency::once;
use starkeep_platform::image_cache::ImageCache;
use starkeep_platform::service::Layers;
use starkeep_platform::service_addresses::ServiceAddresses;
use utoipa::OpenApi;
use utoipa::openapi::OpenApi as Contract;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::guess_limit::GuessLimit;
pub use self::guess_limit::GuessLimits;
use crate::app::App;
use crate::domain::Image;
use crate::{PlayerAccess, TokenRecovery};

/// What handlers share.
pub(crate) type Shared = Api;

/// The use cases, and what shows that a host asks.
#[derive(Clone)]
pub(crate) struct Api {
    app: Arc<App>,
    admin_token: AdminToken,
    services: Arc<ServiceAddresses>,
    /// The answer to who asks for all games.
    game_list: Arc<ImageCache<Image, Answer>>,
    guesses: Arc<GuessLimit>,
    token_recovery: TokenRecovery,
}

impl Deref for Api {
    type Target = Arc<App>;

    fn deref(&self) -> &Arc<App> {
        &self.app
    }
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Starkeep game service",
        description = "Creates, changes, starts and ends games, keeps the rounds' time, and tells everybody. \
                   Every POST takes an Idempotency-Key. Refusals are application/problem+json."
    ),
    external_docs(
        url = "/docs/first-game",
        description = "A guide for players: the tutorial, the rules, and bots to download"
    ),
    paths(page::show, page::file, page::guide),
    components(schemas(Problem, ReplayHeader, ReplayEvent))
)]
struct Info;

/// What a host does: needs the admin token where one is set.
fn host() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(games::create))
        .routes(routes!(games::set_max_rounds))
        .routes(routes!(games::set_duration))
        .routes(routes!(games::set_pace))
        .routes(routes!(games::delete))
        .routes(routes!(game_commands::start))
        .routes(routes!(game_commands::end))
        .routes(routes!(game_commands::pause))
        .routes(routes!(game_commands::resume))
        .routes(routes!(game_commands::step))
        .routes(routes!(robots::spawned, robots::destroyed))
        .routes(routes!(rosters::list))
}

/// What a player does.
fn player() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(players::register, players::look_up))
        .routes(routes!(players::join, players::leave))
        .routes(routes!(players::ready))
        .routes(routes!(commands::send_many))
}

/// What a player sends, with its token in the body.
fn sender() -> OpenApiRouter<Shared> {
    OpenApiRouter::new().routes(routes!(commands::send, commands::of_round))
}

/// What only the holder of a player's token does, in every dialect.
fn token_holder() -> OpenApiRouter<Shared> {
    OpenApiRouter::new().routes(routes!(players::renew_token))
}

/// What anybody may read.
fn open() -> OpenApiRouter<Shared> {
    OpenApiRouter::new()
        .routes(routes!(games::list))
        .routes(routes!(games::show))
        .routes(routes!(time::show))
        .routes(routes!(players::participating))
        .routes(routes!(round_players::list))
        .routes(routes!(players::me))
        .routes(routes!(players::show))
        .routes(routes!(commands::receipt))
        .routes(routes!(services::show))
        .routes(routes!(view::show))
        .routes(routes!(scores::scoreboard))
        .routes(routes!(scores::show))
        .routes(routes!(replay::show))
}

pub(crate) fn routes(
    app: Arc<App>,
    layers: &Layers,
    services: Arc<ServiceAddresses>,
    access: PlayerAccess,
) -> ServiceRoutes {
    let PlayerAccess { token_recovery, guesses, address_from } = access;
    let page = page::routes(services.clone());
    let api = Api {
        guesses: Arc::new(GuessLimit::new(guesses, address_from, app.clock.clone())),
        app,
        admin_token: layers.admin_token.clone(),
        services,
        game_list: Arc::default(),
        token_recovery,
    };
    let per_caller = layers.idempotency.clone().per_caller();
    let player = player().layer(middleware::from_fn_with_state(per_caller.clone(), once));
    let as_sender = middleware::from_fn_with_state((api.clone(), per_caller.clone()), identity::sender_once);
    let sender = sender().layer(as_sender);
    let holder = token_holder().layer(middleware::from_fn_with_state(per_caller, once));
    let holder = holder.layer(middleware::from_fn_with_state(api.clone(), identity::token_holder));
    let host = host().layer(middleware::from_fn_with_state(layers.idempotency.clone(), once));
    let host = host.layer(middleware::from_fn_with_state(layers.admin_token.clone(), host_only));
    let all = open().merge(player).merge(sender).merge(holder).merge(host);
    let (router, _) = all.with_state(api.clone()).split_for_parts();
    ServiceRoutes { router: router.merge(page), from_memory: Arc::new(move |uri| from_memory(&api, uri)) }
}

/// What bots ask for again and again.
fn from_memory(api: &Api, uri: &Uri) -> Option<Answer> {
    match uri.path().strip_prefix("/games")? {
        "" => games::from_memory(api, uri),
        path => time::from_memory(api, path.strip_prefix('/')?.strip_suffix("/time")?),
    }
}

pub(crate) fn contract() -> Contract {
    let (_, mut contract) = OpenApiRouter::with_openapi(Info::openapi())
        .merge(open())
        .merge(player())
        .merge(sender())
        .merge(token_holder())
        .merge(host())
        .split_for_parts();
    contract
        .components
        .get_or_insert_default()
        .add_security_scheme("player", bearer("A player's token, from the answer to `POST /players`."));
    complete(contract)
}
