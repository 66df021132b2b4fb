//! The executable, which is the library's commands.
//! Exit codes: 0 done, 1 failed while running, 2 asked for something that cannot be.

use std::process::ExitCode;

fn main() -> ExitCode {
    starkeep::run()
}
