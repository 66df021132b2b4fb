//! What the bots sent and the states of their commands, in numbers, and as the one line that is printed at the end.
//! What did not happen is not mentioned.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};
use starkeep_contract::GameId;
use starkeep_contract::command::CommandState;

use super::turn::{Played, Sent};

#[derive(Default)]
pub(super) struct Tally {
    /// The game, and how many play it.
    begun: Option<(GameId, usize)>,
    rounds: u64,
    accepted: u64,
    refused: Counts,
    lost: u64,
    too_late: u64,
    unready: Counts,
    became: Counts,
}

/// How often each word occurred.
#[derive(Default)]
struct Counts(BTreeMap<&'static str, u64>);

impl Tally {
    pub(super) fn begin(&mut self, game: GameId, bots: usize) {
        self.begun = Some((game, bots));
    }

    pub(super) fn is_begun(&self) -> bool {
        self.begun.is_some()
    }

    pub(super) fn round(&mut self) {
        self.rounds += 1;
    }

    pub(super) fn played(&mut self, played: &Played) {
        for command in &played.commands {
            match command {
                Sent::Accepted(_) => self.accepted += 1,
                Sent::Refused(code) => self.refused.add(code.as_str()),
                Sent::Lost => self.lost += 1,
                Sent::TooLate => self.too_late += 1,
            }
        }
        if let Some(code) = played.unready {
            self.unready.add(code.as_str());
        }
    }

    /// The state of an accepted command.
    pub(super) fn became(&mut self, state: CommandState) {
        self.became.add(match state {
            CommandState::Pending => "pending",
            CommandState::Replaced => "replaced",
            CommandState::Dispatched => "dispatched",
            CommandState::Undelivered => "undelivered",
            CommandState::Unknown => "unknown",
            CommandState::Dropped => "dropped",
        });
    }
}

impl Tally {
    /// The same numbers for programs.
    pub(super) fn json(&self) -> Value {
        json!({
            "gameId": self.begun.map(|(game, _)| game), "bots": self.begun.map_or(0, |(_, bots)| bots),
            "rounds": self.rounds, "accepted": self.accepted, "refused": self.refused.0, "lost": self.lost,
            "tooLate": self.too_late, "notReady": self.unready.0, "became": self.became.0,
        })
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((game, bots)) = self.begun else { return f.write_str("No game was joined.") };
        let (bots, rounds) = (counted(bots as u64, "bot"), counted(self.rounds, "round"));
        write!(f, "{bots} played {rounds} of game {game}: {} accepted", counted(self.accepted, "command"))?;
        write!(f, ", {} refused", self.refused.sum())?;
        if self.refused.sum() > 0 {
            write!(f, " ({})", self.refused)?;
        }
        if self.lost > 0 {
            write!(f, ", {} lost without an answer", self.lost)?;
        }
        if self.too_late > 0 {
            write!(f, ", {} not sent because the round was over", self.too_late)?;
        }
        f.write_str(".")?;
        if self.accepted > 0 {
            let unknown = self.accepted.saturating_sub(self.became.sum());
            let unknown = (unknown > 0).then(|| format!("{unknown} not known"));
            let became = (self.became.sum() > 0).then(|| self.became.to_string());
            let parts: Vec<_> = became.into_iter().chain(unknown).collect();
            write!(f, " What became of those accepted: {}.", parts.join(", "))?;
        }
        if self.unready.sum() > 0 {
            write!(
                f,
                " Being ready was refused {} ({}).",
                counted(self.unready.sum(), "time"),
                self.unready
            )?;
        }
        Ok(())
    }
}

impl Counts {
    fn add(&mut self, word: &'static str) {
        *self.0.entry(word).or_default() += 1;
    }

    fn sum(&self) -> u64 {
        self.0.values().sum()
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<_> = self.0.iter().map(|(word, count)| format!("{count} {word}")).collect();
        f.write_str(&parts.join(", "))
    }
}

fn counted(number: u64, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use starkeep_contract::{Code, TransactionId};
    use uuid::Uuid;

    use super::*;

    fn sent(command: Sent) -> Played {
        Played { commands: vec![command], unready: None }
    }

    #[test]
    fn the_line_says_what_happened_and_nothing_else() {
        let mut tally = Tally::default();
        assert_eq!(tally.to_string(), "No game was joined.");
        tally.begin(GameId(Uuid::nil()), 1);
        let start = "of game 00000000-0000-0000-0000-000000000000:";
        assert_eq!(
            tally.to_string(),
            format!("1 bot played 0 rounds {start} 0 commands accepted, 0 refused.")
        );

        let id = TransactionId(Uuid::nil());
        tally.begin(GameId(Uuid::nil()), 2);
        tally.round();
        tally.played(&sent(Sent::Accepted(id)));
        tally.became(CommandState::Dispatched);
        let became = "What became of those accepted:";
        assert_eq!(
            tally.to_string(),
            format!("2 bots played 1 round {start} 1 command accepted, 0 refused. {became} 1 dispatched.")
        );

        let codes = [Code::InputEnded, Code::GameEnded, Code::InputEnded];
        for command in codes.map(Sent::Refused).into_iter().chain([Sent::Lost, Sent::TooLate, Sent::TooLate])
        {
            tally.played(&sent(command));
        }
        for _ in 0..3 {
            tally.played(&sent(Sent::Accepted(id)));
        }
        let accepted = vec![Sent::Accepted(id)];
        tally.played(&Played { commands: accepted, unready: Some(Code::InputEnded) });
        tally.became(CommandState::Unknown);
        tally.became(CommandState::Unknown);
        assert_eq!(
            tally.to_string(),
            format!(
                "2 bots played 1 round {start} 5 commands accepted, 3 refused (1 game-ended, 2 input-ended), \
                 1 lost without an answer, 2 not sent because the round was over. \
                 {became} 1 dispatched, 2 unknown, 2 not known. \
                 Being ready was refused 1 time (1 input-ended)."
            )
        );
    }
}
