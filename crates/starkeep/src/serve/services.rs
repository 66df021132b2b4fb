//! The services of this process: opens where their data is, then takes each service of the table through the same steps:
//! inspect its file, bind, open its store, build, serve, and stop gracefully.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;

use starkeep_platform::broken::Broken;
use starkeep_platform::chance::{Chance, SystemChance};
use starkeep_platform::clock::{Clock, SystemClock};
use starkeep_platform::data_dir::DataDirError;
use starkeep_platform::disk_log::DiskLog;
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::store::OpenError;
use starkeep_platform::tasks::Stop;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::openable::{openable, reachable};
use super::public_urls::PublicUrls;
use super::settings::Settings;
use super::storage::Storage;
use super::table::{Addresses, Context, Row, SERVICES, Shown};
use crate::args::ServeArgs;
use crate::features::Brokers;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeError {
    #[error("{0}")]
    Flags(String),
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    #[error("{place}: {source}")]
    Open { place: String, source: OpenError },
    #[error("cannot listen on {address}: {source}; choose another address with {flag}")]
    Listen { address: SocketAddr, flag: &'static str, source: std::io::Error },
    #[error("the service has stopped by itself: {0}")]
    Broken(String),
}

impl ServeError {
    /// 2 is for what was asked and cannot be, 1 for what went wrong on the way.
    pub(crate) fn exit_code(&self) -> u8 {
        if let Self::Broken(_) = self { 1 } else { 2 }
    }
}

/// What becomes of a usual port that is taken. One that was asked for is never replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TakenPorts {
    /// Those of the game and the map, which clients know by heart, end the start.
    Refused,
    /// All are replaced by free ones.
    Replaced,
}

/// All of them serve.
pub(crate) struct Services {
    rows: Vec<&'static Row>,
    addresses: Addresses,
    public_urls: PublicUrls,
    /// How a shell gets the admin token, if there is one.
    admin_token: Option<(Option<&'static str>, String)>,
    is_map_closed: bool,
    running: Vec<(JoinHandle<()>, Stop)>,
    storage: Storage,
    broken: Broken,
}

impl Services {
    pub(crate) async fn start(args: &ServeArgs, taken: TakenPorts) -> Result<Self, ServeError> {
        let chance: Arc<dyn Chance> = Arc::new(SystemChance);
        let settings = Settings::check(args, &*chance)?;
        // The lock comes first: another process may be about to create or change the files that are inspected next.
        let storage = Storage::open(&args.flags)?;
        // All further checks come before any file is changed and before any request is served.
        let rows: Vec<&Row> = SERVICES.iter().filter(|row| (row.is_wanted)(args.which, &settings)).collect();
        rows.iter().try_for_each(|row| storage.inspect(row))?;
        let (mut listeners, addresses) = bind_all(&rows, &settings, taken).await?;

        let clock: Arc<dyn Clock> = SystemClock::start_ahead_by(args.flags.shift_wall_clock);
        let brokers =
            args.flags.kafka().map(|servers| Brokers::at(&servers, clock.clone(), storage.is_shared()));
        let context = Context {
            settings: &settings,
            storage: &storage,
            addresses: &addresses,
            brokers: brokers.transpose().map_err(ServeError::Flags)?,
            relay_start: args.flags.kafka_from.into(),
            replica: ReplicaId(chance.uuid()),
            broken: Broken::default(),
            disk_log: DiskLog::new(clock.clone()),
            clock,
            chance,
        };
        let (broken, disk_log) = (context.broken.clone(), context.disk_log.clone());
        tokio::spawn(async move { disk_log.watch().await });
        let mut services = Vec::new();
        for row in &rows {
            let stop = Stop::new();
            let service = (row.open)(&context, row, &stop).await;
            let opening = |source| ServeError::Open { place: storage.place_of(row), source };
            services.push((service.map_err(opening)?, stop));
        }
        let mut running = Vec::new();
        for (row, (service, stop)) in rows.iter().zip(services) {
            let Some(listener) = listeners.remove(row.name) else { continue };
            running.push((tokio::spawn(service.serve(listener, row.drain, stop.clone())), stop));
        }
        Ok(Self {
            rows,
            addresses,
            public_urls: settings.public_urls,
            admin_token: args.flags.token.in_shell(),
            is_map_closed: settings.closed_map,
            running,
            storage,
            broken,
        })
    }

