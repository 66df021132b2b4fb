//! The flags of `starkeep watch`: which game, and how it is shown.

use clap::Args;

use super::addresses::Addresses;
use super::output::OutputArgs;
use super::token::TokenArgs;

#[derive(Args)]
pub(crate) struct WatchArgs {
    /// The game: its id, a unique beginning of it, or its name. Default: the only active game, and those that come after
    /// it; if there is none, the next one that is created.
    pub game: Option<String>,

    #[command(flatten)]
    pub addresses: Addresses,
    #[command(flatten)]
    pub token: TokenArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}
