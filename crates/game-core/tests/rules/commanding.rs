//! Which orders are taken: from whom, when, and for which robots.
//! What becomes of one that was taken is the service's business.

use starkeep_game_core::*;
use uuid::Uuid;

use crate::samples::*;

const ROBOT: RobotId = RobotId(Uuid::from_u128(0x70));
const PLANET: Uuid = Uuid::from_u128(0x80);

fn orders() -> [Order; 7] {
    [
        Order::Sell { robot: ROBOT, item: None, planet: None },
        Order::Buy { robot: ROBOT, item: "HEALTH".into(), planet: None },
        Order::BuyRobots { quantity: 1, planet: None },
        Order::Move { robot: ROBOT, planet: PLANET },
        Order::Fight { robot: ROBOT, target: RobotId(PLANET) },
        Order::Mine { robot: ROBOT },
        Order::Regenerate { robot: ROBOT },
    ]
}

/// Player 1 has joined, player 2 has not.
fn played() -> Game {
    let game = after(created(9).join(player(1), transaction(1)));
    match begin(&game).unwrap() {
        Start::NeedsWorld { change, .. } => after(finish(&change.after.unwrap())),
        Start::Now(_) => panic!("a seat is free"),
    }
}

fn of(owner: u32, alive: bool) -> Robot {
    Robot { owner: Some(player(owner)), alive, game: RobotGame::Any }
}

fn take(
    game: &Game,
    number: u32,
    order: &Order,
    known: impl Into<Option<Robot>>,
    at: u64,
) -> Result<u32, Rejection> {
    take_by(&Policy::standard(), game, number, order, known.into(), at)
}

fn take_by(
    policy: &Policy,
    game: &Game,
    number: u32,
    order: &Order,
    known: Option<Robot>,
    at: u64,
) -> Result<u32, Rejection> {
    game.take_order(policy, player(number), order, |robot| known.filter(|_| robot == ROBOT), START + ms(at))
}

#[test]
fn an_order_is_taken_in_the_collection_phase_of_the_open_round() {
    for order in orders() {
        assert_eq!(take(&played(), 1, &order, of(1, true), 100), Ok(1));
        assert_eq!(take(&advanced(played(), 2), 1, &order, of(1, true), 1_100), Ok(2));
        let standing = after(played().pause(START + ms(100)));
        assert_eq!(take(&standing, 1, &order, of(1, true), 9_000), Ok(1), "also of a game that stands");
        let late = Rejection::NotCollecting { game: GAME, round: 1, late_by: ms(63) };
        assert_eq!(take(&advanced(played(), 1), 1, &order, of(1, true), 813), Err(late));
        assert_eq!(take(&created(3), 1, &order, of(1, true), 100), Err(Rejection::NotRunning { game: GAME }));
        assert_eq!(take(&ended(), 1, &order, of(1, true), 100), Err(Rejection::Ended { game: GAME }));
        let stranger = Rejection::NotJoined { game: GAME, player: player(2) };
        assert_eq!(take(&played(), 2, &order, of(2, true), 100), Err(stranger));
        let fewer = after(played().take_out(player(1), START + ms(50)));
        let taken_out = Rejection::TakenOut { game: GAME, player: player(1) };
        assert_eq!(take(&fewer, 1, &order, of(1, true), 100), Err(taken_out));
    }
}

#[test]
fn a_robot_that_is_to_act_lives_and_is_ones_own() {
    for order in orders() {
        let refused = |known: Option<Robot>| take(&played(), 1, &order, known, 100).err();
        let nobodys = Some(Robot { owner: None, ..of(1, false) });
        if order.robot().is_none() {
            assert_eq!(refused(None), None, "robots are bought by none");
            continue;
        }
        assert_eq!(refused(None), Some(Rejection::UnknownRobot { robot: ROBOT }));
        assert_eq!(refused(Some(of(2, true))), Some(Rejection::ForeignRobot { robot: ROBOT }));
        assert_eq!(refused(Some(of(2, false))), Some(Rejection::ForeignRobot { robot: ROBOT }));
        assert_eq!(refused(Some(of(1, false))), Some(Rejection::RobotDestroyed { robot: ROBOT }));
        assert_eq!(refused(nobodys), Some(Rejection::RobotDestroyed { robot: ROBOT }));
    }
}

#[test]
fn a_robot_of_an_earlier_game_is_refused_where_robots_end_with_their_game() {
    let robot = |game| Robot { game, ..of(1, true) };
    let earlier = Some(Rejection::RobotOfEarlierGame { robot: ROBOT });
    for order in orders().into_iter().filter(|order| order.robot().is_some()) {
        for (game, refusal) in [
            (RobotGame::Any, None),
            (RobotGame::Only(GAME), None),
            (RobotGame::Only(OTHER_GAME), earlier),
            (RobotGame::Past, earlier),
        ] {
            let refused = |policy, known| take_by(&policy, &played(), 1, &order, Some(known), 100).err();
            assert_eq!(refused(Policy::msd(), robot(game)), refusal, "{game:?}");
            assert_eq!(refused(Policy::standard(), robot(game)), None, "{game:?}");
            let dead = Robot { alive: false, ..robot(game) };
            assert_eq!(refused(Policy::msd(), dead), Some(Rejection::RobotDestroyed { robot: ROBOT }));
        }
    }
}

#[test]
fn a_robot_whose_own_service_named_its_game_acts_in_no_other() {
    let robot = |game| Robot { game: RobotGame::Own(game), ..of(1, true) };
    let other = Some(Rejection::RobotOfAnotherGame { robot: ROBOT, game: OTHER_GAME });
    for order in orders().into_iter().filter(|order| order.robot().is_some()) {
        for policy in [Policy::standard(), Policy::msd()] {
            let refused = |known| take_by(&policy, &played(), 1, &order, Some(known), 100).err();
            assert_eq!((refused(robot(GAME)), refused(robot(OTHER_GAME))), (None, other));
        }
    }
}

#[test]
fn how_long_a_round_still_takes_commands_is_told_until_its_input_ends() {
    let game = played();
    assert_eq!(game.collection_left(1, START + ms(150)), ms(600));
    assert_eq!(game.collection_left(2, START + ms(150)), ms(0), "another round");
    assert_eq!(advanced(game, 1).collection_left(1, START + ms(800)), ms(0));
    assert_eq!(ended().collection_left(1, START), ms(0));
}

#[test]
fn kinds_are_carried_out_in_their_order_by_their_services() {
    let mut kinds: Vec<_> = orders().iter().map(Order::kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, Kind::ALL);
    let traded: Vec<_> =
        Kind::ALL.into_iter().filter(|kind| kind.executor() == ExecutorKind::Trading).collect();
    assert_eq!(traded, [Kind::Selling, Kind::Buying]);
}
