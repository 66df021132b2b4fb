//! Why a command failed, with a hint what to do about it, and its exit code.

use std::io;

use starkeep_client::ClientError;
use starkeep_contract::Code;

#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// It cannot be: a wrong flag, a game that is unknown or not the only one.
    #[error("{0}")]
    Asked(String),
    #[error("{}", explained(.0))]
    Service(Box<ClientError>),
    #[error("{0}")]
    Stopped(String),
    #[error("standard output cannot be written: {0}")]
    Output(io::Error),
    #[error("signals cannot be received: {0}")]
    Signals(io::Error),
}

impl CommandError {
    /// 2 is for what was asked and cannot be, 1 for what went wrong on the way.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Asked(_) => 2,
            Self::Service(fault) => match &**fault {
                ClientError::Refused(problem) if problem.code == Code::UnknownGame => 2,
                _ => 1,
            },
            Self::Stopped(_) | Self::Output(_) | Self::Signals(_) => 1,
        }
    }
}

impl From<ClientError> for CommandError {
    fn from(fault: ClientError) -> Self {
        Self::Service(Box::new(fault))
    }
}

const OTHER_SERVICE: &str = "--game-url is the address of a game service of Starkeep";

/// The service's own words, and what to do.
fn explained(fault: &ClientError) -> String {
    let hint = match fault {
        ClientError::Unreachable { .. } => {
            "is it running? start it with `starkeep serve`, or name its address with --game-url"
        }
        ClientError::Refused(problem) if problem.code == Code::Unauthorized => {
            "show the admin token with --admin-token-file"
        }
        ClientError::Refused(problem) if problem.code == Code::DiskFull => {
            "make space on the disk of the machine that runs `starkeep serve`; it goes on by itself"
        }
        ClientError::Refused(problem) if problem.code == Code::UnknownGame => {
            "`starkeep game list` shows all games"
        }
        ClientError::Refused(problem) if problem.code == Code::NoSuchRoute => OTHER_SERVICE,
        ClientError::Refused(_) => return fault.to_string(),
        ClientError::Unreadable { .. } => OTHER_SERVICE,
    };
    format!("{fault}\nhint: {hint}")
}

#[cfg(test)]
mod tests {
    use starkeep_contract::Problem;

    use super::*;

    #[test]
    fn a_hint_follows_the_services_own_words() {
        let away = ClientError::Unreachable { url: "http://x".to_owned(), reason: "refused".to_owned() };
        let away = CommandError::from(away);
        assert_eq!(away.exit_code(), 1);
        assert!(away.to_string().starts_with("http://x cannot be reached: refused\nhint: is it running?"));
        let refused =
            |code| CommandError::from(ClientError::Refused(Problem::new(code, "the game has ended")));
        assert_eq!(refused(Code::GameEnded).to_string(), "the game has ended");
        assert_eq!(refused(Code::GameEnded).exit_code(), 1);
        assert!(refused(Code::Unauthorized).to_string().contains("--admin-token-file"));
        assert_eq!(refused(Code::UnknownGame).exit_code(), 2);
        assert!(refused(Code::NoSuchRoute).to_string().contains("--game-url"));
    }
}
