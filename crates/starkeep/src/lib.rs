//! The commands of the executable: reads the command line and hands over.
//! It is a library so that the page of all flags can be written from it; `main.rs` only calls `run`.

mod args;
mod bot;
mod demo;
mod durations;
mod events;
mod failure;
mod features;
mod game;
mod games;
mod names;
mod output;
mod paint;
mod progress;
mod serve;
mod table;
mod transfer;
mod watch;
mod world;

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use starkeep_platform::background_output;
use starkeep_platform::telemetry::{self, LogFormat};
use tokio::runtime::Runtime;

use crate::args::{Command, OutputArgs};

pub use crate::args::flags_markdown;

/// Exit codes: 0 done, 1 failed while running, 2 asked for something that cannot be.
pub fn run() -> ExitCode {
    let _written = FinishOutput;
    let command = args::parse();
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(fault) => return fail(&format!("the runtime cannot be started: {fault}"), 1),
    };
    match command {
        Command::Serve(args) => {
            let filter = args.flags.log.as_deref().unwrap_or("info");
            telemetry::start(args.flags.log_format.into(), filter, log_colours(&args.flags.output));
            allow_many_connections();
            match runtime.block_on(serve::serve(&args)) {
                Ok(()) => ExitCode::SUCCESS,
                Err(failure) => fail(&failure.to_string(), failure.exit_code()),
            }
        }
        Command::Game(args) => {
            let outcome = runtime.block_on(game::game(&args));
            end(runtime, outcome.map_err(|failure| (failure.to_string(), failure.exit_code())))
        }
        Command::Demo(args) => {
            let on_screen = watch::is_on_a_screen(&args.flags.output) && io::stderr().is_terminal();
            // Log lines would be written across the picture. A service that is stopped while others connect to it is no news here.
            let usual = "warn,starkeep_http_client=error";
            let filter = if on_screen { "off" } else { args.flags.log.as_deref().unwrap_or(usual) };
            telemetry::start(args.flags.log_format.into(), filter, log_colours(&args.flags.output));
            allow_many_connections();
            let outcome = runtime.block_on(demo::demo(*args));
            end(runtime, outcome.map_err(|failure| (failure.to_string(), failure.exit_code())))
        }
        Command::Watch(args) => {
            let outcome = runtime.block_on(watch::watch(&args));
            end(runtime, outcome.map_err(|failure| (failure.to_string(), failure.exit_code())))
        }
        Command::Events(args) => {
            log("warn,starkeep_http_client=info", &args.output);
            let outcome = runtime.block_on(events::events(&args));
            end(runtime, outcome.map_err(|failure| (failure.to_string(), failure.exit_code())))
        }
        Command::World(args) => {
            let outcome = runtime.block_on(world::world(&args));
            end(runtime, outcome.map_err(|failure| (failure.to_string(), failure.exit_code())))
        }
        Command::Bot(args) => {
            // They say themselves that the service is away, and once.
            log("warn,starkeep_http_client=error,starkeep::bot=info", &args.output);
            let outcome = runtime.block_on(bot::bot(&args));
            end(runtime, outcome.map_err(|failure| (failure.to_string(), failure.exit_code())))
        }
        Command::Export(args) => {
            let outcome = runtime.block_on(transfer::export(&args));
            end(runtime, outcome.map_err(|failure| (failure.to_string(), failure.exit_code())))
        }
        Command::Import(args) => {
            let outcome = runtime.block_on(transfer::import(&args));
            end(runtime, outcome.map_err(|failure| (failure.to_string(), failure.exit_code())))
        }
        Command::Backup(args) => {
            let outcome = runtime.block_on(transfer::backup(&args));
            end(runtime, outcome.map_err(|failure| (failure.to_string(), failure.exit_code())))
        }
        Command::Restore(args) => {
            let outcome = runtime.block_on(transfer::restore(&args));
            end(runtime, outcome.map_err(|failure| (failure.to_string(), failure.exit_code())))
        }
        Command::SelfTest(args) => {
            allow_many_connections();
            let outcome = runtime.block_on(features::selftest(&args));
            end(runtime, outcome.map_err(|failure| (failure.to_string(), failure.exit_code())))
        }
        Command::Completions { shell } => {
            let script = String::from_utf8_lossy(&args::completions(shell)).into_owned();
            let outcome = runtime.block_on(output::print(script));
            end(runtime, outcome.map_err(|failure| (failure.to_string(), failure.exit_code())))
        }
    }
}

fn log(filter: &str, output: &OutputArgs) {
    telemetry::start(LogFormat::Text, filter, log_colours(output));
}

fn log_colours(output: &OutputArgs) -> bool {
    io::stderr().is_terminal() && !output.no_color
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
    // A picture of a game is gone from the terminal before.
    background_output::finish();
    background_output::stderr().print_line(&format!("starkeep: {text}"));
    ExitCode::from(code)
}

/// However the program ends, also by a panic, what it has said is written.
struct FinishOutput;

impl Drop for FinishOutput {
    fn drop(&mut self) {
        background_output::finish();
    }
}
