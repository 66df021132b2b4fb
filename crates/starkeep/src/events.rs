//! `starkeep events`: follows the services' streams and prints one line per event.
//! A service that is unreachable is waited for; a request that it refuses ends the command with the service's reason.

mod show;

use std::io::{self, ErrorKind};

use starkeep_client::{ClientError, EventStream, Item, StartFrom};
use starkeep_contract::events::{Channel, Publisher};
use starkeep_contract::services::Services;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::args::{EventsArgs, Followed, bad_address};
use crate::names::AskedNames;
use crate::output;

#[derive(Debug, thiserror::Error)]
pub(crate) enum EventsError {
    #[error("{0}")]
    Flags(String),
    #[error("{0}")]
    Address(ClientError),
    #[error("the {service} service: {fault}")]
    Service { service: &'static str, fault: Box<ClientError> },
    #[error("standard output cannot be written: {0}")]
    Output(io::Error),
    #[error("signals cannot be received: {0}")]
    Signals(io::Error),
}

impl EventsError {
    /// 2 is for what was asked and cannot be, 1 for what went wrong on the way.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Flags(_) | Self::Address(_) => 2,
            Self::Service { fault, .. } if matches!(**fault, ClientError::Refused(_)) => 2,
            Self::Service { .. } | Self::Output(_) | Self::Signals(_) => 1,
        }
    }
}

/// A service, and what came from it.
type Arrival = (&'static str, Result<Item, ClientError>);

pub(crate) async fn events(args: &EventsArgs) -> Result<(), EventsError> {
    let mut interrupted = signal(SignalKind::interrupt()).map_err(EventsError::Signals)?;
    let (sender, mut arriving) = mpsc::channel(64);
    let mut following = JoinSet::new();
    let addresses = args.addresses.all().await.map_err(EventsError::Address)?;
    let token = args.token.read().map_err(EventsError::Flags)?;
    for (service, stream) in streams(args, &addresses)? {
        let stream = token.iter().fold(stream, |stream, token| stream.with_token(token));
        following.spawn(follow(service, stream, sender.clone()));
    }
    let mut names = AskedNames::new(&addresses, token.as_deref()).map_err(EventsError::Address)?;
    let mut left = args.limit.unwrap_or(u64::MAX);
    while left > 0 {
        let arrived: Option<Arrival> = tokio::select! {
            biased;
            _ = interrupted.recv() => return Ok(()),
            arrived = arriving.recv() => arrived,
        };
        let Some((service, outcome)) = arrived else { return Ok(()) };
        let item = outcome.map_err(|fault| EventsError::Service { service, fault: Box::new(fault) })?;
        let shown = async {
            if args.output.json {
                return output::write(format!("{}\n", show::json(&item))).await;
            }
            if let Item::Event(event) = &item {
                names.learn(event).await;
            }
            output::write(format!("{}\n", show::text(service, &item, &names.names))).await
        };
        let shown = tokio::select! {
            biased;
            _ = interrupted.recv() => return Ok(()),
            shown = shown => shown,
        };
        match shown {
            Ok(()) => {}
            // The reader of the pipe has ended.
            Err(fault) if fault.kind() == ErrorKind::BrokenPipe => return Ok(()),
            Err(fault) => return Err(EventsError::Output(fault)),
        }
        left -= u64::from(matches!(item, Item::Event(_)));
    }
    Ok(())
}

async fn follow(service: &'static str, mut stream: EventStream, sender: mpsc::Sender<Arrival>) {
    loop {
        let outcome = stream.next().await;
        let failed = outcome.is_err();
        if sender.send((service, outcome)).await.is_err() || failed {
            return;
        }
    }
}

fn streams(args: &EventsArgs, addresses: &Services) -> Result<Vec<(&'static str, EventStream)>, EventsError> {
    let wanted: Vec<&str> =
        args.channels.iter().map(|name| name.trim()).filter(|name| !name.is_empty()).collect();
    let services = [
        ("game", Followed::Game, Some(&addresses.game)),
        ("map", Followed::Map, addresses.map.as_ref()),
        ("robot", Followed::Robot, addresses.robot.as_ref()),
        ("trading", Followed::Trading, addresses.trading.as_ref()),
    ];
    let mut streams = Vec::new();
    for (name, service, url) in services {
        let mut channels = wanted.clone();
        if args.service == Followed::All {
            // A service refuses channels of another one; unknown names are sent to all, which explain them.
            channels
                .retain(|name| Channel::from_name(name).is_none_or(|channel| service_of(channel) == service));
        } else if args.service != service {
            continue;
        }
        if channels.is_empty() && !wanted.is_empty() {
            continue;
        }
        let Some(url) = url else {
            if args.service == service {
                return Err(EventsError::Flags(format!("there is no {name} service here")));
            }
            continue;
        };
        let stream = EventStream::open(url, args.after.clone(), &channels)
            .map_err(|fault| EventsError::Flags(bad_address(name, &fault)))?;
        streams.push((name, stream));
    }
    if streams.len() > 1 && matches!(args.after, StartFrom::After(_)) {
        return Err(EventsError::Flags(
            "--after with a position needs --service and one service's name: each has positions of its own"
                .into(),
        ));
    }
    Ok(streams)
}

/// The service whose channel it is.
fn service_of(channel: Channel) -> Followed {
    match channel.publisher() {
        Publisher::Game => Followed::Game,
        Publisher::Map => Followed::Map,
        Publisher::Robot => Followed::Robot,
        Publisher::Trading => Followed::Trading,
    }
}
