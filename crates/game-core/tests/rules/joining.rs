//! Who may join and leave, and which reason to refuse comes first.
//! How many players a world is made for is in `starting`.

use starkeep_game_core::*;

use crate::samples::*;

fn with_players(game: Game, players: u32) -> Game {
    Game { roster: (1..=players).map(player).collect(), ..game }
}

#[test]
fn players_join_in_order_and_are_announced() {
    let game = with_players(created(3), 1);
    let change = game.join(player(2), transaction(2)).unwrap();
    assert_eq!(change.events, [Event::PlayerJoined { game: GAME, player: player(2) }]);
    let joined = RosterChange::Joined { player: player(2), transaction: Some(transaction(2)) };
    assert_eq!(change.roster, Some(joined));
    let roster = with_players(created(3), 1).roster.with(player(2), Some(transaction(2)));
    assert_eq!(change.after, Some(Game { roster, ..created(3) }));
    let left = after(with_players(created(3), 2).leave(player(1)));
    assert_eq!(
        after(left.join(player(1), transaction(3))).roster.iter().collect::<Vec<_>>(),
        [player(2), player(1)]
    );
}

#[test]
fn the_reasons_to_refuse_come_in_this_order() {
    let not_created = |status| Rejection::NotCreated { game: GAME, status };
    let already = |number| Rejection::AlreadyJoined { game: GAME, player: player(number) };
    // Every game here is full, and player 1 is in it.
    for (game, number, rejection) in [
        (running(3), 1, not_created(Status::Running)),
        (ended(), 1, not_created(Status::Ended)),
        (starting(3), 1, Rejection::StartUnderWay { game: GAME }),
        (created(3), 1, already(1)),
        (created(3), 3, Rejection::GameFull { seats: 2 }),
    ] {
        assert_eq!(with_players(game, 2).join(player(number), transaction(1)), Err(rejection));
    }
}

#[test]
fn only_a_created_game_is_left_and_only_by_who_is_in() {
    let change = after(created(3).join(player(1), transaction(1))).leave(player(1)).unwrap();
    let left = Event::PlayerLeft { game: GAME, player: player(1), transaction: Some(transaction(1)) };
    assert_eq!((change.after, change.events), (Some(created(3)), vec![left]));
    for (game, number, rejection) in [
        (running(3), 3, Rejection::NotCreated { game: GAME, status: Status::Running }),
        (ended(), 1, Rejection::NotCreated { game: GAME, status: Status::Ended }),
        (starting(3), 1, Rejection::StartUnderWay { game: GAME }),
        (created(3), 3, Rejection::NotJoined { game: GAME, player: player(3) }),
    ] {
        assert_eq!(with_players(game, 1).leave(player(number)), Err(rejection));
    }
}

#[test]
fn who_is_taken_out_of_a_running_game_keeps_the_place_and_does_nothing_more() {
    let join = transaction(1);
    let roster = Roster::default().with(player(1), Some(join)).with(player(2), None);
    let game = Game { roster: roster.clone(), ..running(3) };
    let change = game.take_out(player(1), START + ms(100)).unwrap();
    let left = Event::PlayerLeft { game: GAME, player: player(1), transaction: Some(join) };
    assert_eq!((change.events, change.roster), (vec![left], Some(RosterChange::TakenOut(player(1)))));
    let fewer = change.after.unwrap();
    assert_eq!(fewer, Game { roster: roster.taking_out(player(1)), ..game });

    let taken_out = Rejection::TakenOut { game: GAME, player: player(1) };
    assert_eq!(fewer.ready(player(1), START + ms(100)), Err(taken_out));
    assert_eq!(fewer.take_out(player(1), START + ms(100)), Err(taken_out));
    let not_created = Rejection::NotCreated { game: GAME, status: Status::Running };
    assert_eq!(fewer.leave(player(1)), Err(not_created));
    assert_eq!(fewer.join(player(1), transaction(3)), Err(not_created));
    let stranger = Rejection::NotJoined { game: GAME, player: player(3) };
    assert_eq!(fewer.take_out(player(3), START + ms(100)), Err(stranger));
}

#[test]
fn a_game_that_does_not_run_is_left_in_the_same_way_whoever_asks() {
    for game in [created(3), starting(3), ended()] {
        let game = with_players(game, 1);
        for number in [1, 2] {
            assert_eq!(game.take_out(player(number), START), game.leave(player(number)));
        }
    }
}

#[test]
fn ten_thousand_players_fit() {
    let game = Game { max_players: 10_000, ..created(3) };
    let full = (1..=10_000).fold(game, |game, number| after(game.join(player(number), transaction(number))));
    assert_eq!(full.roster.len(), 10_000);
    assert_eq!(full.join(player(0), transaction(0)), Err(Rejection::GameFull { seats: 10_000 }));
}
