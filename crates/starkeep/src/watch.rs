//! `starkeep watch`: follows a game live, as a screen on a terminal or as lines in a pipe.
//! What is known is folded in `model` and shown by `view`; here events arrive and the services are asked.

mod asking;
mod draw;
mod following;
mod model;
mod pace;
mod screen;
mod sentences;
#[cfg(test)]
mod tests;
mod view;

use std::io::{self, IsTerminal};
use std::sync::Arc;

use starkeep_client::GameClient;
use starkeep_contract::services::Services;
use starkeep_platform::clock::{Clock, SystemClock};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use self::asking::{Asking, News};
use self::following::{Arrival, follow_all};
use self::model::{Message, Model};
use self::pace::Pace;
use self::screen::Screen;
use self::view::View;
use crate::args::{OutputArgs, WatchArgs};
use crate::failure::CommandError;
use crate::game::client;
use crate::games::{self, ShownGame};

/// What is watched, and how it is shown.
pub(crate) struct Watched<'a> {
    pub urls: Services,
    pub token: Option<String>,
    pub choice: Choice,
    /// Shown at the top.
    pub page: Option<String>,
    pub output: &'a OutputArgs,
}

pub(crate) enum Choice {
    /// This one, until it ends.
    Only(Box<ShownGame>),
    /// The only active game, or else the next one, and those that come after it.
    Active,
    /// One after the other, as somebody else plays them.
    Played(watch::Receiver<Option<Played>>),
}

/// A game that is played from now on.
#[derive(Clone)]
pub(crate) struct Played {
    pub game: ShownGame,
    /// What is to be said of it.
    pub note: Option<String>,
}

/// Whether a picture is drawn, or lines are printed.
pub(crate) fn is_on_a_screen(output: &OutputArgs) -> bool {
    io::stdout().is_terminal() && !output.json
}

pub(crate) async fn watch(args: &WatchArgs) -> Result<(), CommandError> {
    let mut interrupted = signal(SignalKind::interrupt()).map_err(CommandError::Signals)?;
    let mut terminated = signal(SignalKind::terminate()).map_err(CommandError::Signals)?;
    let token = args.token.read().map_err(CommandError::Asked)?;
    let urls = args.addresses.all().await.map_err(|fault| CommandError::Asked(fault.to_string()))?;
    let choice = match &args.game {
        Some(wanted) => {
            let game = games::find(&client(&urls.game, token.as_deref())?, Some(wanted)).await?;
            Choice::Only(Box::new(game))
        }
        None => Choice::Active,
    };
    let watched = Watched { urls, token, choice, page: None, output: &args.output };
    tokio::select! {
        biased;
        _ = interrupted.recv() => Ok(()),
        _ = terminated.recv() => Ok(()),
        outcome = run(&watched) => outcome,
    }
}

/// Ends with the game, if only one is watched.
pub(crate) async fn run(watched: &Watched<'_>) -> Result<(), CommandError> {
    let clock: Arc<dyn Clock> = SystemClock::start();
    let client = client(&watched.urls.game, watched.token.as_deref())?;
    let (mut streams, mut arriving) = follow_all(watched).await?;
    let screen = is_on_a_screen(watched.output).then(|| Screen::open(watched.output.paint()));
    let mut asking = Asking::new(client.clone(), &watched.urls, watched.token.as_deref(), clock.clone());
    let model = Model { page: watched.page.clone(), ..Model::default() };
    let mut view = View { model, screen, output: watched.output };
    let mut played = None;
    match &watched.choice {
        Choice::Only(game) => view.tell(Message::Watch(Some(game.clone()))).await?,
        Choice::Active => view.tell(Message::Watch(only_active(&client).await?.map(Box::new))).await?,
        Choice::Played(games) => played = Some(games.clone()),
    }
    asking.ask_all(view.game());
    let mut following = None;
    let mut pace = Pace::begin(clock.monotonic());
    loop {
        tokio::select! {
            Some(arrival) = arriving.recv() => match arrival {
                Arrival::Event(service, event) => {
                    view.print_json(service, &event).await?;
                    asking.ask_for(&event, view.game());
                    view.tell(Message::Event(event)).await?;
                }
                Arrival::Again => asking.ask_all(view.game()),
                Arrival::Reached(is_reached) => {
                    view.tell(Message::Reached(is_reached)).await?;
                    if is_reached {
                        asking.ask_all(view.game());
                    }
                }
                Arrival::Failed(fault) => return Err(fault.into()),
            },
            Some(news) = asking.next(view.game()) => match news {
                News::OfTheGame(message) => {
                    view.tell(message).await?;
                    if let Some(game) = view.game() {
                        asking.ask_for_places(game);
                    }
                }
                News::Following(game) => following = game,
            },
            Some(Played { game, note }) = next_played(played.as_mut()) => {
                if let Some(note) = note {
                    view.tell(Message::Note(note)).await?;
                }
                view.tell(Message::Watch(Some(Box::new(game)))).await?;
                asking.ask_all(view.game());
            }
            () = clock.sleep_until(pace.next()), if view.screen.is_some() => {}
        }
        let now = clock.monotonic();
        if pace.is_due(now) {
            view.draw(now);
        }
        let is_over = view.game().is_none_or(ShownGame::has_ended);
        match &watched.choice {
            Choice::Only(_) if is_over && asking.is_idle() => break,
            Choice::Active if is_over => {
                let before = view.game().map(|game| game.game_id);
                if let Some(next) = following.take_if(|next| Some(next.game_id) != before) {
                    view.tell(Message::Watch(Some(next))).await?;
                    asking.ask_all(view.game());
                }
            }
            _ => {}
        }
    }
    streams.abort_all();
    view.leave(clock.monotonic());
    Ok(())
}

/// None where nobody tells which games are played.
async fn next_played(played: Option<&mut watch::Receiver<Option<Played>>>) -> Option<Played> {
    let played = played?;
    played.changed().await.ok()?;
    played.borrow_and_update().clone()
}

/// Without a game that was named, several are not guessed at.
async fn only_active(client: &GameClient) -> Result<Option<ShownGame>, CommandError> {
    let active = games::active(client).await?;
    if active.is_empty() {
        return Ok(None);
    }
    Ok(Some(games::choose(&active, None).map_err(CommandError::Asked)?.clone()))
}
