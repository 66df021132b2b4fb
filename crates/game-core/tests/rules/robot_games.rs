//! Which game a robot belongs to, by the second in which it was spawned, and in which games it acts.

use jiff::Timestamp;
use proptest::prelude::*;
use starkeep_game_core::*;
use uuid::Uuid;

use crate::samples::*;

fn game_id(number: usize) -> GameId {
    GameId(Uuid::from_u128(0x100 + number as u128))
}

fn at_millis(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(1_772_798_400_000 + millis).unwrap()
}

fn started_at(number: usize, millis: i64) -> Game {
    let game = Game { id: game_id(number), ..running(9) };
    let State::Running(state) = game.state.clone() else { panic!("it runs") };
    Game { state: State::Running(Running { started_at: at_millis(millis), ..state }), ..game }
}

fn waiting(number: usize) -> Game {
    Game { id: game_id(number), ..created(9) }
}

#[test]
fn a_game_counts_from_the_full_second_of_its_start() {
    let games = [started_at(1, 5_900), waiting(2)];
    for (seconds, game) in [
        (0, RobotGame::Past),
        (4, RobotGame::Past),
        (5, RobotGame::Only(game_id(1))),
        (6, RobotGame::Only(game_id(1))),
        (60, RobotGame::Only(game_id(1))),
    ] {
        assert_eq!(RobotGame::at(noon(seconds), &games), game, "second {seconds}");
    }
    assert_eq!(RobotGame::at(noon(5), &[]), RobotGame::Past, "no game runs");
    let both = [started_at(2, 7_300), started_at(1, 7_900), started_at(3, 8_000)];
    assert_eq!(RobotGame::at(noon(7), &both), RobotGame::Only(game_id(1)), "the one that started later");
}

#[test]
fn a_robot_that_is_merely_there_belongs_to_the_running_game_or_else_to_the_next() {
    assert_eq!(RobotGame::now(&[started_at(1, 0), waiting(2)]), RobotGame::Only(game_id(1)));
    let next = RobotGame::now(&[waiting(2)]);
    assert_eq!(next, RobotGame::Next);
    assert_eq!(next.when_starts(game_id(3)), RobotGame::Only(game_id(3)), "whichever that is");
    for stays in [RobotGame::Any, RobotGame::Past, RobotGame::Only(game_id(1))] {
        assert_eq!(stays.when_starts(game_id(3)), stays);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// One game after the other, as the dialect has them. However late a report is read, the robot acts in the game in which
    /// it was spawned, as long as that runs, and in no other.
    #[test]
    fn a_robot_acts_in_its_game_however_late_its_report_is_read(
        lengths in prop::collection::vec((0..4_000_i64, 1..4_000_i64), 1..6),
        spawned in 0..20_000_i64,
        delay in 0..10_000_i64,
    ) {
        let mut end = 0;
        let games: Vec<_> = lengths.into_iter().map(|(pause, length)| {
            let start = end + pause;
            end = start + length;
            (start, end)
        }).collect();
        let read = spawned + delay;
        let runs = games.iter().position(|(start, end)| *start <= read && read < *end);
        let active: Vec<_> = runs.map(|number| started_at(number, games[number].0)).into_iter().collect();
        // The header tells the second only: every game that ran in it may be meant, and the last of them that is known is.
        let second = spawned / 1_000;
        let ran = |(start, end): &(i64, i64)| {
            *start <= read && *start / 1_000 <= second && second <= *end / 1_000
        };
        let meant = games.iter().rposition(ran).filter(|number| Some(*number) == runs);

        let game = RobotGame::at(noon(second), &active);
        prop_assert_eq!(game, meant.map_or(RobotGame::Past, |number| RobotGame::Only(game_id(number))));
        for number in 0..games.len() {
            prop_assert_eq!(game.allows(game_id(number)), meant == Some(number));
        }
    }
}
