//! How a game gets from created to running: with which world, in which slot, and who wins a race.
//! What happens to the rounds afterwards is in `schedule`.

use imbl::HashSet;
use starkeep_game_core::*;

use crate::samples::*;

fn joined(game: Game, players: u32) -> Game {
    (1..=players).fold(game, |game, number| after(game.join(player(number), transaction(number))))
}

#[test]
fn a_world_is_sized_for_the_joined_players_unless_the_first_one_fits() {
    let fits = None;
    let (standard, msd) = (Policy::standard(), Policy::msd());
    for (policy, world, players, sized_for) in [
        (standard, Some(FIRST_WORLD), 2, fits),
        (standard, Some(FIRST_WORLD), 1, Some(1)),
        (standard, Some(FIRST_WORLD), 0, Some(1)),
        (standard, None, 2, Some(2)),
        (msd, None, 2, Some(2)),
        (msd, None, 1, Some(1)),
        (msd, None, 0, Some(1)),
    ] {
        let game = joined(Game { world, ..created(3) }, players);
        let start = game.begin_start(&policy, &FREE, FRESH_WORLD, round_id(1), START, noon(1)).unwrap();
        let asked_for = match &start {
            Start::Now(_) => None,
            Start::NeedsWorld { players, .. } => Some(*players),
        };
        assert_eq!(asked_for, sized_for, "{policy:?}, {world:?}, {players} joined");
    }
}

#[test]
fn a_game_whose_world_fits_starts_at_once() {
    let game = joined(created(3), 2);
    let round = Round { id: round_id(1), number: 1, length: 1_000, begins: ms(0) };
    let state = State::Running(Running {
        slot: 1,
        started_at: noon(1),
        timer: Timer { since: START, from: ms(0), paused: false },
        round,
        phase: Phase::Collection,
        phase_ends: ms(750),
        ready: HashSet::new(),
        replenished_after: 0,
    });
    let expected = Change {
        before: Some(game.clone()),
        after: Some(Game { state, ..game.clone() }),
        events: vec![Event::Started(GAME), round_started(1)],
        new_round: Some(round),
        roster: None,
        ready: None,
        unsent: None,
        retire: vec![],
        replenish: false,
        end: None,
    };
    assert_eq!(begin(&game), Ok(Start::Now(expected)));
}

#[test]
fn a_start_that_needs_a_world_is_written_down_first_and_silent() {
    let game = created(3);
    let under_way = Some(StartUnderWay { slot: 1, world: FRESH_WORLD });
    let change = Change {
        before: Some(game.clone()),
        after: Some(Game { state: State::Created { start: under_way }, ..game.clone() }),
        events: vec![],
        new_round: None,
        roster: None,
        ready: None,
        unsent: None,
        retire: vec![],
        replenish: false,
        end: None,
    };
    assert_eq!(begin(&game), Ok(Start::NeedsWorld { change, players: 1 }));
}

#[test]
fn finishing_a_start_replaces_the_world_and_begins_round_one() {
    // The map may have chosen an id of its own.
    let own = MadeWorld { id: WorldId(OTHER_GAME.0), replenishment: ReplenishmentMode::Automatic };
    for (first_world, retired) in [(Some(FIRST_WORLD), vec![seal(FIRST_WORLD)]), (None, vec![])] {
        let game = Game { world: first_world, ..starting(3) };
        let change =
            game.finish_start(&Policy::standard(), FRESH_WORLD, own, round_id(1), START, noon(1)).unwrap();
        assert_eq!(change.events, [Event::Started(GAME), round_started(1)]);
        assert_eq!(change.retire, retired);
        let started = change.after.unwrap();
        assert_eq!((started.world, started.replaced_world), (Some(own.id), first_world));
        assert_eq!(started.replenishment, ReplenishmentMode::Automatic);
        assert_eq!((started.status(), started.current_round()), (Status::Running, 1));
        assert_eq!(
            started.time(START),
            Some(GameClock {
                game_time: ms(0),
                round: 1,
                round_time: ms(0),
                phase: Some(Phase::Collection),
                phase_ends_in: Some(ms(750)),
                paused: false,
            })
        );
    }
}

