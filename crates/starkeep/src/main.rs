//! The executable, which is the library's commands.
//! Exit codes: 0 done, 1 failed while running, 2 asked for something that cannot be.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// A request makes about fifty allocations, most of which another thread may free: that is what it is quick at.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    starkeep::run()
}
