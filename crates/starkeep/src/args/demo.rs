//! The flags of `starkeep demo`: those of `serve`, whose services it runs.

use clap::Args;

use super::serve::ServeFlags;

#[derive(Args)]
#[command(after_help = "\
The first line says which address to open in a browser. Each game has 60 rounds of 2 seconds. Ctrl-C ends all of it.

The demo takes free ports where the usual ones are taken, and keeps its data in a temporary directory that is removed at the \
end. With --data-dir it stays, and the next demo goes on with the game that this one has left.")]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    pub flags: ServeFlags,
}
