//! How far a round has come, in the order in which it happens.

use starkeep_contract::events::RoundStatusWord;

/// How far a round has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RoundState {
    /// There was no round yet.
    Init,
    Started,
    InputEnded,
    Ended,
}

impl From<RoundStatusWord> for RoundState {
    fn from(word: RoundStatusWord) -> Self {
        match word {
            RoundStatusWord::Started => Self::Started,
            RoundStatusWord::CommandInputEnded => Self::InputEnded,
            RoundStatusWord::Ended => Self::Ended,
        }
    }
}
