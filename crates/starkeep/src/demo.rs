//! `starkeep demo`: the services with a game of bots, which is followed by another one for as long as it runs.
//! All of it is in this process, and its data is thrown away, unless somebody said where to keep it.

mod games;
mod world;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;
use starkeep_contract::services::Services as Urls;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch::channel as watch_channel;

use self::games::play_for_ever;
use crate::args::{DemoArgs, ServeArgs, Which};
use crate::bot;
use crate::failure::CommandError;
use crate::game::client;
use crate::output::print_line;
use crate::serve::{ServeError, Services, TakenPorts};
use crate::watch::{self, Choice, Watched};

/// Where the bots of the demo keep their tokens, beside the data of the services.
const TOKENS: &str = "demo-bots.jsonl";

/// In the place of an address, which may be another one each time.
const OF_THE_DEMO: &str = "demo";

#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error("the bots: {0}")]
    Bots(#[from] bot::BotError),
    #[error(
        "the game of the demo cannot start: {0}\nhint: end that game with `starkeep game end`, or give the demo another \
         --data-dir or a larger --max-running-games"
    )]
    NoSlot(String),
    #[error(
        "the bots of an earlier demo cannot come back: {0} does not have their tokens; give the demo another --data-dir"
    )]
    TokensLost(String),
    #[error("a temporary directory cannot be made: {0}; name one with --data-dir")]
    Temporary(io::Error),
}

impl DemoError {
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Serve(_) | Self::Temporary(_) => 2,
            Self::Command(fault) => fault.exit_code(),
            Self::Bots(_) | Self::NoSlot(_) | Self::TokensLost(_) => 1,
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
    let (urls, page) = (urls(&services), page(&services));
    let line =
        if args.flags.output.json { json!({ "page": page }).to_string() } else { format!("open {page}") };
    let client = client(&urls.game, token.as_deref())?;
    // A database outlives the temporary directory.
    let beside = if args.flags.database_url.is_some() { PathBuf::new() } else { args.flags.data_dir() };
    let tokens = Arc::new(bot::TokenFile::open(&beside.join(TOKENS), OF_THE_DEMO)?);
    let game_url = urls.game.clone();
    let (played, games) = watch_channel(None);
    let choice = Choice::Played(games);
    let watched = Watched { urls, token, choice, page: Some(page), output: &args.flags.output };
    let shown = async {
        if !watch::is_on_a_screen(watched.output) {
            print_line(&line).await?;
        }
        watch::run(&watched).await
    };
    // The games go on also where nobody reads, and where it cannot be written.
    let shown = async {
        match shown.await {
            Err(fault @ CommandError::Output(_)) => {
                tracing::warn!("{fault}; the games go on");
                std::future::pending().await
            }
            outcome => outcome,
        }
    };
    let outcome = tokio::select! {
        biased;
        () = stop.received() => Ok(()),
        outcome = shown => outcome.map_err(DemoError::from),
        outcome = play_for_ever(&game_url, &client, &tokens, &played) => outcome,
    };
    // Nobody listens to the services any longer, so that they end at once. A second signal does not wait for them.
    tokio::select! {
        biased;
        () = stop.received() => {}
        () = services.stop() => {}
    }
    outcome
}

/// Where this process calls its services.
fn urls(services: &Services) -> Urls {
    let url = |name: &str| services.local_urls().find(|(service, _)| *service == name).map(|(_, url)| url);
    Urls {
        game: url("game").unwrap_or_default(),
        map: url("map"),
        robot: url("robot"),
        trading: url("trading"),
    }
}

/// What is opened in a browser.
fn page(services: &Services) -> String {
    let url = services.public_urls().find(|(service, _)| *service == "game").map(|(_, url)| url);
    format!("{}/", url.unwrap_or_default())
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
