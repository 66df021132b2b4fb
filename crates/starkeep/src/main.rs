//! The executable: reads the command line and hands over.
//! Exit codes: 0 done, 1 failed while running, 2 asked for something that cannot be.

mod args;
mod durations;
mod serve;

use std::process::ExitCode;

use clap::Parser;
use starkeep_platform::telemetry;

use crate::args::{Cli, Command};

fn main() -> ExitCode {
    let Command::Serve(args) = Cli::parse().command();
    telemetry::start(args.log_format.into(), &args.log);
    let runtime = match tokio::runtime::Runtime::new() {
        Ok(runtime) => runtime,
        Err(fault) => return complain(&format!("the runtime cannot be started: {fault}"), 1),
    };
    match runtime.block_on(serve::serve(args)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => complain(&failure.to_string(), 2),
    }
}

fn complain(text: &str, code: u8) -> ExitCode {
    eprintln!("starkeep: {text}");
    ExitCode::from(code)
}
