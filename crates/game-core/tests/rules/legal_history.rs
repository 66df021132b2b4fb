//! What a legal sequence of events is, told without looking at a game: a second opinion on the rules.
//! Where the sequences come from is in `history`.

use std::collections::HashSet;

use starkeep_game_core::{Event, RoundId};

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expect {
    Creation,
    PlayersOrStart,
    FirstRound,
    InputEnd { round: RoundId, number: u32 },
    RoundEnd { round: RoundId, number: u32 },
    NextRoundOrEnd { number: u32 },
    Nothing,
}

/// Reads one event after the other and complains about the first that may not stand where it stands.
pub(crate) struct LegalHistory {
    expect: Expect,
    rounds: HashSet<RoundId>,
}

impl LegalHistory {
    pub(crate) fn new() -> Self {
        Self { expect: Expect::Creation, rounds: HashSet::new() }
    }

    pub(crate) fn read(&mut self, event: Event) -> Result<(), String> {
        let expect = self.expect;
        self.expect = match (expect, event) {
            (Expect::Creation, Event::Created(_)) | (Expect::PlayersOrStart, Event::PlayerJoined { .. }) => {
                Expect::PlayersOrStart
            }
            (Expect::PlayersOrStart, Event::Started(_)) => Expect::FirstRound,
            (Expect::PlayersOrStart | Expect::NextRoundOrEnd { .. }, Event::Ended(_)) => Expect::Nothing,
            (Expect::FirstRound, Event::RoundStarted { round, number: 1, .. }) => {
                self.rounds.insert(round);
                Expect::InputEnd { round, number: 1 }
            }
            (Expect::NextRoundOrEnd { number: last }, Event::RoundStarted { round, number, .. })
                if number == last + 1 && self.rounds.insert(round) =>
            {
                Expect::InputEnd { round, number }
            }
            (Expect::InputEnd { round, number }, Event::InputEnded { round: id, number: it, .. })
                if (id, it) == (round, number) =>
            {
                Expect::RoundEnd { round, number }
            }
            (Expect::RoundEnd { round, number }, Event::RoundEnded { round: id, number: it, .. })
                if (id, it) == (round, number) =>
            {
                Expect::NextRoundOrEnd { number }
            }
            _ => return Err(format!("{event:?} where {expect:?} was due")),
        };
        Ok(())
    }

    /// Whether a committed change may stop here: every started round has an end to come, nothing hangs half-way.
    pub(crate) fn may_pause(&self) -> bool {
        !matches!(self.expect, Expect::Creation | Expect::FirstRound | Expect::NextRoundOrEnd { .. })
    }

    pub(crate) fn is_over(&self) -> bool {
        self.expect == Expect::Nothing
    }
}
