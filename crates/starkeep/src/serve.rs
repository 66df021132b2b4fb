//! `starkeep serve`: opens the data directory, then takes each service of the table through the same steps: inspect its
//! file, bind, open its store, build, serve, and stop gracefully. Combinations of flags are checked in `settings`.

mod settings;
mod table;

use std::collections::BTreeMap;
use std::future::Future;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use starkeep_kafka::Kafka;
use starkeep_platform::chance::{Chance, SystemChance};
use starkeep_platform::clock::{Clock, SystemClock};
use starkeep_platform::data_dir::{DataDir, DataDirError};
use starkeep_platform::replica::ReplicaId;
use starkeep_platform::store::OpenError;
use starkeep_platform::tasks::Stop;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;

use self::settings::Settings;
use self::table::{Addresses, Context, Row, SERVICES};
use crate::args::ServeArgs;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeError {
    #[error("{0}")]
    Flags(String),
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    #[error("{}: {source}", file.display())]
    Open { file: PathBuf, source: OpenError },
    #[error("cannot listen on {address}: {source}; choose another address with {flag}")]
    Listen { address: SocketAddr, flag: &'static str, source: std::io::Error },
}

pub(crate) async fn serve(args: ServeArgs) -> Result<(), ServeError> {
    let chance: Arc<dyn Chance> = Arc::new(SystemChance);
    let settings = Settings::check(&args, &*chance)?;
    // The lock comes first: another process may be about to create or change the files that are inspected next.
    let data = DataDir::open(&args.data_dir)?;
    // All further checks come before any file is changed and before any request is served.
    let rows: Vec<&Row> = SERVICES.iter().filter(|row| (row.is_wanted)(args.which, &settings)).collect();
    for row in &rows {
        let file = data.file(row.file);
        (row.inspect)(&file).map_err(opening(&file))?;
    }
    let (mut listeners, mut addresses) = (BTreeMap::new(), Addresses::default());
    // Who was given an address comes first: nobody takes it as a default before.
    let (asked, others): (Vec<_>, Vec<_>) = rows.iter().partition(|row| (row.listen)(&args).is_some());
    for row in asked.into_iter().chain(others) {
        let listener = bind(row, (row.listen)(&args)).await?;
        let address = listener.local_addr().map_err(|source| row.cannot_listen(row.usual, source))?;
        addresses.insert(row.name, address);
        listeners.insert(row.name, listener);
    }

    let clock: Arc<dyn Clock> = SystemClock::start();
    let context = Context {
        settings: &settings,
        addresses: &addresses,
        kafka: args.kafka().map(|servers| Kafka::at(&servers, clock.clone())),
        relay_start: args.kafka_from.into(),
        replica: ReplicaId(chance.uuid()),
        clock,
        chance,
    };
    let mut services = Vec::new();
    for row in &rows {
        let file = data.file(row.file);
        services.push((row.open)(&context, &file).await.map_err(opening(&file))?);
    }

    println!("Starkeep {}, data directory: {}", env!("CARGO_PKG_VERSION"), data.path().display());
    let signalled = stop_on_signals();
    let mut running = Vec::new();
    for (row, service) in rows.iter().zip(services) {
        let Some(listener) = listeners.remove(row.name) else { continue };
        let stop = Stop::new();
        running.push((tokio::spawn(service.serve(listener, row.drain, stop.clone())), stop));
        println!("{} service listening on http://{}", row.name, addresses[row.name]);
    }
    println!("\nTry next:");
    for row in rows.iter().rev() {
        println!("{}", (row.try_next)(addresses[row.name]));
    }
    println!("Stop with Ctrl-C.");

    signalled.cancelled().await;
    // In the reverse order of the table: what a service finishes may need those above it.
    for (service, stop) in running.into_iter().rev() {
        stop.cancel();
        ended(service).await;
    }
    tracing::info!("stopped");
    Ok(())
}

/// Adds the file to an error.
fn opening(file: &Path) -> impl FnOnce(OpenError) -> ServeError + '_ {
    move |source| ServeError::Open { file: file.to_owned(), source }
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

async fn ended(service: JoinHandle<()>) {
    if let Err(fault) = service.await {
        tracing::error!(%fault, "a service ended with an error");
    }
}

/// SIGTERM and Ctrl-C start a graceful stop; a second signal ends the process at once.
fn stop_on_signals() -> Stop {
    let stop = Stop::new();
    let announced = stop.clone();
    let (terminate, interrupt) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    tokio::spawn(async move {
        let (Ok(mut terminate), Ok(mut interrupt)) = (terminate, interrupt) else {
            tracing::warn!("signal handlers cannot be installed: the process can only be killed");
            return;
        };
        either(terminate.recv(), interrupt.recv()).await;
        tracing::info!("stopping: no new requests, finishing those in flight");
        announced.cancel();
        either(terminate.recv(), interrupt.recv()).await;
        tracing::warn!("second signal: exiting at once");
        std::process::exit(1);
    });
    stop
}

async fn either(first: impl Future<Output = Option<()>>, second: impl Future<Output = Option<()>>) {
    tokio::select! {
        biased;
        _ = first => {}
        _ = second => {}
    }
}
