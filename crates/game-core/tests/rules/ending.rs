//! The ways in which a game ends, what is announced then, and what becomes of its worlds.
//! The end that comes by itself after the last round is in `schedule`.

use starkeep_game_core::*;

use crate::samples::*;

#[test]
fn an_end_closes_the_open_round_first() {
    let collecting = [input_ended(1), round_ended(1), Event::Ended(GAME)];
    let executing = [round_ended(1), Event::Ended(GAME)];
    for (game, at, time, events) in [
        (running(3), 200, 200, &collecting[..]),
        (running(3), 9_000, 750, &collecting[..]),
        (advanced(running(3), 1), 800, 800, &executing[..]),
        (advanced(running(3), 1), 0, 750, &executing[..]),
        (advanced(running(3), 1), 9_000, 1_000, &executing[..]),
    ] {
        let change = game.end(START + ms(at), noon(2)).unwrap();
        let ended = Ended {
            started_at: Some(noon(1)),
            ended_at: noon(2),
            last_round: 1,
            game_time: ms(time),
            round_time: ms(time),
        };
        let expected = Change {
            after: Some(Game { state: State::Ended(ended), ..game.clone() }),
            before: Some(game),
            events: events.to_vec(),
            new_round: None,
            roster: None,
            ready: None,
            unsent: Some(UnsentReason::Dropped),
            retire: vec![deactivate(FRESH_WORLD)],
            replenish: false,
            end: Some(EndReason::ByHost),
        };
        assert_eq!(change, expected);
    }
}

#[test]
fn after_the_end_the_time_stands_still_and_the_round_number_stays() {
    let game = after(advanced(running(3), 2).end(START + ms(1_300), noon(2)));
    assert_eq!((game.status(), game.current_round(), game.next_boundary()), (Status::Ended, 2, None));
    let clock = GameClock {
        game_time: ms(1_300),
        round: 2,
        round_time: ms(300),
        phase: None,
        phase_ends_in: None,
        paused: false,
    };
    for now in [Moment(0), START, Moment::LAST] {
        assert_eq!(game.time(now), Some(clock));
    }
}

#[test]
fn a_created_game_may_be_cancelled() {
    for (game, retired) in [
        (created(3), vec![deactivate(FIRST_WORLD)]),
        (Game { world: None, ..created(3) }, vec![]),
        (starting(3), vec![deactivate(FIRST_WORLD), delete(FRESH_WORLD)]),
    ] {
        let change = game.end(START, noon(2)).unwrap();
        assert_eq!((change.events, change.retire), (vec![Event::Ended(GAME)], retired));
        let cancelled = change.after.unwrap();
        let ended =
            Ended { started_at: None, ended_at: noon(2), last_round: 0, game_time: ms(0), round_time: ms(0) };
        assert_eq!(cancelled.state, State::Ended(ended));
        assert_eq!((cancelled.current_round(), cancelled.time(START)), (0, None));
    }
}

#[test]
fn a_game_ends_only_once() {
    assert_eq!(ended().end(START, noon(4)), Err(Rejection::Ended { game: GAME }));
}

#[test]
fn only_an_ended_game_is_deleted_and_its_worlds_with_it() {
    let cancelled = after(created(3).end(START, noon(2)));
    for (game, retired) in [
        (ended(), vec![delete(FRESH_WORLD), delete(FIRST_WORLD)]),
        (cancelled.clone(), vec![delete(FIRST_WORLD)]),
        (Game { world: None, ..cancelled }, vec![]),
    ] {
        let expected = Change {
            before: Some(game.clone()),
            after: None,
            events: vec![Event::Deleted(GAME)],
            new_round: None,
            roster: None,
            ready: None,
            unsent: None,
            retire: retired,
            replenish: false,
            end: None,
        };
        assert_eq!(game.delete(), Ok(expected));
    }
    for (game, status) in
        [(created(3), Status::Created), (starting(3), Status::Created), (running(3), Status::Running)]
    {
        assert_eq!(game.delete(), Err(Rejection::NotEnded { game: GAME, status }));
    }
}
