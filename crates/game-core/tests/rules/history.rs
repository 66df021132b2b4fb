//! Games under commands that come at random: whatever happens, the history is legal and the schedule only moves on.
//! What each command does by itself is in the tables.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use starkeep_game_core::*;
use uuid::Uuid;

use crate::legal_history::LegalHistory;
use crate::samples::*;

#[derive(Clone, Debug)]
enum Step {
    Join(u32),
    Leave(u32),
    TakeOut(u32),
    BeginStart,
    FinishStart,
    /// The world has come for a start of which nothing is known.
    FinishForeignStart,
    AbandonStart,
    Wait(u64),
    /// The clock wakes up so many nanoseconds late for the boundary that is due next.
    Advance {
        late: u64,
    },
    AdvanceAtWrongInstant,
    SetMaxRounds(u32),
    SetRoundLength(u32),
    Pause,
    Resume,
    PlayRound,
    /// The same in two halves.
    BeginRound,
    FinishRound,
    CarriedOut,
    SetPace(Pace),
    Ready(u32),
    /// Nobody keeps time for so many nanoseconds.
    Freeze(u64),
    End,
    Delete,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..4_u32).prop_map(Step::Join),
        1 => (0..4_u32).prop_map(Step::Leave),
        1 => (0..4_u32).prop_map(Step::TakeOut),
        4 => Just(Step::BeginStart),
        4 => Just(Step::FinishStart),
        1 => Just(Step::FinishForeignStart),
        1 => Just(Step::AbandonStart),
        4 => (0..200_000_000_u64).prop_map(Step::Wait),
        16 => prop_oneof![Just(0), 0..300_000_000_u64].prop_map(|late| Step::Advance { late }),
        2 => Just(Step::AdvanceAtWrongInstant),
        2 => (0..8_u32).prop_map(Step::SetMaxRounds),
        2 => (90..400_u32).prop_map(Step::SetRoundLength),
        3 => Just(Step::Pause),
        3 => Just(Step::Resume),
        3 => Just(Step::PlayRound),
        2 => Just(Step::BeginRound),
        2 => Just(Step::FinishRound),
        4 => Just(Step::CarriedOut),
        2 => prop_oneof![Just(Pace::Clock), Just(Pace::Turbo)].prop_map(Step::SetPace),
        8 => (0..4_u32).prop_map(Step::Ready),
        2 => (0..2_000_000_000_u64).prop_map(Step::Freeze),
        1 => Just(Step::End),
        1 => Just(Step::Delete),
    ]
}

/// A game and all that was ever said about it.
struct Play {
    policy: Policy,
    game: Option<Game>,
    history: LegalHistory,
    now: Moment,
    shown: Duration,
    taken: Option<Boundary>,
    ids: u128,
    /// Every world that was ever asked for, and how it was retired last.
    worlds: BTreeMap<WorldId, Option<Retire>>,
}

impl Play {
    fn new(policy: Policy) -> Result<Self, TestCaseError> {
        let world = (policy.world_made == WorldMade::AtCreate).then_some(FIRST_WORLD);
        let new = NewGame { round_length: None, ..new_game(4) };
        let mut play = Self {
            policy,
            game: None,
            history: LegalHistory::new(!policy.start_delay.is_zero()),
            now: START,
            shown: Duration::ZERO,
            taken: None,
            ids: 0x1000,
            worlds: world.map(|world| (world, None)).into_iter().collect(),
        };
        play.commit(create(&policy, new, world.map(made), None, 1, noon(0)).unwrap())?;
        Ok(play)
    }

    fn fresh_id(&mut self) -> Uuid {
        self.ids += 1;
        Uuid::from_u128(self.ids)
    }

