//! The executable: reads the command line and hands over.
//! Exit codes: 0 done, 1 failed while running, 2 asked for something that cannot be.

mod args;
mod bot;
mod durations;
mod events;
mod serve;
mod world;

use std::process::ExitCode;

use clap::Parser;
use starkeep_platform::telemetry::{self, LogFormat};
use tokio::runtime::Runtime;

use crate::args::{Cli, Command};

fn main() -> ExitCode {
    let command = Cli::parse().command();
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(fault) => return fail(&format!("the runtime cannot be started: {fault}"), 1),
    };
    match command {
        Command::Serve(args) => {
            telemetry::start(args.log_format.into(), &args.log);
            allow_many_connections();
            match runtime.block_on(serve::serve(*args)) {
                Ok(()) => ExitCode::SUCCESS,
                Err(failure) => fail(&failure.to_string(), 2),
            }
        }
        Command::Events(args) => {
            telemetry::start(LogFormat::Text, "warn,starkeep_http_client=info");
            let outcome = runtime.block_on(events::events(&args));
            end(runtime, outcome.map_err(|failure| (failure.to_string(), failure.exit_code())))
        }
        Command::World(args) => {
            telemetry::start(LogFormat::Text, "warn");
            let outcome = runtime.block_on(world::world(&args));
            end(runtime, outcome.map_err(|failure| (failure.to_string(), failure.exit_code())))
        }
        Command::Bot(args) => {
            telemetry::start(LogFormat::Text, "warn,starkeep::bot=info");
            let outcome = runtime.block_on(bot::bot(&args));
            end(runtime, outcome.map_err(|failure| (failure.to_string(), failure.exit_code())))
        }
    }
}

/// With what went wrong, if anything did, and its exit code.
fn end(runtime: Runtime, outcome: Result<(), (String, u8)>) -> ExitCode {
    // A host name that is still being resolved is not waited for.
    runtime.shutdown_background();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err((failure, code)) => fail(&failure, code),
    }
}

/// Every connection is a file, and the soft limit of most systems is far below the number that we serve.
fn allow_many_connections() {
    match rlimit::increase_nofile_limit(rlimit::INFINITY) {
        Ok(files) => tracing::debug!(files, "connections and files that may be open"),
        Err(fault) => tracing::warn!(%fault, "the number of open files could not be raised"),
    }
}

fn fail(text: &str, code: u8) -> ExitCode {
    eprintln!("starkeep: {text}");
    ExitCode::from(code)
}
