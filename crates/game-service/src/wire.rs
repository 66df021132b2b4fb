//! Between the core's values and the contract's: views of games, envelopes of events, words for what was refused.
//! Handlers and use cases do not know which dialect is spoken; this module asks the dialect.

mod command_input;
mod commands;
mod event_ids;
mod events;
mod executor_events;
mod new_game;
mod player_view;
mod rosters;
mod scores;
mod topic_records;

use std::sync::Arc;
use std::time::Duration;

use starkeep_contract::events::Channel;
use starkeep_contract::game as view;
use starkeep_contract::player::{
    FoundPlayer, Link, Participant, Participants, ParticipatingPlayers, PlayerLinks, PublicPlayer,
    RegisteredPlayer, SelfLink,
};
use starkeep_contract::round_player;
use starkeep_contract::{Code, Dialect, GameId as WireGameId, PlayerId, Problem, WorldId};
use starkeep_game_core::{Field, Game, GameClock, Pace, Phase, Player, Rejection as Rule, State, Status};
use starkeep_platform::decision::Failure;

pub(crate) use self::command_input::ParsedCommand;
pub(crate) use self::event_ids::EventSeed;
pub(crate) use self::executor_events::{news, result_in_record};
pub(crate) use self::topic_records::{account_in_record, told_in_results, trade_in_result};
use crate::domain::{Rejection, RoundPlayer};
use crate::ports::{IntentFailure, MapFault};

/// The channels of this service.
pub(crate) const CHANNELS: &[Channel] = &[
    Channel::Status,
    Channel::PlayerStatus,
    Channel::RoundStatus,
    Channel::GameClock,
    Channel::GameRoster,
    Channel::Scores,
];

/// Speaks one dialect.
#[derive(Clone, Copy, Debug)]
pub struct Wire {
    pub dialect: Dialect,
}

#[expect(clippy::unused_self, reason = "which words follow the dialect is for this module to know")]
impl Wire {
    pub fn pace(self, pace: view::Pace) -> Pace {
        match pace {
            view::Pace::Clock => Pace::Clock,
            view::Pace::Turbo => Pace::Turbo,
        }
    }

    pub fn game(self, game: &Game) -> view::Game {
        let (started_at, ended_at) = match &game.state {
            State::Created { .. } => (None, None),
            State::Running(running) => (Some(running.started_at), None),
            State::Ended(ended) => (ended.started_at, Some(ended.ended_at)),
        };
        let round = game.current_round();
        view::Game {
            game_id: WireGameId(game.id.0),
            name: game.name.clone(),
            game_status: self.status_word(game.status()).to_owned(),
            max_players: game.max_players,
            max_rounds: game.max_rounds,
            current_round_number: if round == 0 { self.dialect.before_first_round() } else { Some(round) },
            round_length_in_millis: game.round_length,
            paused: matches!(&game.state, State::Running(running) if running.timer.paused),
            pace: match game.pace {
                Pace::Clock => view::Pace::Clock,
                Pace::Turbo => view::Pace::Turbo,
            },
            participating_players: game.roster.iter().map(|player| PlayerId(player.0)).collect(),
            gameworld_id: game.world.map(|world| WorldId(world.0)),
            created_at: game.created_at,
            started_at,
            ended_at,
        }
    }

    /// For the player alone: it has the token.
    pub fn player(self, player: &Player) -> RegisteredPlayer {
        let queue = format!("player-{}", player.name);
        RegisteredPlayer {
            player_id: PlayerId(player.id.0),
            bearer_token: player.token.0,
            name: player.name.clone(),
            email: player.mail.clone(),
            player_exchange: queue.clone(),
            player_queue: queue,
        }
    }

    /// For who knows the player's mail address; with the token where it may be told.
    pub fn found_player(self, player: &Player, with_token: bool) -> FoundPlayer {
        let RegisteredPlayer { player_id, bearer_token, name, email, player_exchange, player_queue } =
            self.player(player);
        let bearer_token = with_token.then_some(bearer_token);
        FoundPlayer { player_id, bearer_token, name, email, player_exchange, player_queue }
    }

    /// What everybody may know of a player: neither token nor mail address.
    pub fn public_player(self, player: &Player) -> PublicPlayer {
        PublicPlayer { player_id: PlayerId(player.id.0), name: player.name.clone() }
    }