    fn take(&mut self, step: &Step) -> TestCaseResult {
        let Some(game) = self.game.clone() else { return Ok(()) };
        let (world, round) = (WorldId(self.fresh_id()), RoundId(self.fresh_id()));
        let under_way = match &game.state {
            State::Created { start: Some(start) } => start.world,
            _ => world,
        };
        let decided = match *step {
            Step::Join(number) => game.join(player(number), transaction(number)).ok(),
            Step::Leave(number) => game.leave(player(number)).ok(),
            Step::TakeOut(number) => game.take_out(player(number), self.now).ok(),
            Step::BeginStart => {
                match game.begin_start(&self.policy, &FREE, world, round, self.now, noon(1)) {
                    Ok(Start::Now(change)) => Some(change),
                    Ok(Start::NeedsWorld { change, players }) => {
                        prop_assert_eq!(players as usize, game.roster.len().max(1));
                        self.worlds.insert(world, None);
                        Some(change)
                    }
                    Err(_) => None,
                }
            }
            Step::FinishStart => {
                game.finish_start(&self.policy, under_way, made(under_way), round, self.now, noon(1)).ok()
            }
            Step::FinishForeignStart => {
                game.finish_start(&self.policy, world, made(world), round, self.now, noon(1)).ok()
            }
            Step::AbandonStart => Some(game.abandon_start()),
            Step::Wait(nanos) => {
                self.now = self.now + Duration::from_nanos(nanos);
                None
            }
            Step::Advance { late } => game.next_boundary().and_then(|boundary| {
                self.now = self.now.max(boundary.at + Duration::from_nanos(late));
                self.taken = Some(boundary);
                game.advance(&self.policy, boundary, round, noon(2))
            }),
            Step::AdvanceAtWrongInstant => {
                let later = game.next_boundary().map(|next| Boundary { at: Moment(next.at.0 + 1), ..next });
                later
                    .and_then(|later| game.advance(&self.policy, later, round, noon(2)))
                    .or(self.taken.and_then(|at| game.advance(&self.policy, at, round, noon(2))))
            }
            Step::SetMaxRounds(value) => game.set_max_rounds(value, self.now, noon(2)).ok(),
            Step::SetRoundLength(millis) => game.set_round_length(&self.policy, millis).ok(),
            Step::Pause => game.pause(self.now).ok(),
            Step::Resume => game.resume(self.now).ok(),
            Step::PlayRound => match game.skip_countdown(self.now) {
                Ok(Some(begun)) => Some(begun),
                _ => game.step(&self.policy, round, self.now, noon(2)).ok(),
            },
            Step::BeginRound => game.begin_step(self.now).ok(),
            Step::FinishRound => {
                game.finish_step(&self.policy, game.current_round(), round, self.now, noon(2)).ok()
            }
            Step::CarriedOut => {
                game.carried_out(&self.policy, game.current_round(), round, self.now, noon(2))
            }
            Step::SetPace(pace) => game.set_pace(pace, self.now).ok(),
            Step::Ready(number) => game.ready(player(number), self.now).ok(),
            Step::Freeze(nanos) => {
                let heartbeat = self.now;
                self.now = self.now + Duration::from_nanos(nanos);
                let thawed = game.shift_after_stall(heartbeat, self.now);
                if let Some((change, by)) = &thawed {
                    let due = game.next_boundary().unwrap().at;
                    prop_assert_eq!(*by, Duration::from_nanos(nanos).max(self.now - due));
                    let shifted = change.after.as_ref().and_then(Game::next_boundary).unwrap().at;
                    prop_assert_eq!(shifted, due + *by);
                }
                thawed.map(|(change, _)| change)
            }
            Step::End => game.end(self.now, noon(2)).ok(),
            Step::Delete => game.delete().ok(),
        };
        if let Step::AdvanceAtWrongInstant | Step::FinishForeignStart = step {
            prop_assert_eq!(&decided, &None);
        }
        decided.map_or(Ok(()), |change| self.commit(change))?;
        self.check_schedule()
    }

