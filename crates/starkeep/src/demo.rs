//! `starkeep demo`: the services with a game of bots, which is followed by another one for as long as it runs.
//! All of it is in this process, and its data is thrown away, unless somebody said where to keep it.

use std::io;

use serde_json::json;
use starkeep_client::GameClient;
use starkeep_contract::GameId;
use starkeep_contract::services::Services as Urls;
use starkeep_map_core::SEEDS;
use starkeep_platform::chance::{Chance, SystemChance};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;

use crate::args::{DemoArgs, ServeArgs, Which};
use crate::bot;
use crate::failure::CommandError;
use crate::game::client;
use crate::games;
use crate::output::print_line;
use crate::serve::{ServeError, Services, TakenPorts, openable};
use crate::watch::{self, Watched};

const BOTS: u32 = 4;
const ROUNDS: u32 = 60;
const ROUND_MILLIS: u32 = 2000;
/// For some robots each, so that there is something to see.
const START_MONEY: u32 = 600;

#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error("the bots: {0}")]
    Bots(#[from] bot::BotError),
    #[error("a temporary directory cannot be made: {0}; name one with --data-dir")]
    Temporary(io::Error),
}

impl DemoError {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Serve(_) | Self::Temporary(_) => 2,
            Self::Command(fault) => fault.exit_code(),
            Self::Bots(_) => 1,
        }
    }
}

pub(crate) async fn demo(args: DemoArgs) -> Result<(), DemoError> {
    let mut stop = Signals::listen().map_err(CommandError::Signals)?;
    let mut flags = args.flags;
    // It is removed when this function ends, however it does.
    let temporary = match flags.data_dir {
        Some(_) => None,
        None => {
            Some(tempfile::Builder::new().prefix("starkeep-demo-").tempdir().map_err(DemoError::Temporary)?)
        }
    };
    if let Some(temporary) = &temporary {
        flags.data_dir = Some(temporary.path().to_owned());
    }
    let args = ServeArgs { which: Which::All, flags };
    let token = args.flags.token.read().map_err(ServeError::Flags)?;
    let services = Services::start(&args, TakenPorts::Replaced).await?;
    let urls = urls(&services);
    let page = format!("{}/", urls.game);
    if !watch::is_on_a_screen(&args.flags.output) {
        let line =
            if args.flags.output.json { json!({ "page": page }).to_string() } else { format!("open {page}") };
        print_line(&line)?;
    }
    let client = client(&urls.game, token.as_deref())?;
    let game_url = urls.game.clone();
    let watched = Watched { urls, token, only: None, page: Some(page), output: &args.flags.output };
    let outcome = tokio::select! {
        biased;
        () = stop.received() => Ok(()),
        outcome = watch::run(&watched) => outcome.map_err(DemoError::from),
        outcome = play_for_ever(&game_url, &client) => outcome,
    };
    // Nobody listens to the services any longer, so that they end at once. A second signal does not wait for them.
    tokio::select! {
        biased;
        () = stop.received() => {}
        () = services.stop() => {}
    }
    outcome
}

fn urls(services: &Services) -> Urls {
    let url = |name: &str| {
        let found = services.addresses().find(|(service, _)| *service == name);
        found.map(|(_, address)| format!("http://{}", openable(address)))
    };
    Urls {
        game: url("game").unwrap_or_default(),
        map: url("map"),
        robot: url("robot"),
        trading: url("trading"),
    }
}

/// One game after the other, each in another world.
async fn play_for_ever(url: &str, client: &GameClient) -> Result<(), DemoError> {
    for number in 1_u64.. {
        let seed = SystemChance.bits() & SEEDS.end();
        let game = match unfinished(client).await? {
            Some(game) => game,
            None => create(client, number, seed).await?,
        };
        let (seated, are_seated) = oneshot::channel();
        let start = async {
            // Without an answer the bots have failed, which ends the demo.
            if are_seated.await.is_ok() && !games::show(client, game).await?.is_running() {
                client.start(game).await.map_err(CommandError::from)?;
            }
            Ok::<_, DemoError>(())
        };
        let play = async { Ok::<_, DemoError>(bot::fill(url, game, BOTS, seed, seated).await?) };
        tokio::try_join!(start, play)?;
    }
    Ok(())
}

/// A demo's game that was left when its program ended, with data that was kept.
async fn unfinished(client: &GameClient) -> Result<Option<GameId>, DemoError> {
    let active = games::active(client).await?;
    let is_ours = |game: &&games::ShownGame| {
        let is_named = game.name.as_deref().is_none_or(|name| name.starts_with("Demo "));
        is_named && game.max_players == BOTS && game.round_length_in_millis == ROUND_MILLIS
    };
    Ok(active.iter().find(is_ours).map(|game| game.game_id))
}

async fn create(client: &GameClient, number: u64, seed: u64) -> Result<GameId, DemoError> {
    let game = json!({
        "name": format!("Demo {number}"), "maxRounds": ROUNDS, "maxPlayers": BOTS, "duration": ROUND_MILLIS, "seed": seed, "startMoney": START_MONEY,
    });
    let answer = client.send_raw(http::Method::POST, "/games", &game).await.map_err(CommandError::from)?;
    let answer: serde_json::Value = serde_json::from_str(answer.get()).unwrap_or_default();
    let id = serde_json::from_value(answer["gameId"].clone());
    Ok(id.map_err(|fault| {
        CommandError::Stopped(format!("the game service's answer names no game: {fault}"))
    })?)
}

/// What ends the demo: Ctrl-C, SIGTERM, and the end of its terminal.
struct Signals([Signal; 3]);

impl Signals {
    fn listen() -> io::Result<Self> {
        Ok(Self([
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        ]))
    }

    async fn received(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}
