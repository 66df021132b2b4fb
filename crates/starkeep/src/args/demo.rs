//! The flags of `starkeep demo`: those of `serve`, whose services it runs.

use clap::Args;

use super::serve::ServeFlags;

#[derive(Args)]
#[command(after_help = "\
The demo takes free ports where the usual ones are taken, and keeps its data in a temporary directory that is removed at the \
end, unless --data-dir is given.")]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    pub flags: ServeFlags,
}