#[test]
fn a_start_that_was_withdrawn_cannot_be_finished() {
    let another_start = Some(StartUnderWay { slot: 1, world: FIRST_WORLD });
    for game in [
        created(3),
        starting(3).abandon_start().after.unwrap(),
        Game { state: State::Created { start: another_start }, ..created(3) },
        after(starting(3).end(START, noon(2))),
        running(3),
        ended(),
    ] {
        let finished = finish(&game);
        assert_eq!(finished, Err(Rejection::StartWithdrawn { game: GAME }), "{:?}", game.state);
    }
}

#[test]
fn an_abandoned_start_leaves_a_created_game_and_a_world_to_delete() {
    let change = starting(3).abandon_start();
    assert_eq!(change.after, Some(created(3)));
    assert_eq!((change.events, change.retire), (vec![], vec![delete(FRESH_WORLD)]));
    for game in [created(3), running(3), ended()] {
        let change = game.abandon_start();
        assert_eq!((change.after, change.events, change.retire), (Some(game), vec![], vec![]));
    }
}

#[test]
fn only_a_created_game_starts() {
    for (game, rejection) in [
        (starting(3), Rejection::StartUnderWay { game: GAME }),
        (running(3), Rejection::NotCreated { game: GAME, status: Status::Running }),
        (ended(), Rejection::NotCreated { game: GAME, status: Status::Ended }),
    ] {
        assert_eq!(begin(&game), Err(rejection));
    }
}

#[test]
fn as_many_games_run_as_there_are_slots() {
    let one_taken = Slots(vec![(1, OTHER_GAME)]);
    for (slots, running_games, expected) in [
        (FREE, 1, Ok(1)),
        (one_taken.clone(), 1, Err(Rejection::AnotherGameRuns { running: OTHER_GAME, limit: 1 })),
        (one_taken, 2, Ok(2)),
        (Slots(vec![(2, OTHER_GAME)]), 2, Ok(1)),
    ] {
        let policy = Policy::standard().with_running_games(running_games);
        for players in [1, 2] {
            let game = joined(created(3), players);
            let start = game.begin_start(&policy, &slots, FRESH_WORLD, round_id(1), START, noon(1));
            assert_eq!(start.map(|start| slot_taken(&start)), expected, "{slots:?} of {running_games}");
        }
    }
}

fn slot_taken(start: &Start) -> u32 {
    let (Start::Now(change) | Start::NeedsWorld { change, .. }) = start;
    match &change.after.as_ref().unwrap().state {
        State::Created { start } => start.unwrap().slot,
        State::Running(running) => running.slot,
        State::Ended(_) => panic!("started and ended at once"),
    }
}

/// A game of two rounds of a second, started with a delay of 300 ms.
fn counting_down() -> Game {
    let policy = Policy::standard().with_start_delay(ms(300));
    let start =
        starting(2).finish_start(&policy, FRESH_WORLD, made(FRESH_WORLD), round_id(1), START, noon(1));
    let change = start.unwrap();
    assert_eq!((change.events.as_slice(), change.new_round), ([Event::Started(GAME)].as_slice(), None));
    change.after.unwrap()
}

#[test]
fn the_first_round_begins_the_delay_after_the_start_and_has_its_full_length() {
    let game = counting_down();
    assert_eq!((game.status(), game.current_round()), (Status::Running, 0));
    let clock = game.time(START + ms(200)).unwrap();
    assert_eq!((clock.round, clock.game_time, clock.phase, clock.phase_ends_in), (0, ms(0), None, None));
    let boundary = game.next_boundary().unwrap();
    assert_eq!((boundary.at, boundary.kind), (START + ms(300), BoundaryKind::FirstRoundBegins));
    let begun = game.advance(&Policy::standard(), boundary, round_id(9), noon(2)).unwrap();
    assert_eq!(begun.events, [round_started(1)]);
    let game = begun.after.unwrap();
    assert_eq!(game.time(START + ms(300)).unwrap().game_time, ms(0), "game time counts from there");
    assert_eq!(game.next_boundary().unwrap().at, START + ms(300 + 750));
    assert_eq!(game.advance(&Policy::standard(), boundary, round_id(9), noon(2)), None, "it begins once");
}

