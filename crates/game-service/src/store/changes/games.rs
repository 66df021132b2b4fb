//! Games in the serialised form of changes: everything but their players.
//! What is absent is left out, since most games lack most of it.

use std::time::Duration;

use imbl::HashSet;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use starkeep_game_core::{
    DEFAULT_START_MONEY, Ended, Game, GameId, Moment, Pace, Phase, PlayerId, ReplenishmentMode, Roster,
    RosterChange, Round, RoundId, Running, StartUnderWay, State, Timer, WorldId,
};
use starkeep_platform::intent::IntentId;
use uuid::Uuid;

use super::RetirementForm;
use super::commands::{BatchStateForm, KindForm};
use super::intents::IntentForm;
use crate::domain::{EndedRound, GameHeader, GameMove, IntentMove};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct MoveForm {
    game: GameForm,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    roster: Option<RosterForm>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ready: Option<Uuid>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    starts: bool,
    opens_round: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended_round: Option<EndedRoundForm>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    retire: Vec<RetirementForm>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    intent: Option<IntentMoveForm>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    further_intents: Vec<IntentMoveForm>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum IntentMoveForm {
    Begins(IntentForm),
    Ends(Uuid),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum RosterForm {
    /// With an unknown transaction.
    Joined(Uuid),
    JoinedBy {
        player: Uuid,
        transaction: Uuid,
    },
    Left(Uuid),
    TakenOut(Uuid),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EndedRoundForm {
    number: u32,
    unsent: Vec<(KindForm, BatchStateForm)>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct GameForm {
    id: Uuid,
    #[serde(default = "unnamed", skip_serializing_if = "is_unnamed")]
    name: String,
    max_rounds: u32,
    max_players: u32,
    /// In milliseconds.
    round_length: u32,
    pace: PaceForm,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    /// 0 in forms from before it was drawn.
    #[serde(default, skip_serializing_if = "is_zero")]
    drawn_seed: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    style: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nonce: Option<String>,
    #[serde(default = "usual_money", skip_serializing_if = "is_usual_money")]
    start_money: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    world: Option<Uuid>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    world_is_given: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    replenished_on_request: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replaced_world: Option<Uuid>,
    created_at: Timestamp,
    state: StateForm,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum PaceForm {
    Clock,
    Turbo,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum PhaseForm {
    Countdown,
    Collection,
    Execution,
}

/// Seconds and nanoseconds: game time may be longer than 64 bits of nanoseconds.
type Span = (u64, u32);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
enum StateForm {
    Created,
    Starting {
        slot: u32,
        world: Uuid,
    },
    Running {
        slot: u32,
        started_at: Timestamp,
        /// In nanoseconds of service time.
        timer_since: u64,
        timer_from: Span,
        paused: bool,
        round: Uuid,
        round_number: u32,
        /// In milliseconds.
        current_round_length: u32,
        round_begins: Span,
        phase: PhaseForm,
        phase_ends: Span,
        #[serde(default, skip_serializing_if = "is_none_yet")]
        replenished_after: u32,
    },
    Ended {
        started_at: Option<Timestamp>,
        ended_at: Timestamp,
        last_round: u32,
        game_time: Span,
        round_time: Span,
    },
}

impl From<&GameMove> for MoveForm {
    fn from(moved: &GameMove) -> Self {
        Self {
            game: (&moved.game).into(),
            roster: moved.roster.map(|change| match change {
                RosterChange::Joined { player, transaction: None } => RosterForm::Joined(player.0),
                RosterChange::Joined { player, transaction: Some(transaction) } => {
                    RosterForm::JoinedBy { player: player.0, transaction }
                }
                RosterChange::Left(player) => RosterForm::Left(player.0),
                RosterChange::TakenOut(player) => RosterForm::TakenOut(player.0),
            }),
            ready: moved.ready.map(|player| player.0),
            starts: moved.starts,
            opens_round: moved.opens_round,
            ended_round: moved.ended_round.as_ref().map(|EndedRound { number, unsent }| EndedRoundForm {
                number: *number,
                unsent: unsent.iter().map(|(kind, state)| ((*kind).into(), (*state).into())).collect(),
            }),
            retire: moved.retire.iter().map(Into::into).collect(),
            intent: moved.intents.first().map(Into::into),
            further_intents: moved.intents.iter().skip(1).map(Into::into).collect(),
        }
    }
}

impl From<MoveForm> for GameMove {
    fn from(form: MoveForm) -> Self {
        Self {
            game: form.game.into(),
            roster: form.roster.map(|change| match change {
                RosterForm::Joined(player) => {
                    RosterChange::Joined { player: PlayerId(player), transaction: None }
                }
                RosterForm::JoinedBy { player, transaction } => {
                    RosterChange::Joined { player: PlayerId(player), transaction: Some(transaction) }
                }
                RosterForm::Left(player) => RosterChange::Left(PlayerId(player)),
                RosterForm::TakenOut(player) => RosterChange::TakenOut(PlayerId(player)),
            }),
            ready: form.ready.map(PlayerId),
            starts: form.starts,
            opens_round: form.opens_round,
            ended_round: form.ended_round.map(|EndedRoundForm { number, unsent }| EndedRound {
                number,
                unsent: unsent.into_iter().map(|(kind, state)| (kind.into(), state.into())).collect(),
            }),
            retire: form.retire.into_iter().map(Into::into).collect(),
            intents: form.intent.into_iter().chain(form.further_intents).map(Into::into).collect(),
        }
    }
}

impl From<&IntentMove> for IntentMoveForm {
    fn from(step: &IntentMove) -> Self {
        match step {
            IntentMove::Begins(intent) => Self::Begins(intent.into()),
            IntentMove::Ends(id) => Self::Ends(id.0),
        }
    }
}

impl From<IntentMoveForm> for IntentMove {
    fn from(form: IntentMoveForm) -> Self {
        match form {
            IntentMoveForm::Begins(intent) => Self::Begins(intent.into()),
            IntentMoveForm::Ends(id) => Self::Ends(IntentId(id)),
        }
    }
}

impl From<&GameHeader> for GameForm {
    fn from(header: &GameHeader) -> Self {
        let game = header.without_players();
        Self {
            id: game.id.0,
            name: game.name.clone(),
            max_rounds: game.max_rounds,
            max_players: game.max_players,
            round_length: game.round_length,
            pace: match game.pace {
                Pace::Clock => PaceForm::Clock,
                Pace::Turbo => PaceForm::Turbo,
            },
            seed: game.seed,
            drawn_seed: game.drawn_seed,
            style: game.style.clone(),
            nonce: game.nonce.clone(),
            start_money: game.start_money,
            world: game.world.map(|world| world.0),
            world_is_given: game.world_is_given,
            replenished_on_request: game.replenishment == ReplenishmentMode::OnRequest,
            replaced_world: game.replaced_world.map(|world| world.0),
            created_at: game.created_at,
            state: (&game.state).into(),
        }
    }
}

impl From<GameForm> for GameHeader {
    fn from(form: GameForm) -> Self {
        Self::of(Game {
            id: GameId(form.id),
            name: form.name,
            max_rounds: form.max_rounds,
            max_players: form.max_players,
            round_length: form.round_length,
            pace: match form.pace {
                PaceForm::Clock => Pace::Clock,
                PaceForm::Turbo => Pace::Turbo,
            },
            seed: form.seed,
            drawn_seed: form.drawn_seed,
            style: form.style,
            nonce: form.nonce,
            start_money: form.start_money,
            world: form.world.map(WorldId),
            world_is_given: form.world_is_given,
            replenishment: if form.replenished_on_request {
                ReplenishmentMode::OnRequest
            } else {
                ReplenishmentMode::Automatic
            },
            replaced_world: form.replaced_world.map(WorldId),
            roster: Roster::default(),
            created_at: form.created_at,
            state: form.state.into(),
        })
    }
}

impl From<&State> for StateForm {
    fn from(state: &State) -> Self {
        match state {
            State::Created { start: None } => Self::Created,
            State::Created { start: Some(StartUnderWay { slot, world }) } => {
                Self::Starting { slot: *slot, world: world.0 }
            }
            State::Running(running) => Self::Running {
                slot: running.slot,
                started_at: running.started_at,
                timer_since: running.timer.since.0,
                timer_from: span(running.timer.from),
                paused: running.timer.paused,
                round: running.round.id.0,
                round_number: running.round.number,
                current_round_length: running.round.length,
                round_begins: span(running.round.begins),
                phase: match running.phase {
                    Phase::Countdown => PhaseForm::Countdown,
                    Phase::Collection => PhaseForm::Collection,
                    Phase::Execution => PhaseForm::Execution,
                },
                phase_ends: span(running.phase_ends),
                replenished_after: running.replenished_after,
            },
            State::Ended(ended) => Self::Ended {
                started_at: ended.started_at,
                ended_at: ended.ended_at,
                last_round: ended.last_round,
                game_time: span(ended.game_time),
                round_time: span(ended.round_time),
            },
        }
    }
}

impl From<StateForm> for State {
    fn from(form: StateForm) -> Self {
        match form {
            StateForm::Created => Self::Created { start: None },
            StateForm::Starting { slot, world } => {
                Self::Created { start: Some(StartUnderWay { slot, world: WorldId(world) }) }
            }
            StateForm::Running {
                slot,
                started_at,
                timer_since,
                timer_from,
                paused,
                round,
                round_number,
                current_round_length,
                round_begins,
                phase,
                phase_ends,
                replenished_after,
            } => Self::Running(Running {
                slot,
                started_at,
                timer: Timer { since: Moment(timer_since), from: duration(timer_from), paused },
                round: Round {
                    id: RoundId(round),
                    number: round_number,
                    length: current_round_length,
                    begins: duration(round_begins),
                },
                phase: match phase {
                    PhaseForm::Countdown => Phase::Countdown,
                    PhaseForm::Collection => Phase::Collection,
                    PhaseForm::Execution => Phase::Execution,
                },
                phase_ends: duration(phase_ends),
                ready: HashSet::new(),
                replenished_after,
            }),
            StateForm::Ended { started_at, ended_at, last_round, game_time, round_time } => {
                Self::Ended(Ended {
                    started_at,
                    ended_at,
                    last_round,
                    game_time: duration(game_time),
                    round_time: duration(round_time),
                })
            }
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(seed: &u64) -> bool {
    *seed == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_none_yet(round: &u32) -> bool {
    *round == 0
}

/// In forms from before games had names.
fn unnamed() -> String {
    "Game".to_owned()
}

fn is_unnamed(name: &str) -> bool {
    name == unnamed()
}

fn usual_money() -> u32 {
    DEFAULT_START_MONEY
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_usual_money(money: &u32) -> bool {
    *money == DEFAULT_START_MONEY
}

fn span(duration: Duration) -> Span {
    (duration.as_secs(), duration.subsec_nanos())
}

fn duration((seconds, nanos): Span) -> Duration {
    Duration::from_secs(seconds).saturating_add(Duration::from_nanos(u64::from(nanos)))
}
