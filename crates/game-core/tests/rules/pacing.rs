//! Turbo: who has to be ready for a phase to end early, and that it never ends late.
//! How it mixes with everything else is in `history`.

use starkeep_game_core::*;

use crate::samples::*;

/// Two players in a running game of that pace.
fn played(pace: Pace) -> Game {
    let game = after(created(9).set_pace(pace, START));
    let game = after(after(game.join(player(1), transaction(1))).join(player(2), transaction(2)));
    match begin(&game).unwrap() {
        Start::Now(change) => change.after.unwrap(),
        Start::NeedsWorld { .. } => panic!("every seat is taken"),
    }
}

fn carried_out(game: &Game, round: u32, at: u64) -> Option<Change> {
    game.carried_out(&Policy::standard(), round, round_id(round + 1), START + ms(at), noon(3))
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
    let end = Boundary { at: START + ms(550), round: 1, kind: BoundaryKind::RoundEnds };
    assert_eq!(game.next_boundary(), Some(end), "no later than the clock would");
    let change = carried_out(&game, 1, 400).unwrap();
    assert_eq!(change.events, [round_ended(1), round_started(2)]);
    let game = change.after.unwrap();
    assert_eq!(game.ready_players(), 0, "readiness is of one round");
    assert_eq!(game.next_boundary().unwrap().at, START + ms(1_150));
    assert_eq!(game.time(START + ms(500)).unwrap().game_time, ms(500));
}

#[test]
fn nobody_waits_for_a_player_who_was_taken_out() {
    // Whether the other one is ready before or after, and whatever the player has said itself.
    for says_so in [false, true] {
        let game = played(Pace::Turbo);
        let game = if says_so { ready(&game, 1, 100).after.unwrap() } else { game };
        let change = game.take_out(player(1), START + ms(200)).unwrap();
        assert!(!change.events.contains(&input_ended(1)), "the other one is not ready");
        let game = change.after.unwrap();
        assert_eq!(game.ready_players(), 1, "who is taken out counts as ready, once");
        assert_eq!(ready(&game, 2, 300).events, [input_ended(1)]);
    }
    let other_is_ready = ready(&played(Pace::Turbo), 2, 100).after.unwrap();
    let change = other_is_ready.take_out(player(1), START + ms(200)).unwrap();
    assert_eq!(change.events[1..], [input_ended(1)]);

    let next = carried_out(&change.after.unwrap(), 1, 300).unwrap().after.unwrap();
    assert_eq!(next.ready_players(), 1, "in every further round");
    assert_eq!(ready(&next, 2, 400).events, [input_ended(2)]);
}

#[test]
fn a_game_whose_players_were_all_taken_out_keeps_to_the_clock() {
    let game = after(played(Pace::Turbo).take_out(player(1), START + ms(100)));
    let change = game.take_out(player(2), START + ms(200)).unwrap();
    assert_eq!(change.events.len(), 1);
    let game = change.after.unwrap();
    assert_eq!(game.next_boundary().unwrap().at, START + ms(750));
    assert_eq!(carried_out(&advanced(game, 1), 1, 800), None);
}

#[test]
fn what_is_carried_out_late_ends_the_round_where_it_was_meant_to_end() {
    let executing = advanced(played(Pace::Turbo), 1);
    let over = carried_out(&executing, 1, 1_030).unwrap().after.unwrap();
    assert_eq!(over.next_boundary().unwrap().at, START + ms(1_750));
}

#[test]
fn only_a_game_in_a_hurry_goes_on_when_everything_is_carried_out() {
    let executing = advanced(played(Pace::Turbo), 1);
    assert_eq!(carried_out(&executing, 2, 800), None, "another round");
    assert_eq!(carried_out(&played(Pace::Turbo), 1, 100), None, "nothing is carried out yet");
    assert_eq!(carried_out(&after(executing.pause(START + ms(800))), 1, 800), None, "its time stands");
    assert_eq!(carried_out(&after(executing.set_pace(Pace::Clock, START)), 1, 800), None);
    assert_eq!(carried_out(&ended(), 1, 800), None);
    let nobody = advanced(after(running(9).set_pace(Pace::Turbo, START)), 1);
    assert_eq!(carried_out(&nobody, 1, 800), None, "a game without players keeps to the clock");
    let last = after(executing.set_max_rounds(1, START + ms(800), noon(2)));
    let end = carried_out(&last, 1, 800).unwrap();
    assert_eq!(end.events, [round_ended(1), Event::Ended(GAME)]);
    assert_eq!(end.unsent, Some(UnsentReason::OutOfTime));
}

#[test]
fn who_is_not_ready_is_waited_for_as_long_as_the_clock_would() {
    let game = ready(&played(Pace::Turbo), 1, 200).after.unwrap();
    let change = advance(&game);
    assert_eq!(change.events, [input_ended(1)]);
    assert_eq!(change.after.unwrap().next_boundary().unwrap().at, START + ms(1_000));
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
    assert_eq!(late.next_boundary().unwrap().at, START + ms(1_000));
}

#[test]
fn readiness_that_was_told_before_a_boundary_and_is_heard_after_it_ends_the_phase_there() {
    let second = advanced(ready(&played(Pace::Turbo), 1, 200).after.unwrap(), 2);
    let hurried = ready(&ready(&second, 1, 990).after.unwrap(), 2, 995).after.unwrap();
    assert_eq!(hurried.next_boundary().unwrap().at, START + ms(1_250));
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
        (executing, Rejection::NotCollecting { game: GAME, round: 1, late_by: ms(50) }),
    ] {
        assert_eq!(game.ready(one, START + ms(800)), Err(refused));
    }
    assert_eq!(ended().set_pace(Pace::Turbo, START), Err(Rejection::Ended { game: GAME }));
}