    fn commit(&mut self, change: Change) -> TestCaseResult {
        prop_assert_eq!(&change.before, &self.game, "a change starts from the game it was asked of");
        for event in &change.events {
            self.history.read(*event).map_err(TestCaseError::fail)?;
        }
        prop_assert!(self.history.may_pause(), "half a history: {:?}", change.events);
        let started: Vec<_> = change
            .events
            .iter()
            .filter_map(|event| match event {
                Event::RoundStarted { round, number, .. } => Some((*round, *number)),
                _ => None,
            })
            .collect();
        let opened: Vec<_> = change.new_round.iter().map(|round| (round.id, round.number)).collect();
        prop_assert_eq!(started, opened, "a round is stored when it is announced");
        let over = change.events.iter().any(|event| matches!(event, Event::RoundEnded { .. }));
        prop_assert_eq!(over, change.unsent.is_some(), "what is left is settled with its round");
        for Retirement { world, how } in change.retire {
            let before = self.worlds.insert(world, Some(how));
            prop_assert!(
                matches!(
                    (before, how),
                    (Some(None), _) | (Some(Some(Retire::Deactivate | Retire::Seal)), Retire::Delete)
                ),
                "{world} was {before:?}, then {how:?}"
            );
        }
        let ended = change.after.as_ref().is_none_or(|game| game.status() == Status::Ended);
        prop_assert_eq!(ended, self.history.is_over(), "ended and announced as ended are one");
        self.game = change.after;
        self.check_worlds()
    }

    /// No world is forgotten: those in use are not retired, all others are.
    fn check_worlds(&self) -> TestCaseResult {
        let mut expected: BTreeMap<_, _> =
            self.worlds.keys().map(|world| (*world, Some(Retire::Delete))).collect();
        if let Some(game) = &self.game {
            let over = game.status() == Status::Ended;
            expected.extend(game.replaced_world.map(|world| (world, Some(Retire::Seal))));
            expected.extend(game.world.map(|world| (world, over.then_some(Retire::Deactivate))));
            if let State::Created { start: Some(start) } = &game.state {
                expected.insert(start.world, None);
            }
        }
        prop_assert_eq!(&self.worlds, &expected);
        Ok(())
    }

    fn check_schedule(&mut self) -> TestCaseResult {
        let Some(game) = &self.game else { return Ok(()) };
        if let (Some(next), Some(taken)) = (game.next_boundary(), self.taken) {
            prop_assert!(next.at >= taken.at, "{next:?} after {taken:?}");
        }
        let Some(clock) = game.time(self.now) else { return Ok(()) };
        prop_assert!(clock.game_time >= self.shown, "{clock:?} after {:?}", self.shown);
        self.shown = clock.game_time;
        prop_assert_eq!(clock.round, game.current_round());
        if let State::Running(running) = &game.state {
            prop_assert_eq!(clock.paused, game.next_boundary().is_none());
            prop_assert!(running.ready.iter().all(|player| game.roster.plays(*player)));
            if running.phase == Phase::Countdown {
                prop_assert_eq!((clock.round, clock.game_time, clock.phase), (0, Duration::ZERO, None));
                return Ok(());
            }
            prop_assert!(clock.round <= game.max_rounds);
            prop_assert_eq!(clock.game_time + clock.phase_ends_in.unwrap(), running.phase_ends);
            if let Some(boundary) = game.next_boundary() {
                let lived = running.timer.since <= self.now;
                prop_assert!(lived, "{:?} lies ahead of {:?}", running.timer, self.now);
                prop_assert_eq!(game.time(boundary.at).unwrap().game_time, running.phase_ends);
            }
            prop_assert_eq!(clock.round_time + running.round.begins, clock.game_time);
        }
        Ok(())
    }
}

proptest! {
    // Pure and quick, so it can afford more cases than the rest.
    #![proptest_config(ProptestConfig::with_cases(16 * ProptestConfig::default().cases))]

    #[test]
    fn whatever_happens_the_history_is_legal(
        msd in any::<bool>(), delay in prop_oneof![Just(0), 1..1_000_u64], steps in prop::collection::vec(step(), 1..80),
    ) {
        let policy = if msd { Policy::msd() } else { Policy::standard() };
        let policy = policy.with_start_delay(Duration::from_millis(delay));
        let mut play = Play::new(Policy { least_round_length: 100, ..policy })?;
        for step in &steps {
            play.take(step)?;
        }
    }
}
