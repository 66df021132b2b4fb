//! What may be created, under which policy, and what comes of it.
//! The bounds of later changes are in `settings`.

use starkeep_game_core::*;

use crate::samples::*;

#[test]
fn a_created_game_is_announced_and_waits() {
    let new = NewGame {
        round_length: None,
        seed: Some(7),
        style: Some("ring".into()),
        nonce: Some("0f".repeat(16)),
        ..new_game(3)
    };
    let change = create(&Policy::standard(), new, Some(made(FIRST_WORLD)), None, 1, noon(0)).unwrap();
    let game = Game {
        id: GAME,
        name: "Game 1".to_owned(),
        max_rounds: 3,
        max_players: 2,
        round_length: 60_000,
        pace: Pace::Clock,
        seed: Some(7),
        drawn_seed: 5,
        style: Some("ring".into()),
        nonce: Some("0f".repeat(16)),
        start_money: 200,
        world: Some(FIRST_WORLD),
        world_is_given: false,
        replenishment: ReplenishmentMode::OnRequest,
        replaced_world: None,
        roster: Roster::default(),
        created_at: noon(0),
        state: State::Created { start: None },
    };
    assert_eq!((game.status(), game.current_round()), (Status::Created, 0));
    assert_eq!((game.next_boundary(), game.time(START)), (None, None));
    assert_eq!(
        change,
        Change {
            before: None,
            after: Some(game),
            events: vec![Event::Created(GAME)],
            new_round: None,
            roster: None,
            ready: None,
            unsent: None,
            retire: vec![],
            replenish: false,
            end: None,
        }
    );
}

#[test]
fn a_player_begins_with_what_the_host_says_within_bounds() {
    let with = |start_money| NewGame { start_money: Some(start_money), ..new_game(3) };
    for money in [0, 1_000_000] {
        let change =
            create(&Policy::standard(), with(money), Some(made(FIRST_WORLD)), None, 1, noon(0)).unwrap();
        assert_eq!(change.after.unwrap().start_money, money);
    }
    let out = Rejection::OutOfBounds { field: Field::StartMoney, least: 0, most: 1_000_000, got: 1_000_001 };
    assert_eq!(check_new(&Policy::standard(), &with(1_000_001), None), Err(out));
}

#[test]
fn the_seed_that_was_given_decides_what_a_round_draws_from_and_otherwise_the_drawn_one() {
    let game = created(3);
    let with = |seed, drawn_seed| Game { seed, drawn_seed, ..game.clone() };
    let seeded = with(Some(7), 1).seed_of_round(1);
    assert_eq!(seeded, with(Some(7), 2).seed_of_round(1));
    assert_eq!(seeded, with(None, 7).seed_of_round(1));
    assert_ne!(seeded, with(None, 1).seed_of_round(1));
    assert_ne!(seeded, with(Some(7), 1).seed_of_round(2));
}

#[test]
fn settings_have_bounds() {
    use Field::{MaxPlayers, MaxRounds, RoundLength};
    let (standard, msd) = (Policy::standard(), Policy::msd());
    let out = |field, least, most, got| Err(Rejection::OutOfBounds { field, least, most, got });
    for (policy, max_rounds, max_players, round_length, expected) in [
        (standard, 1, 1, 100, Ok(())),
        (standard, 1_000_000, 10_000, 86_400_000, Ok(())),
        (standard, 0, 1, 100, out(MaxRounds, 1, 1_000_000, 0)),
        (standard, 1_000_001, 1, 100, out(MaxRounds, 1, 1_000_000, 1_000_001)),
        (standard, 1, 0, 100, out(MaxPlayers, 1, 10_000, 0)),
        (standard, 1, 10_001, 100, out(MaxPlayers, 1, 10_000, 10_001)),
        (standard, 1, 1, 99, out(RoundLength, 100, 86_400_000, 99)),
        (standard, 1, 1, 86_400_001, out(RoundLength, 100, 86_400_000, 86_400_001)),
        (msd, 1, 1, 2_000, Ok(())),
        (msd, 1, 1, 1_999, out(RoundLength, 2_000, 86_400_000, 1_999)),
    ] {
        let new = NewGame { max_players, round_length: Some(round_length), ..new_game(max_rounds) };
        assert_eq!(check_new(&policy, &new, None), expected, "{new:?}");
        assert_eq!(create(&policy, new, None, None, 1, noon(0)).map(|_| ()), expected);
    }
}

#[test]
fn only_msd_refuses_a_second_active_game() {
    let refused = Err(Rejection::ActiveGameExists { game: OTHER_GAME });
    let new = NewGame { round_length: None, ..new_game(3) };
    for (policy, active, expected) in [
        (Policy::standard(), Some(OTHER_GAME), Ok(())),
        (Policy::msd(), Some(OTHER_GAME), refused),
        (Policy::msd(), None, Ok(())),
    ] {
        assert_eq!(check_new(&policy, &new, active), expected);
        assert_eq!(create(&policy, new.clone(), None, active, 1, noon(0)).map(|_| ()), expected);
    }
}

#[test]
fn a_given_world_is_the_games_own_unless_the_policy_takes_none() {
    let new = NewGame { given_world: Some(FIRST_WORLD), ..new_game(3) };
    for policy in [Policy::standard(), Policy::msd()] {
        let new = NewGame { round_length: None, ..new.clone() };
        let world = MadeWorld { id: FIRST_WORLD, replenishment: ReplenishmentMode::Automatic };
        let game = after(create(&policy, new.clone(), Some(world), None, 1, noon(0)));
        assert_eq!(
            (game.given_world(), game.replenishment),
            (Some(FIRST_WORLD), ReplenishmentMode::Automatic)
        );
        let none = policy.without_given_worlds();
        assert_eq!(create(&none, new, Some(world), None, 1, noon(0)), Err(Rejection::NoGivenWorlds));
        check_new(&none, &NewGame { round_length: None, ..new_game(3) }, None).unwrap();
    }
    assert_eq!(created(3).given_world(), None);
}

#[test]
fn a_game_has_the_name_that_the_host_gives_it_or_that_of_its_number() {
    let named = |name: &str| NewGame { name: Some(name.to_owned()), ..new_game(3) };
    let create =
        |new, number| create(&Policy::standard(), new, Some(made(FIRST_WORLD)), None, number, noon(0));
    for name in ["x", "Final, hall 3", &"ü".repeat(80)] {
        assert_eq!(after(create(named(name), 7)).name, name);
    }
    assert_eq!(after(create(new_game(3), 7)).name, "Game 7");
    let out = |got| Rejection::OutOfBounds { field: Field::NameLength, least: 1, most: 80, got };
    for (name, expected) in [
        (String::new(), out(0)),
        ("ü".repeat(81), out(81)),
        ("one\ntwo".to_owned(), Rejection::ControlCharacters),
        ("\u{7f}".to_owned(), Rejection::ControlCharacters),
    ] {
        assert_eq!(create(named(&name), 7), Err(expected));
        assert_eq!(check_new(&Policy::standard(), &named(&name), None), Err(expected));
    }
}
