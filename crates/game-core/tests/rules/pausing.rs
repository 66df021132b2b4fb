//! Pausing, resuming and stepping: what they tell, what they leave of the schedule, and when they are refused.
//! How they mix with everything else is in `history`.

use starkeep_game_core::*;

use crate::samples::*;

/// What a host does to the clock.
type Order = fn(&Game) -> Result<Change, Rejection>;

fn told(change: ClockChange, round: u32, phase: Phase, left: u64) -> Event {
    Event::Clock { game: GAME, change, round, open: Some((phase, ms(left))) }
}

fn paused(game: &Game, at: u64) -> Game {
    after(game.pause(START + ms(at)))
}

#[test]
fn a_pause_takes_the_deadlines_away_and_a_resume_gives_them_back_later() {
    for (game, phase, at, left) in [
        (running(9), Phase::Collection, 300, 450),
        (advanced(running(9), 1), Phase::Execution, 800, 200),
        // A boundary that is due and was not taken yet is still to come.
        (running(9), Phase::Collection, 900, 0),
    ] {
        let change = game.pause(START + ms(at)).unwrap();
        assert_eq!(change.events, [told(ClockChange::Paused, 1, phase, left)]);
        let standing = change.after.unwrap();
        assert_eq!(standing.next_boundary(), None);
        let clock = standing.time(START + ms(5_000)).unwrap();
        assert_eq!((clock.phase_ends_in, clock.paused), (Some(ms(left)), true));

        let change = standing.resume(START + ms(7_000)).unwrap();
        assert_eq!(change.events, [told(ClockChange::Resumed, 1, phase, left)]);
        assert_eq!(change.after.unwrap().next_boundary().unwrap().at, START + ms(7_000 + left));
    }
}

#[test]
fn a_step_plays_the_rest_of_the_round_and_pauses_the_next() {
    for (game, first) in
        [(paused(&running(9), 300), vec![input_ended(1)]), (paused(&advanced(running(9), 1), 800), vec![])]
    {
        let game_time = game.time(START).unwrap().game_time;
        let change = game.step(&Policy::standard(), round_id(2), START + ms(6_000), noon(3)).unwrap();
        let rest = [round_ended(1), round_started(2), told(ClockChange::Stepped, 2, Phase::Collection, 750)];
        assert_eq!(change.events, [first, rest.to_vec()].concat());
        let stepped = change.after.unwrap();
        let clock = stepped.time(START + ms(9_000)).unwrap();
        // What was left out is no game time.
        assert_eq!((clock.round, clock.game_time, clock.round_time), (2, game_time, ms(0)));
        assert_eq!((clock.phase, clock.phase_ends_in), (Some(Phase::Collection), Some(ms(750))));
        assert!(clock.paused);
        assert_eq!(
            change.new_round,
            Some(Round { id: round_id(2), number: 2, length: 1_000, begins: game_time })
        );
        let resumed = after(stepped.resume(START + ms(9_000)));
        assert_eq!(resumed.next_boundary().unwrap().at, START + ms(9_750));
    }
}

#[test]
fn a_step_after_a_boundary_that_was_due_and_not_taken_begins_where_the_phase_was_meant_to_end() {
    let stepped =
        after(paused(&running(9), 900).step(&Policy::standard(), round_id(2), START + ms(6_000), noon(3)));
    let clock = stepped.time(START + ms(6_000)).unwrap();
    assert_eq!((clock.game_time, clock.round_time), (ms(750), ms(0)));
}

#[test]
fn whoever_asked_before_a_boundary_and_is_heard_after_it_sets_the_clock_from_there() {
    let timer = |game: &Game| match &game.state {
        State::Running(running) => running.timer,
        _ => panic!("it runs"),
    };
    let (asked, boundary) = (START + ms(740), START + ms(750));
    let here = Timer { since: boundary, from: ms(750), paused: true };
    let standing = after(advanced(running(9), 1).pause(asked));
    assert_eq!(timer(&standing), here);
    assert_eq!(timer(&after(standing.step(&Policy::standard(), round_id(2), asked, noon(3)))), here);
    assert_eq!(timer(&after(standing.resume(asked))), Timer { paused: false, ..here });
    let later = after(standing.step(&Policy::standard(), round_id(2), START + ms(900), noon(3)));
    assert_eq!(timer(&later), Timer { since: START + ms(900), ..here }, "so long the service was up");
}

