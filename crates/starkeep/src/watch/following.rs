//! The events of all services of a game in one queue, and whether the game service is reached.

use starkeep_client::{ClientError, EventStream, Item, StartFrom};
use starkeep_contract::events::PublishedEvent;
use starkeep_contract::services::Services;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::Watched;
use crate::args::bad_address;
use crate::failure::CommandError;
use crate::game::client;

/// What came from a service.
pub(super) enum Arrival {
    Event(&'static str, Box<PublishedEvent>),
    /// Events may be missing, or the connection was away: everything is asked anew.
    Again,
    Reached(bool),
    Failed(ClientError),
}

/// As long as the tasks are held, events arrive.
type Following = (JoinSet<()>, mpsc::Receiver<Arrival>);

/// The game service must be there; from the others nothing is heard while they are away.
pub(super) async fn follow_all(watched: &Watched<'_>) -> Result<Following, CommandError> {
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
            .map_err(|fault| CommandError::Asked(bad_address(service, &fault)))?;
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
