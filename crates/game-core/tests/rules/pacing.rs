//! Turbo: who has to be ready for a phase to end early, and that it never ends late.
//! How it mixes with everything else is in `history`.

use starkeep_game_core::*;

use crate::samples::*;

/// Two players in a running game of that pace.
fn played(pace: Pace) -> Game {
    let game = after(created(9).set_pace(pace, START));
    let game = after(after(game.join(player(1))).join(player(2)));
    match begin(&game).unwrap() {
        Start::Now(change) => change.after.unwrap(),
        Start::NeedsWorld { .. } => panic!("every seat is taken"),
    }
}

fn ready(game: &Game, number: u32, at: u64) -> Change {
    game.ready(player(number), START + ms(at)).unwrap()
}

#[test]
fn the_collection_phase_ends_with_the_last_player_who_is_ready() {
    let first = ready(&played(Pace::Turbo), 1, 200);
    assert_eq!((first.events, first.ready), (vec![], Some(player(1))));
    let game = first.after.unwrap();
    assert_eq!(game.ready_players(), 1);
    assert_eq!(game.next_boundary().unwrap().at, START + ms(750));

    let second = ready(&game, 2, 300);
    assert_eq!((second.events, second.ready), (vec![input_ended(1)], Some(player(2))));
    let game = second.after.unwrap();
    assert_eq!(game.ready_players(), 2, "the round's count stays to be shown");
    // There is nothing to carry out, so the execution phase is over as well.
    let end = Boundary { at: START + ms(300), round: 1, kind: BoundaryKind::RoundEnds };
    assert_eq!(game.next_boundary(), Some(end));
    let change = advance(&game);
    assert_eq!(change.events, [round_ended(1), round_started(2)]);
    let game = change.after.unwrap();
    assert_eq!(game.ready_players(), 0, "readiness is of one round");
    assert_eq!(game.next_boundary().unwrap().at, START + ms(1_050));
    assert_eq!(game.time(START + ms(400)).unwrap().game_time, ms(400));
}

#[test]
fn a_boundary_is_of_its_round_even_where_the_next_round_ends_at_the_same_instant() {
    let executing = |game: Game| ready(&ready(&game, 1, 300).after.unwrap(), 2, 300).after.unwrap();
    let first = executing(played(Pace::Turbo));
    let taken = first.next_boundary().unwrap();
    let second = executing(advanced(first, 1));
    assert_eq!(second.next_boundary().unwrap().at, taken.at);
    assert_eq!(second.advance(taken, round_id(3), noon(3)), None);
}

#[test]
fn who_is_not_ready_is_waited_for_as_long_as_the_clock_would() {
    let game = ready(&played(Pace::Turbo), 1, 200).after.unwrap();
    let change = advance(&game);
    assert_eq!(change.events, [input_ended(1)]);
    assert_eq!(change.after.unwrap().next_boundary().unwrap().at, START + ms(750));
}

#[test]
fn saying_it_again_changes_nothing() {
    let game = ready(&played(Pace::Turbo), 1, 200).after.unwrap();
    let again = ready(&game, 1, 300);
    assert_eq!((again.after.as_ref(), again.ready, again.events), (Some(&game), None, vec![]));
}

#[test]
fn at_clock_pace_readiness_is_noted_and_has_no_effect_until_the_pace_changes() {
    let game = played(Pace::Clock);
    let game = ready(&ready(&game, 1, 100).after.unwrap(), 2, 200).after.unwrap();
    assert_eq!((game.ready_players(), game.next_boundary().unwrap().at), (2, START + ms(750)));
    let change = game.set_pace(Pace::Turbo, START + ms(300)).unwrap();
    let told = Event::Clock {
        game: GAME,
        change: ClockChange::Pace,
        round: 1,
        open: Some((Phase::Collection, ms(450))),
    };
    assert_eq!(change.events, [told, input_ended(1)]);
}

#[test]
fn a_phase_that_is_being_executed_ends_when_the_pace_becomes_turbo() {
    let game = advanced(played(Pace::Clock), 1);
    let hurried = after(game.set_pace(Pace::Turbo, START + ms(800)));
    assert_eq!(hurried.next_boundary().unwrap().at, START + ms(800));
}

#[test]
fn a_paused_game_waits_for_its_host_even_if_everybody_is_ready() {
    let game = after(played(Pace::Turbo).pause(START + ms(100)));
    let game = ready(&ready(&game, 1, 200).after.unwrap(), 2, 300).after.unwrap();
    assert_eq!((game.next_boundary(), game.ready_players()), (None, 2));
    let change = game.resume(START + ms(900)).unwrap();
    assert_eq!(change.events[1..], [input_ended(1)]);
    assert_eq!(change.after.unwrap().time(START + ms(900)).unwrap().game_time, ms(100));
}

#[test]
fn readiness_that_comes_after_the_deadline_moves_no_boundary() {
    let game = ready(&played(Pace::Turbo), 1, 200).after.unwrap();
    let late = ready(&game, 2, 790).after.unwrap();
    assert_eq!(late.next_boundary().unwrap().at, START + ms(750));
}

#[test]
fn readiness_that_was_told_before_a_boundary_and_is_heard_after_it_ends_the_phase_there() {
    let second = advanced(ready(&played(Pace::Turbo), 1, 200).after.unwrap(), 2);
    let hurried = ready(&ready(&second, 1, 740).after.unwrap(), 2, 745).after.unwrap();
    assert_eq!(hurried.next_boundary().unwrap().at, START + ms(750));
}

#[test]
fn a_game_without_players_keeps_to_the_clock() {
    let game = after(running(9).set_pace(Pace::Turbo, START));
    assert_eq!(game.next_boundary().unwrap().at, START + ms(750));
    assert_eq!(advanced(game, 1).next_boundary().unwrap().at, START + ms(1_000));
}

#[test]
fn a_pace_that_stays_is_not_told_and_a_new_one_is() {
    assert_eq!(created(3).set_pace(Pace::Clock, START).unwrap().events, []);
    let told = Event::Clock { game: GAME, change: ClockChange::Pace, round: 0, open: None };
    assert_eq!(created(3).set_pace(Pace::Turbo, START).unwrap().events, [told]);
}

#[test]
fn readiness_and_pace_are_refused_where_they_make_no_sense() {
    let one = player(1);
    let executing = advanced(played(Pace::Clock), 1);
    for (game, refused) in [
        (created(3), Rejection::NotRunning { game: GAME }),
        (ended(), Rejection::Ended { game: GAME }),
        (running(3), Rejection::NotJoined { game: GAME, player: one }),
        (executing, Rejection::NotCollecting { game: GAME, round: 1 }),
    ] {
        assert_eq!(game.ready(one, START + ms(800)), Err(refused));
    }
    assert_eq!(ended().set_pace(Pace::Turbo, START), Err(Rejection::Ended { game: GAME }));
}
