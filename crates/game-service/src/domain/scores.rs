//! How the players of a game stand, which rounds are scored, and what the executors' logs must have been read up to for the next.
//! The image keeps it for games that go on, and for those that have ended until their last round is scored.

use std::ops::RangeInclusive;

use imbl::OrdMap;
use starkeep_contract::robot::{BANK_CREATED, FIGHTING, MINING, MOVEMENT, REGENERATION, TRADES};
use starkeep_game_core::{
    CommandId, Deed, ExecutorKind, GameId, Kind, PlayerId, RobotId, Standing, Standings, TrackedRobot,
};
use starkeep_platform::events::Position;

/// What an event of an executor tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutorNews {
    pub game: GameId,
    /// 0 where the event is of no round.
    pub round: u32,
    /// The trades of its round were carried out before it happened.
    pub follows_trades: bool,
    pub deeds: Vec<Deed>,
    pub result: Option<CommandResult>,
}

/// What became of a command, as its executor tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandResult {
    pub command: CommandId,
    pub channel: String,
    /// The `type` of the event.
    pub event_type: String,
    /// The published JSON.
    pub payload: String,
}

/// What was learned of an executor's events, as it is afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedNews {
    /// How far which stream or topic has been read with it; none where nothing was read.
    pub position: Option<(String, String)>,
    /// Games of which nothing was known, and the last round that will not be scored.
    pub begun: Vec<(GameId, u32)>,
    pub standings: Vec<(GameId, PlayerId, Standing)>,
    /// Robots that live no longer are gone.
    pub robots: Vec<(GameId, RobotId, Option<TrackedRobot>)>,
    pub results: Vec<CommandResult>,
}

/// Whose events are followed. What nobody reads is not waited for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    pub trading: bool,
    pub robots: bool,
}

impl Followed {
    pub fn follows(self, executor: ExecutorKind) -> bool {
        match executor {
            ExecutorKind::Trading => self.trading,
            ExecutorKind::Robots => self.robots,
        }
    }
}

/// Under which the position in the executor's stream is kept. No topic has this name.
pub(crate) fn results_source(executor: ExecutorKind) -> &'static str {
    match executor {
        ExecutorKind::Trading => "trading-results",
        ExecutorKind::Robots => "robot-results",
    }
}

/// The topics in which an executor that has no event stream tells of results and accounts.
pub(crate) fn topics_of(executor: ExecutorKind) -> &'static [&'static str] {
    match executor {
        ExecutorKind::Trading => &[TRADES, BANK_CREATED],
        ExecutorKind::Robots => &[MOVEMENT, FIGHTING, MINING, REGENERATION],
    }
}

/// Which parts of the standings are known. Money that is not known is null by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// How many robots live, and who has won fights.
    pub robots: bool,
    pub mined: bool,
}

impl Known {
    pub const ALL: Self = Self { robots: true, mined: true };

    /// As it is stored.
    pub fn bits(self) -> u8 {
        u8::from(self.robots) | u8::from(self.mined) << 1
    }

    pub fn from_bits(bits: u8) -> Self {
        Self { robots: bits & 1 != 0, mined: bits & 2 != 0 }
    }
}

/// Of one game. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameScores {
    pub standings: Standings,
    /// The last round that is scored. Rounds are scored in order.
    scored: u32,
    /// Where the executors' logs stood after the batches of rounds that are not scored.
    answered: OrdMap<(u32, Kind), String>,
    /// Known once the game has ended.
    last_round: Option<u32>,
}

impl GameScores {
    /// Rounds up to this one are not scored.
    pub fn begun_after(round: u32) -> Self {
        Self { scored: round, ..Self::default() }
    }

    pub fn scored(&self) -> u32 {
        self.scored
    }

    pub fn last_round(&self) -> Option<u32> {
        self.last_round
    }

    /// Nothing is left to do for it.
    pub fn is_complete(&self) -> bool {
        self.last_round.is_some_and(|last| last <= self.scored)
    }

    pub fn game_ended(&mut self, last_round: u32) {
        self.last_round = Some(last_round);
    }

    pub fn round_scored(&mut self, round: u32) {
        self.scored = round;
        self.answered = self.answered.range((round + 1, Kind::Selling)..).map(owned).collect();
    }

    pub fn batch_answered(&mut self, round: u32, kind: Kind, position: &str) {
        if round > self.scored {
            self.answered.insert((round, kind), position.to_owned());
        }
    }

    /// Is it known where the log stood after the batch, of a round that is not scored?
    pub fn is_answered(&self, round: u32, kind: Kind) -> bool {
        self.answered.contains_key(&(round, kind))
    }

    /// Where the logs stood after the round's batches, and whose log it is.
    pub fn answered(&self, round: u32) -> impl Iterator<Item = (ExecutorKind, &str)> {
        let batches = self.answered.range(kinds_of(round));
        batches.map(|((_, kind), position)| (kind.executor(), position.as_str()))
    }
}

fn kinds_of(round: u32) -> RangeInclusive<(u32, Kind)> {
    (round, Kind::Selling)..=(round, Kind::Regeneration)
}

fn owned((key, position): (&(u32, Kind), &String)) -> ((u32, Kind), String) {
    (*key, position.clone())
}

/// Has a log been read so far? Positions of two logs cannot be compared: the executor has begun another one, and what was
/// left of the first is lost.
pub(super) fn reaches(read: Option<&str>, answered: &str) -> bool {
    let Ok(answered) = answered.parse::<Position>() else { return true };
    match read.map(str::parse::<Position>) {
        None => answered.number == 0,
        Some(Err(_)) => true,
        Some(Ok(read)) => read.epoch != answered.epoch || read.number >= answered.number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_reached_by_itself_and_by_later_ones_and_by_those_of_another_log() {
        let at = |epoch, number| Position { epoch, number, piece: 7 }.to_string();
        for (read, answered, reached) in [
            (Some(at(1, 4)), at(1, 5), false),
            (Some(at(1, 5)), at(1, 5), true),
            (Some(at(1, 10)), at(1, 9), true),
            (Some(at(2, 1)), at(1, 9), true),
            (None, at(1, 1), false),
            (None, at(1, 0), true),
            (None, "something else".to_owned(), true),
            (Some("something else".to_owned()), at(1, 9), true),
        ] {
            assert_eq!(reaches(read.as_deref(), &answered), reached, "{read:?} {answered}");
        }
    }

    #[test]
    fn positions_are_kept_until_their_round_is_scored() {
        let mut scores = GameScores::begun_after(1);
        for (round, kind) in
            [(1, Kind::Mining), (2, Kind::Selling), (2, Kind::Regeneration), (3, Kind::Buying)]
        {
            scores.batch_answered(round, kind, &format!("{round}"));
        }
        let answered = |scores: &GameScores, round| scores.answered(round).count();
        assert_eq!([1, 2, 3].map(|round| answered(&scores, round)), [0, 2, 1]);
        scores.round_scored(2);
        assert_eq!([1, 2, 3].map(|round| answered(&scores, round)), [0, 0, 1]);
        scores.game_ended(3);
        assert!(!scores.is_complete());
        scores.round_scored(3);
        assert!(scores.is_complete());
    }
}
