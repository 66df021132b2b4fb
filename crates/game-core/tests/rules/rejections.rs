//! What a person reads when a rule was broken.
//! Which rule breaks when is in the other tables.

use std::time::Duration;

use starkeep_game_core::*;
use uuid::Uuid;

#[test]
fn every_rejection_says_what_is_wrong_with_its_data() {
    let game = GameId(Uuid::from_u128(1));
    let player = PlayerId(Uuid::from_u128(2));
    let robot = RobotId(Uuid::from_u128(3));
    let world = WorldId(Uuid::from_u128(4));
    let [one, two, three, four] =
        [game.to_string(), player.to_string(), robot.to_string(), world.to_string()];
    assert_eq!(one, "00000000-0000-0000-0000-000000000001");
    for (rejection, text) in [
        (Rejection::UnknownGame { game }, "there is no game with this id".into()),
        (
            Rejection::NotCreated { game, status: Status::Running },
            format!("game {one} is running, no longer created"),
        ),
        (Rejection::Ended { game }, format!("game {one} has ended")),
        (Rejection::NotRunning { game }, format!("game {one} has not started")),
        (Rejection::Paused { game }, format!("game {one} is paused already")),
        (Rejection::NotPaused { game }, format!("game {one} is not paused")),
        (
            Rejection::NotCollecting { game, round: 7, late_by: Duration::from_millis(12) },
            format!("the input of round 7 of game {one} has ended 12 ms ago"),
        ),
        (Rejection::NotEnded { game, status: Status::Created }, format!("game {one} is created, not ended")),
        (Rejection::StartUnderWay { game }, format!("game {one} is being started")),
        (Rejection::AnotherGameRuns { running: game, limit: 1 }, format!("game {one} is running already")),
        (
            Rejection::AnotherGameRuns { running: game, limit: 3 },
            format!("3 games are running already, game {one} among them"),
        ),
        (Rejection::ActiveGameExists { game }, format!("game {one} is active: it has to end first")),
        (
            Rejection::WorldInUse { world, game },
            format!("gameworld {four} is used by game {one}"),
        ),
        (
            Rejection::WorldInactive { world },
            format!("gameworld {four} is inactive, and a world is never made active again"),
        ),
        (Rejection::NoSuchWorld, "the map service has no gameworld with this id".into()),
        (
            Rejection::NoGivenWorlds,
            "a game cannot be played in a given gameworld here: the trading service would forget its space stations, \
             which it learned of before the game was created"
                .into(),
        ),
        (Rejection::ControlCharacters, "a name cannot have control characters".into()),
        (Rejection::NameTaken, "another player has this name".into()),
        (Rejection::MailTaken, "another player has this mail address".into()),
        (
            Rejection::AlreadyJoined { game, player },
            format!("Player is already participating: player {two} has joined game {one}"),
        ),
        (Rejection::GameFull { seats: 1 }, "the only seat is taken".into()),
        (Rejection::GameFull { seats: 6 }, "all 6 seats are taken".into()),
        (Rejection::NotJoined { game, player }, format!("player {two} has not joined game {one}")),
        (Rejection::TakenOut { game, player }, format!("the host has taken player {two} out of game {one}")),
        (
            Rejection::OutOfBounds { field: Field::RoundLength, least: 100, most: 86_400_000, got: 5 },
            "the round length in milliseconds must be between 100 and 86400000, not 5".into(),
        ),
        (Rejection::UnknownRobot { robot }, "no robot with this id is known".into()),
        (Rejection::ForeignRobot { robot }, format!("robot {three} is another player's")),
        (Rejection::RobotDestroyed { robot }, format!("robot {three} has been destroyed")),
        (Rejection::RobotOfEarlierGame { robot }, format!("{three} is a robot of an earlier game")),
        (Rejection::RobotOfAnotherGame { robot, game }, format!("robot {three} belongs to game {one}")),
        (Rejection::OwnerConflict { robot, owner: player }, format!("robot {three} is player {two}'s")),
        (Rejection::NoRunningGame { player }, format!("player {two} plays in no running game")),
        (
            Rejection::SeveralRunningGames { player },
            format!("player {two} plays in several running games: name one with `gameId`"),
        ),
        (
            Rejection::StepOvertaken { game, round: 3 },
            format!(
                "while round 3 of game {one} was played to its end somebody resumed, stepped or ended the game"
            ),
        ),
        (Rejection::StartWithdrawn { game }, format!("the start of game {one} was withdrawn")),
    ] {
        assert_eq!(rejection.to_string(), text);
    }
}

#[test]
fn games_and_changes_travel_between_threads() {
    fn travels<T: Send + Sync + 'static>() {}
    travels::<Game>();
    travels::<Change>();
    travels::<Rejection>();
}
