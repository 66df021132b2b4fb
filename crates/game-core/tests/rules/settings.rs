//! Changing the number of rounds and their length, before the start and while the game runs.
//! The bounds at the creation are in `creating`; how a new length shifts the schedule is in `schedule`.

use starkeep_game_core::*;

use crate::samples::*;

fn rounds_out_of_bounds(least: u32, got: u32) -> Rejection {
    Rejection::OutOfBounds { field: Field::MaxRounds, least, most: 1_000_000, got }
}

#[test]
fn max_rounds_before_the_start_and_after_the_end() {
    let ended_already = Err(Rejection::Ended { game: GAME });
    for (game, value, expected) in [
        (created(3), 1, Ok(())),
        (created(3), 1_000_000, Ok(())),
        (created(3), 0, Err(rounds_out_of_bounds(1, 0))),
        (created(3), 1_000_001, Err(rounds_out_of_bounds(1, 1_000_001))),
        (starting(3), 5, Ok(())),
        (ended(), 5, ended_already),
        (ended(), 0, ended_already),
    ] {
        let changed = game.set_max_rounds(value, START, noon(2));
        let expected = expected.map(|()| silent(&game, Game { max_rounds: value, ..game.clone() }));
        assert_eq!(changed, expected);
    }
}

#[test]
fn max_rounds_of_a_game_in_its_third_round() {
    let third = advanced(running(9), 4);
    assert_eq!(third.current_round(), 3);
    for value in [1_000_000, 4, 3] {
        let changed = third.set_max_rounds(value, START + ms(2_100), noon(2));
        assert_eq!(changed, Ok(silent(&third, Game { max_rounds: value, ..third.clone() })));
    }
    for value in [2, 1, 0] {
        let change = third.set_max_rounds(value, START + ms(2_100), noon(2)).unwrap();
        let same_end = third.end(START + ms(2_100), noon(2)).unwrap();
        assert_eq!(change.events, [input_ended(3), round_ended(3), Event::Ended(GAME)]);
        let after = same_end.after.clone().map(|game| Game { max_rounds: value, ..game });
        assert_eq!(change, Change { after, end: Some(EndReason::MaxRoundsLowered), ..same_end });
    }
    let too_many = third.set_max_rounds(1_000_001, START, noon(2));
    assert_eq!(too_many, Err(rounds_out_of_bounds(0, 1_000_001)));
}

#[test]
fn the_current_number_makes_this_round_the_last() {
    let last = after(advanced(running(9), 2).set_max_rounds(2, START, noon(2)));
    let change = advance(&advanced(last, 1));
    assert_eq!(change.events, [round_ended(2), Event::Ended(GAME)]);
    assert_eq!(change.end, Some(EndReason::RoundsOver));
}

#[test]
fn round_length_while_created_and_running() {
    let out =
        |least, got| Err(Rejection::OutOfBounds { field: Field::RoundLength, least, most: 86_400_000, got });
    let (standard, msd) = (Policy::standard(), Policy::msd());
    for (policy, game, millis, expected) in [
        (standard, created(3), 100, Ok(())),
        (standard, running(3), 86_400_000, Ok(())),
        (standard, starting(3), 2_000, Ok(())),
        (standard, created(3), 99, out(100, 99)),
        (standard, running(3), 86_400_001, out(100, 86_400_001)),
        (msd, created(3), 2_000, Ok(())),
        (msd, running(3), 1_999, out(2_000, 1_999)),
        (standard, ended(), 2_000, Err(Rejection::Ended { game: GAME })),
    ] {
        let changed = game.set_round_length(&policy, millis);
        let expected = expected.map(|()| silent(&game, Game { round_length: millis, ..game.clone() }));
        assert_eq!(changed, expected);
    }
}

fn silent(before: &Game, after: Game) -> Change {
    Change {
        before: Some(before.clone()),
        after: Some(after),
        events: vec![],
        new_round: None,
        roster: None,
        ready: None,
        unsent: None,
        retire: vec![],
        replenish: false,
        end: None,
    }
}