    pub(crate) fn round_player(self, shown: &RoundPlayer) -> round_player::RoundPlayer {
        round_player::RoundPlayer {
            player_id: PlayerId(shown.player.id.0),
            name: shown.player.name.clone(),
            ready: shown.is_ready,
            commands: shown.commands,
            refused: shown.refused.refused,
            late: shown.refused.late,
        }
    }

    pub fn participants<'a>(
        self,
        game: &Game,
        players: impl Iterator<Item = &'a Arc<Player>>,
        host: &str,
    ) -> ParticipatingPlayers {
        let link = |path: String| Link { href: format!("http://{host}{path}") };
        let participant = |player: &Player| Participant {
            user_name: player.name.clone(),
            links: PlayerLinks {
                itself: link(format!("/players/{}", player.id)),
                player: link(format!("/players/{}", player.id)),
            },
        };
        ParticipatingPlayers {
            embedded: Participants { players: players.map(|player| participant(player)).collect() },
            links: SelfLink { itself: link(format!("/games/{}/participatingPlayers", game.id)) },
        }
    }

    pub fn time(self, clock: Option<GameClock>) -> view::GameTime {
        let Some(clock) = clock else { return self.no_time_yet() };
        if clock.round == 0 {
            return view::GameTime { paused: clock.paused, ..self.no_time_yet() };
        }
        view::GameTime {
            game_time: Some(clock.game_time.as_secs()),
            round_count: Some(clock.round),
            round_time: Some(clock.round_time.as_secs()),
            game_time_in_millis: Some(millis(clock.game_time)),
            round_time_in_millis: Some(millis(clock.round_time)),
            phase: clock.phase.and_then(phase_word),
            phase_ends_in_millis: clock.phase_ends_in.map(millis),
            paused: clock.paused,
        }
    }

    fn no_time_yet(self) -> view::GameTime {
        view::GameTime {
            game_time: self.dialect.before_first_round(),
            round_count: self.dialect.before_first_round(),
            round_time: self.dialect.before_first_round(),
            game_time_in_millis: self.dialect.before_first_round(),
            round_time_in_millis: self.dialect.before_first_round(),
            phase: None,
            phase_ends_in_millis: None,
            paused: false,
        }
    }

    fn status_word(self, status: Status) -> &'static str {
        match status {
            Status::Created => "created",
            Status::Running => self.dialect.running(),
            Status::Ended => "ended",
        }
    }

    /// A status as somebody may ask for it: a running game in either dialect's word.
    pub fn status(self, word: &str) -> Option<Status> {
        match word {
            "created" => Some(Status::Created),
            "running" | "started" => Some(Status::Running),
            "ended" => Some(Status::Ended),
            _ => None,
        }
    }

    pub fn refuse_intent(self, failure: IntentFailure) -> Failure<Problem> {
        match failure {
            IntentFailure::Store(failure) => self.refuse(failure),
            IntentFailure::Map(fault) => Failure::Rejected(map_problem(&fault)),
            IntentFailure::Kafka(silent) => {
                let text = format!("Kafka cannot be reached, so the game was not started: {silent}");
                Failure::Rejected(Problem::new(Code::KafkaUnavailable, text))
            }
        }
    }

    pub fn refuse(self, failure: Failure<Rejection>) -> Failure<Problem> {
        failure.map(|rejection| self.explain(rejection))
    }

    pub fn explain(self, rejection: Rejection) -> Problem {
        match rejection {
            Rejection::Rule(rule) => self.problem(rule),
            Rejection::NothingToDo => Problem::new(Code::Internal, "a decision without effect was answered"),
        }
    }

    fn problem(self, rule: Rule) -> Problem {
        let code = match rule {
            Rule::UnknownGame { .. } => Code::UnknownGame,
            Rule::NotCreated { .. } => Code::GameNotCreated,
            Rule::Ended { .. } => Code::GameEnded,
            Rule::NotRunning { .. } => Code::GameNotRunning,
            Rule::Paused { .. } => Code::GamePaused,
            Rule::NotPaused { .. } => Code::GameNotPaused,
            Rule::NotCollecting { late_by, .. } => {
                let problem = Problem::spoken(self.dialect, Code::InputEnded, rule.to_string());
                return problem.late_by(u32::try_from(late_by.as_millis()).unwrap_or(u32::MAX));
            }
            Rule::FirstRoundNotBegun { .. } => Code::FirstRoundNotBegun,
            Rule::OrderTooLarge { .. } => {
                return Problem::new(Code::InvalidField, rule.to_string()).at_field("itemQuantity");
            }
            Rule::UnknownRobot { .. } => Code::UnknownRobot,
            Rule::ForeignRobot { .. } => Code::ForeignRobot,
            Rule::RobotDestroyed { .. } => Code::RobotDestroyed,
            Rule::RobotOfEarlierGame { .. } | Rule::RobotOfAnotherGame { .. } => Code::RobotOfEarlierGame,
            Rule::OwnerConflict { .. } => Code::RobotHasAnotherOwner,
            Rule::NoRunningGame { .. } => Code::NoRunningGame,
            Rule::SeveralRunningGames { .. } => Code::SeveralRunningGames,
            Rule::StepOvertaken { .. } => Code::StepOvertaken,
            Rule::NotEnded { .. } => Code::GameNotEnded,
            Rule::StartUnderWay { .. } => Code::StartUnderWay,
            Rule::AnotherGameRuns { .. } => Code::AnotherGameRuns,
            Rule::ActiveGameExists { .. } => Code::ActiveGameExists,
            Rule::WorldInUse { .. } => Code::GameworldInUse,
            Rule::WorldInactive { .. } => Code::GameworldInactive,
            Rule::NoSuchWorld => Code::NoSuchGameworld,
            Rule::NoGivenWorlds => {
                let text = format!("`gameworldId`: {rule}");
                return Problem::new(Code::InvalidField, text).at_field("gameworldId");
            }
            Rule::ControlCharacters => {
                return Problem::new(Code::InvalidField, format!("`name`: {rule}")).at_field("name");
            }
            Rule::NameTaken => Code::NameTaken,
            Rule::MailTaken => Code::MailTaken,
            Rule::AlreadyJoined { .. } => Code::AlreadyParticipating,
            Rule::GameFull { .. } => Code::GameFull,
            Rule::NotJoined { .. } | Rule::TakenOut { .. } => Code::NotParticipating,
            Rule::StartWithdrawn { .. } => Code::StartWithdrawn,
            Rule::OutOfBounds { field, least, most, got } => {
                let field = field_name(field);
                let text = format!("`{field}`: expected a whole number from {least} to {most}, found {got}");
                return Problem::new(Code::InvalidField, text).at_field(field);
            }
        };
        Problem::spoken(self.dialect, code, rule.to_string())
    }
}

