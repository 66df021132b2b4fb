//! Time that nobody kept: more than a round of it shifts the schedule, less is caught up.

use crate::samples::*;

#[test]
fn more_than_a_round_that_nobody_kept_shifts_the_schedule_and_less_does_not() {
    let game = running(9);
    let heartbeat = START + ms(400);
    for (frozen, shifted) in
        [(0, None), (1_000, None), (1_100, None), (1_101, Some(1_101)), (90_000, Some(90_000))]
    {
        let now = heartbeat + ms(frozen);
        let thawed = game.shift_after_stall(heartbeat, now);
        assert_eq!(thawed.as_ref().map(|(_, by)| *by), shifted.map(ms), "{frozen} ms");
        if let Some((change, by)) = thawed {
            assert_eq!((change.events, change.new_round), (vec![], None));
            let game = change.after.unwrap();
            assert_eq!(game.time(now).unwrap().phase_ends_in, Some(ms(350)), "as at the heartbeat");
            assert_eq!(game.next_boundary().unwrap().at, START + ms(750) + by);
        }
    }
}

#[test]
fn what_a_schedule_came_to_after_the_heartbeat_was_kept() {
    let game = advanced(running(9), 2);
    let (_, by) = game.shift_after_stall(START, START + ms(9_000)).unwrap();
    assert_eq!(by, ms(8_000));
}

#[test]
fn a_boundary_that_is_overdue_for_more_than_a_round_is_due_now() {
    let game = running(9);
    for (overdue, shifted) in [(1_100, None), (1_101, Some(1_101)), (90_000, Some(90_000))] {
        let now = START + ms(750 + overdue);
        let thawed = game.shift_after_stall(now, now);
        assert_eq!(thawed.as_ref().map(|(_, by)| *by), shifted.map(ms), "{overdue} ms");
        if let Some((change, _)) = thawed {
            assert_eq!(change.after.unwrap().next_boundary().unwrap().at, now);
        }
    }
}

#[test]
fn a_game_whose_time_stands_cannot_lose_any() {
    for game in [created(3), ended(), after(running(3).pause(START))] {
        assert_eq!(game.shift_after_stall(START, START + ms(90_000)), None);
    }
}
