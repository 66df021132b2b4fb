//! The flags of `starkeep watch`: which game, and how it is shown.

use clap::Args;

use super::addresses::Addresses;
use super::output::OutputArgs;
use super::token::TokenArgs;

#[derive(Args)]
#[command(after_help = "\
On a terminal it draws a screen; in a pipe it prints a line for everything that happens. It ends with the game that was \
named; without a name it runs until Ctrl-C.

Exit codes:
  0  the game has ended, or Ctrl-C
  1  failed: the game service cannot be reached at the start, or refused something
  2  asked for something that cannot be: a wrong flag, or a game that is unknown or not the only one")]
pub(crate) struct WatchArgs {
    /// The game: its id, a unique beginning or end of it, or its name. Default: the only active game, and those that come after
    /// it; if there is none, the next one that is created.
    pub game: Option<String>,

    #[command(flatten)]
    pub addresses: Addresses,
    #[command(flatten)]
    pub token: TokenArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}
