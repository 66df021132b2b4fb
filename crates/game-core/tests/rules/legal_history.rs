//! What a legal sequence of events is, told without looking at a game: a second opinion on the rules.
//! Where the sequences come from is in `history`.

use std::collections::HashSet;

use starkeep_game_core::{ClockChange, Event, RoundId};

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
    paused: bool,
    /// Does time pass between the start and the first round?
    counts_down: bool,
}

impl LegalHistory {
    pub(crate) fn new(counts_down: bool) -> Self {
        Self { expect: Expect::Creation, rounds: HashSet::new(), paused: false, counts_down }
    }

    pub(crate) fn read(&mut self, event: Event) -> Result<(), String> {
        let expect = self.expect;
        if let Event::Clock { change, round, .. } = event {
            return self.read_clock(change, round);
        }
        // A host takes players out of a running game at any time.
        if let (Event::PlayerLeft { .. }, Expect::InputEnd { .. } | Expect::RoundEnd { .. }) = (event, expect)
        {
            return Ok(());
        }
        if let (Event::PlayerLeft { .. }, Expect::FirstRound) = (event, expect)
            && self.counts_down
        {
            return Ok(());
        }
        self.expect = match (expect, event) {
            (Expect::Creation, Event::Created(_))
            | (Expect::PlayersOrStart, Event::PlayerJoined { .. } | Event::PlayerLeft { .. }) => {
                Expect::PlayersOrStart
            }
            (Expect::PlayersOrStart, Event::Started(_)) => Expect::FirstRound,
            (Expect::PlayersOrStart | Expect::NextRoundOrEnd { .. }, Event::Ended(_))
            | (Expect::Nothing, Event::Deleted(_)) => Expect::Nothing,
            (Expect::FirstRound, Event::Ended(_)) if self.counts_down => Expect::Nothing,
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

    fn read_clock(&mut self, change: ClockChange, round: u32) -> Result<(), String> {
        let (number, open) = match self.expect {
            Expect::PlayersOrStart => (0, false),
            Expect::FirstRound if self.counts_down => (0, change != ClockChange::Stepped),
            Expect::InputEnd { number, .. } | Expect::RoundEnd { number, .. } => (number, true),
            // Only the step that ends the game is told here.
            Expect::NextRoundOrEnd { number } if change == ClockChange::Stepped => (number, true),
            _ => return Err(format!("{change:?} where {:?} was due", self.expect)),
        };
        let fits = match change {
            ClockChange::Paused => open && !self.paused,
            ClockChange::Resumed | ClockChange::Stepped => open && self.paused,
            ClockChange::Pace => true,
        };
        if !fits || round != number {
            return Err(format!("{change:?} in round {round} where {:?} was due", self.expect));
        }
        self.paused = match change {
            ClockChange::Paused => true,
            ClockChange::Resumed => false,
            ClockChange::Stepped | ClockChange::Pace => self.paused,
        };
        Ok(())
    }

    /// Whether a committed change may stop here: every started round has an end to come, nothing hangs half-way.
    pub(crate) fn may_pause(&self) -> bool {
        match self.expect {
            Expect::Creation | Expect::NextRoundOrEnd { .. } => false,
            Expect::FirstRound => self.counts_down,
            _ => true,
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.expect == Expect::Nothing
    }
}