#[test]
fn commands_in_the_countdown_are_refused_with_the_time_that_is_left() {
    let mut game = counting_down();
    game.roster = game.roster.with(player(1), None);
    let order = Order::BuyRobots { quantity: 1, planet: None };
    let refused =
        |game: &Game, at| game.take_order(&Policy::msd(), player(1), &order, |_| None, at).unwrap_err();
    let running = refused(&game, START + ms(100));
    assert_eq!(running, Rejection::FirstRoundNotBegun { game: GAME, left: ms(200), paused: false });
    let paused = after(game.pause(START + ms(120)));
    let refusal = refused(&paused, START + ms(900));
    assert_eq!(refusal, Rejection::FirstRoundNotBegun { game: GAME, left: ms(180), paused: true });
    assert_eq!(game.ready(player(1), START + ms(100)), Err(running));
    assert!(game.join(player(2), transaction(2)).is_err(), "joins stay closed");
}

#[test]
fn a_pause_in_the_countdown_keeps_what_is_left_of_it_and_a_step_skips_that() {
    let paused = after(counting_down().pause(START + ms(100)));
    assert_eq!(paused.next_boundary(), None);
    let resumed = after(paused.resume(START + ms(5_000)));
    assert_eq!(resumed.next_boundary().unwrap().at, START + ms(5_200));
    assert!(
        paused.step(&Policy::standard(), round_id(2), START + ms(400), noon(2)).is_err(),
        "there is no round to play yet"
    );
    let begun = paused.skip_countdown(START + ms(400)).unwrap().unwrap();
    assert_eq!(begun.events, [round_started(1)]);
    let first = begun.after.unwrap();
    assert_eq!(first.skip_countdown(START + ms(400)), Ok(None));
    let played = first.step(&Policy::standard(), round_id(2), START + ms(400), noon(2)).unwrap();
    assert_eq!(played.after.unwrap().current_round(), 2);
    assert!(counting_down().skip_countdown(START).is_err(), "only a paused game is stepped");
}

#[test]
fn a_game_that_ends_in_the_countdown_has_played_no_round() {
    for end in [
        counting_down().end(START + ms(100), noon(2)).unwrap(),
        counting_down().set_max_rounds(0, START + ms(100), noon(2)).unwrap(),
    ] {
        assert_eq!((end.events.as_slice(), end.unsent), ([Event::Ended(GAME)].as_slice(), None));
        let game = end.after.unwrap();
        assert_eq!((game.status(), game.current_round()), (Status::Ended, 0));
        assert_eq!(game.time(START).unwrap().game_time, ms(0));
    }
}

#[test]
fn a_freeze_in_the_countdown_shifts_it_like_a_phase() {
    let game = counting_down();
    let heartbeat = START + ms(50);
    assert_eq!(game.shift_after_stall(heartbeat, heartbeat + ms(1_000)), None, "no longer than a round");
    let (change, by) = game.shift_after_stall(heartbeat, heartbeat + ms(3_000)).unwrap();
    assert_eq!(by, ms(3_000));
    assert_eq!(change.after.unwrap().next_boundary().unwrap().at, START + ms(3_300));
}

#[test]
fn a_given_world_is_kept_however_many_have_joined() {
    for policy in [Policy::standard(), Policy::msd()] {
        for players in 0..=2 {
            let new = NewGame { given_world: Some(FIRST_WORLD), round_length: None, ..new_game(3) };
            let game =
                joined(after(create(&policy, new, Some(made(FIRST_WORLD)), None, 1, noon(0))), players);
            let start = game.begin_start(&policy, &FREE, FRESH_WORLD, round_id(1), START, noon(1));
            let Ok(Start::Now(change)) = start else { panic!("{start:?}") };
            assert_eq!(change.retire, [], "{players} joined");
            let started = change.after.unwrap();
            assert_eq!((started.world, started.replaced_world), (Some(FIRST_WORLD), None));
            let ended = started.end(START + ms(10), noon(2)).unwrap();
            assert_eq!(ended.retire, [deactivate(FIRST_WORLD)]);
            assert_eq!(ended.after.unwrap().delete().unwrap().retire, [delete(FIRST_WORLD)]);
        }
    }
}
