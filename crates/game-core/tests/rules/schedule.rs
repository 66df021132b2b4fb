//! When rounds and phases begin and end, to the nanosecond, and what the game's clock shows in between.
//! What else an end brings with it is in `ending`.

use std::time::Duration;

use proptest::prelude::*;
use starkeep_game_core::*;

use crate::samples::*;

#[test]
fn a_game_of_two_rounds_runs_by_itself_to_its_end() {
    let mut game = running(2);
    for (at, round, kind, events) in [
        (750, 1, BoundaryKind::InputEnds, vec![input_ended(1)]),
        (1_000, 1, BoundaryKind::RoundEnds, vec![round_ended(1), round_started(2)]),
        (1_750, 2, BoundaryKind::InputEnds, vec![input_ended(2)]),
        (2_000, 2, BoundaryKind::RoundEnds, vec![round_ended(2), Event::Ended(GAME)]),
    ] {
        assert_eq!(game.next_boundary(), Some(Boundary { at: START + ms(at), round, kind }));
        let change = advance(&game);
        assert_eq!(change.events, events);
        let opened = change.new_round.map(|round| Event::RoundStarted {
            game: GAME,
            round: round.id,
            number: round.number,
        });
        assert_eq!(opened, events.into_iter().find(|event| matches!(event, Event::RoundStarted { .. })));
        let over = change.after.as_ref().unwrap().status() == Status::Ended;
        assert_eq!(change.retire, if over { vec![deactivate(FRESH_WORLD)] } else { vec![] });
        game = change.after.unwrap();
    }
    assert_eq!(game.next_boundary(), None);
    assert_eq!(
        game.state,
        State::Ended(Ended {
            started_at: Some(noon(1)),
            ended_at: noon(3),
            last_round: 2,
            game_time: ms(2_000),
            round_time: ms(1_000),
        })
    );
}

#[test]
fn a_boundary_is_taken_at_its_own_instant_only_and_only_once() {
    let game = running(2);
    let kind = BoundaryKind::InputEnds;
    for wrong in [START, START + ms(749), START + ms(751), START + ms(1_000), Moment::LAST] {
        assert_eq!(
            game.advance(&Policy::standard(), Boundary { at: wrong, round: 1, kind }, round_id(2), noon(3)),
            None
        );
    }
    let input_over = Boundary { at: START + ms(750), round: 1, kind };
    let another = Boundary { kind: BoundaryKind::RoundEnds, ..input_over };
    assert_eq!(game.advance(&Policy::standard(), another, round_id(2), noon(3)), None);
    assert_eq!(
        game.advance(&Policy::standard(), Boundary { round: 2, ..input_over }, round_id(2), noon(3)),
        None
    );
    assert_eq!(advanced(game, 1).advance(&Policy::standard(), input_over, round_id(2), noon(3)), None);
    for idle in [created(2), starting(2), ended()] {
        assert_eq!(idle.advance(&Policy::standard(), input_over, round_id(2), noon(3)), None);
    }
}

#[test]
fn ten_thousand_rounds_of_100_ms_end_to_the_nanosecond() {
    let length = after(created(10_000).set_round_length(&Policy::standard(), 100));
    let Ok(Start::NeedsWorld { change, .. }) = begin(&length) else { panic!("no world fits nobody") };
    let start = finish(&change.after.unwrap());
    let last = advanced(after(start), 2 * 10_000 - 1);
    let at = Moment(START.0 + 10_000 * 100_000_000);
    let end = Boundary { at, round: 10_000, kind: BoundaryKind::RoundEnds };
    assert_eq!(last.next_boundary(), Some(end));
    assert_eq!(last.current_round(), 10_000);
    let over = advance(&last).after.unwrap();
    assert_eq!(over.status(), Status::Ended);
    assert_eq!(over.time(Moment::LAST).unwrap().game_time, Duration::from_secs(1_000));
}

#[test]
fn a_new_length_counts_from_the_next_round_and_the_schedule_stays_exact() {
    let game = after(advanced(running(9), 1).set_round_length(&Policy::standard(), 333));
    assert_eq!(game.next_boundary().unwrap().at, START + ms(1_000));
    let second = advance(&game);
    let round = Round { id: round_id(2), number: 2, length: 333, begins: ms(1_000) };
    assert_eq!(second.new_round, Some(round));
    let second = second.after.unwrap();
    assert_eq!(second.next_boundary().unwrap().at, START + Duration::from_micros(1_249_750));
    assert_eq!(advanced(second, 2).next_boundary().unwrap().at, START + Duration::from_micros(1_582_750));
}

#[test]
fn the_clock_shows_the_phase_that_is_stored() {
    let (collection, execution) = (running(9), advanced(running(9), 1));
    for (game, now, round_time, phase, left) in [
        (&collection, 0, 0, Phase::Collection, 750),
        (&collection, 300, 300, Phase::Collection, 450),
        (&collection, 750, 750, Phase::Collection, 0),
        (&collection, 5_000, 750, Phase::Collection, 0),
        (&execution, 0, 750, Phase::Execution, 250),
        (&execution, 750, 750, Phase::Execution, 250),
        (&execution, 999, 999, Phase::Execution, 1),
        (&execution, 5_000, 1_000, Phase::Execution, 0),
        (&advanced(execution.clone(), 1), 1_100, 100, Phase::Collection, 650),
    ] {
        let clock = GameClock {
            game_time: ms(round_time) + ms(1_000) * (game.current_round() - 1),
            round: game.current_round(),
            round_time: ms(round_time),
            phase: Some(phase),
            phase_ends_in: Some(ms(left)),
            paused: false,
        };
        assert_eq!(game.time(START + ms(now)), Some(clock), "after {now} ms");
    }
    assert_eq!(collection.time(Moment(0)), collection.time(START));
}

#[test]
fn the_longest_schedule_stays_exact_in_game_time() {
    let day = 86_400_000;
    let last = *MAX_ROUNDS.end();
    let begins = Duration::from_hours(24) * (last - 1);
    let mut game = running(last);
    let State::Running(running) = &mut game.state else { panic!("it runs") };
    running.round = Round { id: round_id(last), number: last, length: day, begins };
    running.phase_ends = begins + running.round.collection_span();
    running.timer.from = begins;
    let over = advanced(game, 2);
    let State::Ended(ended) = over.state else { panic!("the last round is over") };
    assert_eq!((ended.last_round, ended.game_time), (last, Duration::from_hours(24) * last));
    assert_eq!(ended.round_time, Duration::from_hours(24));
}

proptest! {
    #[test]
    fn round_n_begins_at_the_start_plus_n_minus_1_lengths(
        start in 0..u64::from(u32::MAX), length in ROUND_LENGTHS, rounds in 1..60_u32,
    ) {
        let game = Game { round_length: length, ..starting(rounds) };
        let mut game = after(game.finish_start(&Policy::standard(), FRESH_WORLD, made(FRESH_WORLD), round_id(1), Moment(start), noon(1)));
        let nanos = u64::from(length) * 1_000_000;
        for before in 0..u64::from(rounds) {
            let State::Running(running) = &game.state else { panic!("ended early") };
            prop_assert_eq!(running.timer.since, Moment(start + before * nanos));
            prop_assert_eq!(game.next_boundary().unwrap().at, Moment(start + before * nanos + nanos / 4 * 3));
            let executing = advanced(game, 1);
            prop_assert_eq!(executing.next_boundary().unwrap().at, Moment(start + (before + 1) * nanos));
            game = advanced(executing, 1);
        }
        prop_assert_eq!(game.status(), Status::Ended);
    }
}
