//! Every form of a change as it is stored: these bytes are in databases and stay readable.

use starkeep_core_types::WorldId;
use starkeep_executor::{FollowedGame, GameStatus, RoundState};
use starkeep_robot_core::{
    Miner, MiningOrder, MiningSite, PlanetId, PlayerId, ResourceKind, Restoration, Robot, Upgrade,
};

use super::*;
use crate::domain::{MiningCall, Order};

fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn text(number: u128) -> String {
    id(number).to_string()
}

fn mining() -> Mining {
    let order = MiningOrder { command: CommandId(id(10)), robot: RobotId(id(2)) };
    let site = MiningSite {
        planet: PlanetId(id(4)),
        resource: ResourceKind::Gold,
        miners: vec![Miner { order, speed: 5 }],
    };
    let call = MiningCall { game: GameId(id(1)), round: Some(7), site, places: vec![3], energy: 1 };
    Intent { id: IntentId(id(10)), owner: ReplicaId(id(11)), call }
}

fn round_trip(change: &Change, form: &str) {
    let stored = Robots::encode(change);
    assert_eq!(String::from_utf8_lossy(&stored), format!(r#"{{"v":1,"change":{form}}}"#));
    assert_eq!(Robots::decode(&stored).as_ref(), Ok(change));
}

#[test]
fn version_1_of_received_events_is_written_as_it_always_was() {
    let game = FollowedGame {
        status: GameStatus::Running,
        world: Some(WorldId(id(9))),
        round: 3,
        round_state: RoundState::InputEnded,
        created: 1,
        started: Some(2),
    };
    let games = vec![
        ReceivedGame { id: GameId(id(1)), state: Some(game) },
        ReceivedGame { id: GameId(id(2)), state: None },
    ];
    round_trip(
        &Change::Received { position: "p-1".to_owned(), gap: Some(Timestamp::UNIX_EPOCH), games },
        &format!(
            r#"{{"heard":{{"position":"p-1","gap_at_millis":0,"games":[["{}",{{"status":"running","world":"{}","round":3,"round_state":"input-ended","created":1,"started":2}}],["{}",null]]}}}}"#,
            text(1),
            text(9),
            text(2)
        ),
    );
}

#[test]
fn version_1_of_what_robots_do_is_written_as_it_always_was() {
    let robot = Robot {
        cargo: Amounts::new([1, 2, 3, 4, 5]),
        ..Robot::new(RobotId(id(2)), 6, PlayerId(id(3)), PlanetId(id(4)))
    };
    let orders = [
        (
            Order::Spawn { player: PlayerId(id(3)), robots: vec![(RobotId(id(2)), PlanetId(id(4)))] },
            format!(r#"{{"spawn":{{"player":"{}","robots":[["{}","{}"]]}}}}"#, text(3), text(2), text(4)),
        ),
        (
            Order::Upgrade { robot: RobotId(id(2)), upgrade: Upgrade::MaxEnergy, level: 2 },
            format!(r#"{{"upgrade":{{"robot":"{}","upgrade":"MAX_ENERGY","level":2}}}}"#, text(2)),
        ),
        (
            Order::Restore { robot: RobotId(id(2)), restoration: Restoration::Health },
            format!(r#"{{"restore_health":{{"robot":"{}"}}}}"#, text(2)),
        ),
        (
            Order::Restore { robot: RobotId(id(2)), restoration: Restoration::Energy },
            format!(r#"{{"restore_energy":{{"robot":"{}"}}}}"#, text(2)),
        ),
    ];
    for (order, form) in orders {
        let moved = RobotsMoved {
            robots: vec![robot],
            destroyed: vec![RobotId(id(5))],
            books: Books {
                mined: Amounts::new([1, 0, 0, 0, 0]),
                sold: Amounts::new([0, 2, 0, 0, 0]),
                lost: Amounts::new([0, 0, 0, 0, 3]),
            },
            executed: vec![CommandId(id(8))],
            order: Some((CommandId(id(9)), order)),
            begun: vec![mining()],
            settled: vec![IntentId(id(12))],
            ..RobotsMoved::of(GameId(id(1)))
        };
        let call = format!(
            r#"{{"game":"{}","round":7,"planet":"{}","resource":"gold","energy":1,"miners":[{{"command":"{}","robot":"{}","speed":5,"place":3}}]}}"#,
            text(1),
            text(4),
            text(10),
            text(2)
        );
        round_trip(
            &moved.into(),
            &format!(
                r#"{{"robots":{{"game":"{}","robots":[{{"id":"{}","number":6,"player":"{}","planet":"{}","health":10,"energy":20,"levels":[0,0,0,0,0,0,0],"cargo":[1,2,3,4,5]}}],"destroyed":["{}"],"mined":[1,0,0,0,0],"sold":[0,2,0,0,0],"lost":[0,0,0,0,3],"executed":["{}"],"order":["{}",{form}],"begun":[{{"id":"{}","owner":"{}","call":{call}}}],"settled":["{}"]}}}}"#,
                text(1),
                text(2),
                text(3),
                text(4),
                text(5),
                text(8),
                text(9),
                text(10),
                text(11),
                text(12)
            ),
        );
    }
}

#[test]
fn what_another_version_wrote_is_refused() {
    let heard = r#"{"heard":{"position":"p","games":[]}}"#;
    let game = format!(
        r#"{{"heard":{{"position":"p","games":[["{}",{{"status":"paused","world":null,"round":0,"round_state":"init","created":1,"started":null}}]]}}}}"#,
        text(1)
    );
    for (form, reason) in [
        (format!(r#"{{"v":2,"change":{heard},"more":1}}"#), "version 2"),
        (format!(r#"{{"v":1,"change":{heard},"more":1}}"#), "unknown field `more`"),
        (r#"{"v":1,"change":{"told":{}}}"#.to_owned(), "told"),
        (format!(r#"{{"v":1,"change":{game}}}"#), "`paused` is no status of a game"),
        (format!(r#"{{"change":{heard}}}"#), "missing field `v`"),
    ] {
        let UnreadableChange(text) = Robots::decode(form.as_bytes()).unwrap_err();
        assert!(text.contains(reason), "{text}");
    }
}

#[test]
fn version_1_of_minings_that_were_taken_over_is_written_as_it_always_was() {
    round_trip(
        &Change::TakenOver { minings: vec![IntentId(id(10)), IntentId(id(12))], by: ReplicaId(id(11)) },
        &format!(r#"{{"taken_over":{{"minings":["{}","{}"],"by":"{}"}}}}"#, text(10), text(12), text(11)),
    );
}