/// The countdown is no phase of a round.
fn phase_word(phase: Phase) -> Option<view::Phase> {
    match phase {
        Phase::Countdown => None,
        Phase::Collection => Some(view::Phase::Collection),
        Phase::Execution => Some(view::Phase::Execution),
    }
}

/// Rounded down.
fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

fn field_name(field: Field) -> &'static str {
    match field {
        Field::MaxRounds => "maxRounds",
        Field::MaxPlayers => "maxPlayers",
        Field::RoundLength => "duration",
        Field::StartMoney => "startMoney",
        Field::NameLength => "name",
    }
}

fn map_problem(fault: &MapFault) -> Problem {
    Problem::new(Code::MapUnavailable, fault.to_string())
}

#[cfg(test)]
mod tests {
    use starkeep_contract::GameName;
    use starkeep_game_core::{MAX_PLAYERS, MAX_ROUNDS, NAME_LENGTHS, ROUND_LENGTHS, START_MONEY};

    use super::*;

    #[test]
    fn the_contract_and_the_core_agree_on_every_bound() {
        let bounds =
            |range: &std::ops::RangeInclusive<u32>| (i64::from(*range.start()), i64::from(*range.end()));
        assert_eq!(bounds(&MAX_ROUNDS), (view::Rounds::LEAST, view::Rounds::MOST));
        assert_eq!(bounds(&MAX_PLAYERS), (view::Players::LEAST, view::Players::MOST));
        assert_eq!(bounds(&ROUND_LENGTHS), (view::RoundLength::LEAST, view::RoundLength::MOST));
        assert_eq!(bounds(&START_MONEY), (view::StartMoney::LEAST, view::StartMoney::MOST));
        let lengths =
            [GameName::LEAST, GameName::MOST].map(|length| i64::try_from(length).unwrap_or_default());
        assert_eq!(bounds(&NAME_LENGTHS), lengths.into());
    }
}
