//! `starkeep serve`: starts the services, says where they are, and stops them on a signal.
//! How they are started is in `services`; combinations of flags are checked in `settings`.

mod openable;
mod public_urls;
mod services;
mod settings;
mod storage;
mod table;

use serde_json::{Map, Value, json};
use starkeep_platform::background_output;
use starkeep_platform::tasks::Stop;
use tokio::signal::unix::{SignalKind, signal};

use self::openable::openable;
pub(crate) use self::services::{ServeError, Services, TakenPorts};
pub(crate) use self::storage::{ServicePlace, service_places};
pub(crate) use self::table::Context;
use crate::args::ServeArgs;

pub(crate) async fn serve(args: &ServeArgs) -> Result<(), ServeError> {
    let services = Services::start(args, TakenPorts::Refused).await?;
    let signalled = stop_on_signals();
    let started = if args.flags.output.json { as_json(&services) } else { as_text(&services) };
    background_output::stdout().print_line(&started);
    let broken = tokio::select! {
        biased;
        () = signalled.cancelled() => None,
        reason = services.broken() => Some(reason.to_owned()),
    };
    if let Some(reason) = &broken {
        tracing::error!(%reason, "stopping by itself");
    }
    services.stop().await;
    tracing::info!("stopped");
    broken.map_or(Ok(()), |reason| Err(ServeError::Broken(reason)))
}

fn as_text(services: &Services) -> String {
    let mut lines =
        vec![format!("Starkeep {}, {}", env!("CARGO_PKG_VERSION"), services.storage().described())];
    for (name, address) in services.addresses() {
        lines.push(format!("{name} service listening on http://{}", openable(address)));
    }
    lines.push(String::new());
    let indented = |line: String| format!("  {line}");
    let (first, commands) = services.try_next();
    // Not among the commands: what is pasted behind it would be read as the token.
    lines.extend(first.map(|ask| format!("Type `{ask}` and then the admin token.")));
    if !commands.is_empty() {
        lines.push("Try next:".to_owned());
        lines.extend(commands.into_iter().map(indented));
    }
    lines.push("In a browser:".to_owned());
    lines.extend(services.pages().into_iter().map(indented));
    lines.push("Stop with Ctrl-C.".to_owned());
    lines.join("\n")
}

/// One document, in the shape of `GET /services`.
fn as_json(services: &Services) -> String {
    let urls: Map<String, Value> =
        services.public_urls().map(|(name, url)| (name.to_owned(), url.into())).collect();
    let mut document = json!({ "version": env!("CARGO_PKG_VERSION"), "services": urls });
    let (kind, place) = services.storage().as_json();
    document[kind] = place;
    document.to_string()
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
        background_output::finish();
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