#[test]
fn a_step_in_the_last_round_ends_the_game() {
    let change =
        paused(&running(1), 300).step(&Policy::standard(), round_id(2), START + ms(6_000), noon(3)).unwrap();
    let stepped = Event::Clock { game: GAME, change: ClockChange::Stepped, round: 1, open: None };
    assert_eq!(change.events, [input_ended(1), round_ended(1), stepped, Event::Ended(GAME)]);
    assert_eq!(change.retire, [deactivate(FRESH_WORLD)]);
    let clock = change.after.unwrap().time(START).unwrap();
    assert_eq!((clock.game_time, clock.round, clock.paused), (ms(300), 1, false));
}

#[test]
fn a_step_in_two_halves_comes_to_the_same_as_one_in_a_piece() {
    for (game, at) in [(running(9), 300), (advanced(running(9), 1), 800), (running(1), 300)] {
        let standing = paused(&game, at);
        let whole = standing.step(&Policy::standard(), round_id(2), START + ms(6_000), noon(3)).unwrap();
        let first = standing.begin_step(START + ms(5_000)).unwrap();
        let half = first.after.unwrap();
        assert_eq!((half.next_boundary(), half.current_round()), (None, 1), "its time stands on");
        let second =
            half.finish_step(&Policy::standard(), 1, round_id(2), START + ms(6_000), noon(3)).unwrap();
        assert_eq!([first.events, second.events].concat(), whole.events);
        assert_eq!(second.after, whole.after);
    }
}

#[test]
fn a_step_is_finished_only_where_nobody_came_in_between() {
    let half = after(paused(&running(9), 300).begin_step(START + ms(5_000)));
    let at = START + ms(6_000);
    let overtaken = Err(Rejection::StepOvertaken { game: GAME, round: 1 });
    for game in [
        after(half.resume(at)),
        after(half.step(&Policy::standard(), round_id(2), at, noon(3))),
        after(half.end(at, noon(3))),
        paused(&running(9), 300),
    ] {
        assert_eq!(game.finish_step(&Policy::standard(), 1, round_id(3), at, noon(3)), overtaken);
    }
    assert_eq!(running(9).begin_step(at), Err(Rejection::NotPaused { game: GAME }));
}

#[test]
fn a_game_that_is_paused_can_be_ended_where_it_stands() {
    let change = paused(&running(9), 300).end(START + ms(6_000), noon(3)).unwrap();
    assert_eq!(change.events, [input_ended(1), round_ended(1), Event::Ended(GAME)]);
    assert_eq!(change.after.unwrap().time(START).unwrap().game_time, ms(300));
}

#[test]
fn the_clock_is_moved_only_where_that_makes_sense() {
    let moves: [Order; 3] = [
        |game| game.pause(START),
        |game| game.resume(START),
        |game| game.step(&Policy::standard(), round_id(2), START, noon(3)),
    ];
    let not_running = Err(Rejection::NotRunning { game: GAME });
    let (already, not_paused) =
        (Err(Rejection::Paused { game: GAME }), Err(Rejection::NotPaused { game: GAME }));
    for (game, refused) in [
        (created(3), [Some(&not_running), Some(&not_running), Some(&not_running)]),
        (starting(3), [Some(&not_running), Some(&not_running), Some(&not_running)]),
        (running(3), [None, Some(&not_paused), Some(&not_paused)]),
        (paused(&running(3), 300), [Some(&already), None, None]),
        (ended(), [Some(&Err(Rejection::Ended { game: GAME })); 3]),
    ] {
        for (order, refused) in moves.iter().zip(refused) {
            match refused {
                Some(refused) => assert_eq!(&order(&game), refused),
                None => assert!(order(&game).is_ok()),
            }
        }
    }
}