    /// Waits until a store cannot go on; why.
    pub(super) async fn broken(&self) -> &str {
        self.broken.told().await
    }

    /// In the order in which they were started.
    pub(super) fn addresses(&self) -> impl Iterator<Item = (&'static str, SocketAddr)> {
        self.rows.iter().map(|row| (row.name, self.addresses[row.name]))
    }

    pub(super) fn storage(&self) -> &Storage {
        &self.storage
    }

    /// Where clients find them: as a host has said, or an address that can be opened.
    pub(crate) fn public_urls(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.addresses().map(|(name, address)| {
            let given = self.public_urls.of(name).map(ToString::to_string);
            (name, given.unwrap_or_else(|| format!("http://{}", openable(address))))
        })
    }

    /// Where this process finds them.
    pub(crate) fn local_urls(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.addresses().map(|(name, address)| (name, format!("http://{}", reachable(address))))
    }

    /// Commands of a POSIX shell to try, for somebody new; and one that asks for the admin token, where they need that.
    pub(super) fn try_next(&self) -> (Option<&'static str>, Vec<String>) {
        let urls: BTreeMap<_, _> = self.public_urls().collect();
        let (ask, by_host) = match &self.admin_token {
            Some((ask, token)) => (*ask, format!(" -H \"Authorization: Bearer {token}\"")),
            None => (None, String::new()),
        };
        let for_map = if self.is_map_closed { by_host.clone() } else { String::new() };
        let shown = Shown { by_host, for_map };
        let commands = self.rows.iter().rev().flat_map(|row| (row.try_next)(&urls[row.name], &shown));
        let commands: Vec<_> = commands.collect();
        let is_shown = |command: &String| !shown.by_host.is_empty() && command.contains(&shown.by_host);
        (ask.filter(|_| commands.iter().any(is_shown)), commands)
    }

    /// What to open in a browser: the game's page, and what each service takes and answers.
    pub(super) fn pages(&self) -> Vec<String> {
        let urls: BTreeMap<_, _> = self.public_urls().collect();
        let page = urls.get("game").map(|game| format!("{game}/"));
        let documents = self.rows.iter().rev().map(|row| format!("{}/docs", urls[row.name]));
        page.into_iter().chain(documents).collect()
    }

    /// In the reverse order of the table: what a service finishes may need those above it.
    pub(crate) async fn stop(self) {
        for (service, stop) in self.running.into_iter().rev() {
            stop.cancel();
            if let Err(fault) = service.await {
                tracing::error!(%fault, "a service ended with an error");
            }
        }
    }
}

type Listeners = BTreeMap<&'static str, TcpListener>;

async fn bind_all(
    rows: &[&Row],
    settings: &Settings,
    taken: TakenPorts,
) -> Result<(Listeners, Addresses), ServeError> {
    let asked = |row: &Row| {
        let is_fixed = row.is_known_by_heart && taken == TakenPorts::Refused;
        (row.listen)(settings).or(is_fixed.then_some(row.usual))
    };
    let (mut listeners, mut addresses) = (BTreeMap::new(), Addresses::default());
    // Who was given an address comes first: nobody takes it as a default before.
    let (given, others): (Vec<_>, Vec<_>) = rows.iter().partition(|row| asked(row).is_some());
    for row in given.into_iter().chain(others) {
        let listener = bind(row, asked(row)).await?;
        let address = listener.local_addr().map_err(|source| row.cannot_listen(row.usual, source))?;
        addresses.insert(row.name, address);
        listeners.insert(row.name, listener);
    }
    Ok((listeners, addresses))
}

/// Where nobody asked for an address, another port does as well: clients ask the game service where the others are.
async fn bind(row: &Row, asked: Option<SocketAddr>) -> Result<TcpListener, ServeError> {
    let address = asked.unwrap_or(row.usual);
    match TcpListener::bind(address).await {
        Err(fault) if asked.is_none() && fault.kind() == ErrorKind::AddrInUse => {
            tracing::warn!(
                "{address} is taken, so the {} service listens on a free port; choose one with {}",
                row.name,
                row.flag
            );
            let free = SocketAddr::new(address.ip(), 0);
            TcpListener::bind(free).await.map_err(|source| row.cannot_listen(free, source))
        }
        bound => bound.map_err(|source| row.cannot_listen(address, source)),
    }
}
