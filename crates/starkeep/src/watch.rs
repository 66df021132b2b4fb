//! `starkeep watch`: follows a game live, as a screen on a terminal or as lines in a pipe.
//! What is known is folded in `model` and drawn in `draw`; here events arrive and the services are asked.

mod asking;
mod draw;
mod model;
mod screen;
mod sentences;
#[cfg(test)]
mod tests;

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use starkeep_client::{ClientError, EventStream, GameClient, Item, StartFrom};
use starkeep_contract::events::{Channel, PublishedEvent};
use starkeep_contract::services::Services;
use starkeep_platform::clock::{Clock, SystemClock};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use self::asking::{Ask, Asking};
use self::model::{Message, Model};
use self::screen::Screen;
use crate::args::{OutputArgs, WatchArgs};
use crate::failure::CommandError;
use crate::game::client;
use crate::games::{self, ShownGame};
use crate::output::print_line;

/// The countdown is drawn anew so often.
const BETWEEN_PICTURES: Duration = Duration::from_millis(100);

/// What is watched, and how it is shown.
pub(crate) struct Watched<'a> {
    pub urls: Services,
    pub token: Option<String>,
    /// None: the next game, and those that come after it.
    pub only: Option<ShownGame>,
    /// Shown at the top.
    pub page: Option<String>,
    pub output: &'a OutputArgs,
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
    let only = match &args.game {
        Some(wanted) => Some(games::find(&client(&urls.game, token.as_deref())?, Some(wanted)).await?),
        None => None,
    };
    let watched = Watched { urls, token, only, page: None, output: &args.output };
    tokio::select! {
        biased;
        _ = interrupted.recv() => Ok(()),
        _ = terminated.recv() => Ok(()),
        outcome = run(&watched) => outcome,
    }
}

