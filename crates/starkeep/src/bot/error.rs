//! Why bots cannot play, or cannot play on, each with a sentence for the person who started them.
//! None of the sentences holds a player's token.

use std::io;
use std::path::PathBuf;

use starkeep_client::ClientError;
use starkeep_contract::GameId;

#[derive(Debug, thiserror::Error)]
pub(crate) enum BotError {
    #[error("{0}")]
    Address(Box<ClientError>),
    #[error(
        "`{url}` does not answer as a game service does: {fault}; --game-url is the game service's address"
    )]
    NoGameService { url: String, fault: Box<ClientError> },
    #[error("--game: there is no game {0}")]
    UnknownGame(GameId),
    #[error("the name `{0}` or its mail address is somebody else's: choose other names with --name")]
    NameOfAnother(String),
    #[error(
        "`{name}` has registered before, and {path} does not have its token: name the file that does with --token-file, or choose \
         other names with --name"
    )]
    TokenNotTold { name: String, path: PathBuf },
    #[error("the file of the bots' tokens, {path}: {reason}")]
    TokenFile { path: PathBuf, reason: String },
    #[error("`{name}` could not {what}: {reason}")]
    NotSeated { name: String, what: &'static str, reason: String },
    #[error("all seats of game {0} are taken; create another game, or name one with --game")]
    Full(GameId),
    #[error("game {0} has started already")]
    Started(GameId),
    #[error("game {0} ended before the bots could join")]
    Ended(GameId),
    #[error("game {0} does not exist any longer")]
    Gone(GameId),
    #[error("the game service: {0}")]
    Service(Box<ClientError>),
    #[error("signals cannot be received: {0}")]
    Signals(io::Error),
}

impl BotError {
    pub(super) fn address(fault: ClientError) -> Self {
        Self::Address(Box::new(fault))
    }

    pub(super) fn service(fault: ClientError) -> Self {
        Self::Service(Box::new(fault))
    }

    /// 2 is for what was asked and cannot be, 1 for what went wrong on the way.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Address(_)
            | Self::NoGameService { .. }
            | Self::UnknownGame(_)
            | Self::NameOfAnother(_)
            | Self::TokenNotTold { .. }
            | Self::TokenFile { .. } => 2,
            Self::NotSeated { .. }
            | Self::Full(_)
            | Self::Started(_)
            | Self::Ended(_)
            | Self::Gone(_)
            | Self::Service(_)
            | Self::Signals(_) => 1,
        }
    }
}