/// What came from a service.
enum Arrival {
    Event(&'static str, Box<PublishedEvent>),
    /// Events may be missing, or the connection was away: everything is asked anew.
    Again,
    Reached(bool),
    Failed(ClientError),
}

/// Ends with the game, if only one is watched.
pub(crate) async fn run(watched: &Watched<'_>) -> Result<(), CommandError> {
    let clock: Arc<dyn Clock> = SystemClock::start();
    let client = client(&watched.urls.game, watched.token.as_deref())?;
    let (mut streams, mut arriving) = follow_all(watched).await?;
    let screen = if is_on_a_screen(watched.output) {
        Some(Screen::open(watched.output.paint()).map_err(CommandError::Output)?)
    } else {
        None
    };
    let mut model = Model { page: watched.page.clone(), ..Model::default() };
    let mut asking = Asking::new(client.clone(), &watched.urls, watched.token.as_deref(), clock.clone());
    let first = match &watched.only {
        Some(game) => Some(game.clone()),
        None => only_active(&client).await?,
    };
    tell(&mut model, Message::Watch(first.map(Box::new)), screen.as_ref(), watched.output)?;
    asking.ask_all(model.game.as_ref());
    loop {
        let next_picture = clock.monotonic().after(BETWEEN_PICTURES);
        tokio::select! {
            Some(arrival) = arriving.recv() => match arrival {
                Arrival::Event(service, event) => {
                    if watched.output.json && (model.is_of_the_game(&event) || event.channel == Channel::Status) {
                        print_json(service, &event)?;
                    }
                    asking.ask_for(&event, model.game.as_ref());
                    tell(&mut model, Message::Event(event), screen.as_ref(), watched.output)?;
                }
                Arrival::Again => asking.ask_all(model.game.as_ref()),
                Arrival::Reached(is_reached) => {
                    tell(&mut model, Message::Reached(is_reached), screen.as_ref(), watched.output)?;
                    if is_reached {
                        asking.ask_all(model.game.as_ref());
                    }
                }
                Arrival::Failed(fault) => return Err(fault.into()),
            },
            Some(message) = asking.next(model.game.as_ref()) => {
                tell(&mut model, message, screen.as_ref(), watched.output)?;
            }
            () = clock.sleep_until(next_picture), if screen.is_some() => {}
        }
        if let Some(screen) = &screen {
            let (width, height) = Screen::size();
            screen
                .show(&draw::draw(&model, clock.monotonic(), width, height))
                .map_err(CommandError::Output)?;
        }
        let is_over = model.game.as_ref().is_none_or(ShownGame::has_ended);
        if is_over && asking.is_idle() && watched.only.is_some() {
            break;
        }
        if is_over && watched.only.is_none() && asking.found_another(&model) {
            let next = asking.take_found();
            tell(&mut model, Message::Watch(next.map(Box::new)), screen.as_ref(), watched.output)?;
            asking.ask_all(model.game.as_ref());
        }
    }
    streams.abort_all();
    let is_drawn = screen.is_some();
    drop(screen);
    if is_drawn {
        // What stays on the terminal is how the game ended.
        for line in draw::draw(&model, clock.monotonic(), Screen::size().0, 24) {
            print_line(line.1.trim_end())?;
        }
    }
    Ok(())
}

/// Without a game that was named, several are not guessed at.
async fn only_active(client: &GameClient) -> Result<Option<ShownGame>, CommandError> {
    let active = games::active(client).await?;
    if active.is_empty() {
        return Ok(None);
    }
    Ok(Some(games::choose(&active, None).map_err(CommandError::Asked)?.clone()))
}

fn tell(
    model: &mut Model,
    message: Message,
    screen: Option<&Screen>,
    output: &OutputArgs,
) -> Result<(), CommandError> {
    match model.apply(message) {
        Some(sentence) if screen.is_none() && !output.json => print_line(&sentence),
        _ => Ok(()),
    }
}

/// As in a page of events, with the service that it is of.
fn print_json(service: &str, event: &PublishedEvent) -> Result<(), CommandError> {
    let mut line = json!(event);
    line["service"] = service.into();
    print_line(&line.to_string())
}

type Following = (JoinSet<()>, mpsc::Receiver<Arrival>);

/// The game service must be there; from the others nothing is heard while they are away.
async fn follow_all(watched: &Watched<'_>) -> Result<Following, CommandError> {
    let Services { game, map, robot, trading } = &watched.urls;
    let (sender, arriving) = mpsc::channel(256);
    let mut streams = JoinSet::new();
    // An address that nobody answers at is said at once instead of being waited for.
    client(game, watched.token.as_deref())?.services().await?;
    for (service, url) in [
        ("game", Some(game)),
        ("map", map.as_ref()),
        ("robot", robot.as_ref()),
        ("trading", trading.as_ref()),
    ] {
        let Some(url) = url else { continue };
        let mut stream = EventStream::open(url, StartFrom::End, &[])
            .map_err(|fault| CommandError::Asked(fault.to_string()))?;
        if let Some(token) = &watched.token {
            stream = stream.with_token(token);
        }
        if service == "game" {
            stream.ready().await?;
            let (mut is_reached, sender) = (stream.is_reached(), sender.clone());
            streams.spawn(async move {
                while is_reached.changed().await.is_ok() {
                    let reached = *is_reached.borrow_and_update();
                    if sender.send(Arrival::Reached(reached)).await.is_err() {
                        return;
                    }
                }
            });
        }
        streams.spawn(follow(service, stream, sender.clone()));
    }
    Ok((streams, arriving))
}

async fn follow(service: &'static str, mut stream: EventStream, sender: mpsc::Sender<Arrival>) {
    loop {
        let arrival = match stream.next().await {
            Ok(Item::Event(event)) => Arrival::Event(service, Box::new(event)),
            Ok(Item::Gap(_)) => Arrival::Again,
            Err(fault) if service == "game" => Arrival::Failed(fault),
            Err(_) => return,
        };
        let is_last = matches!(arrival, Arrival::Failed(_));
        if sender.send(arrival).await.is_err() || is_last {
            return;
        }
    }
}

impl Asking {
    /// What an event makes worth asking.
    fn ask_for(&mut self, event: &PublishedEvent, game: Option<&ShownGame>) {
        let asks: &[Ask] = match event.channel {
            Channel::RoundStatus | Channel::GameClock => &[Ask::Time],
            Channel::Status => &[Ask::Game, Ask::Time, Ask::Board, Ask::Next],
            Channel::Scores | Channel::PlayerStatus | Channel::GameRoster => &[Ask::Board, Ask::Game],
            _ => &[],
        };
        for ask in asks {
            self.ask(*ask, game);
        }
    }
}
