//! After which rounds a world is replenished: the same ones whatever the pace, and none where nobody is to ask.
//! How many rounds an interval has is tested beside the rule.

use proptest::prelude::*;
use starkeep_game_core::*;

use crate::samples::*;

/// How a round is played to its end.
#[derive(Clone, Copy, Debug)]
enum Way {
    Clock,
    Step,
    Turbo,
}

/// The game after its open round, and whether its world is to be replenished.
fn play_round(policy: &Policy, game: &Game, way: Way) -> (Game, bool) {
    let next = round_id(game.current_round() + 1);
    let advance = |game: &Game| game.advance(policy, game.next_boundary().unwrap(), next, noon(3)).unwrap();
    let over = match way {
        Way::Clock => advance(&advance(game).after.unwrap()),
        Way::Step => {
            let at = game.next_boundary().unwrap().at;
            let over = after(game.pause(at)).step(policy, next, at, noon(3)).unwrap();
            let Some(Game { state: State::Running(_), .. }) = over.after else {
                return (over.after.unwrap(), over.replenish);
            };
            let resumed = after(over.after.as_ref().unwrap().resume(at));
            Change { after: Some(resumed), ..over }
        }
        Way::Turbo => {
            let hurried = after(game.set_pace(Pace::Turbo, game.next_boundary().unwrap().at));
            let executing = advance(&hurried).after.unwrap();
            let at = executing.next_boundary().unwrap().at;
            executing.carried_out(policy, game.current_round(), next, at, noon(3)).unwrap()
        }
    };
    (over.after.unwrap(), over.replenish)
}

fn played() -> Game {
    after(finish(&after_begin(&after(created(9).join(player(1), transaction(1))))))
}

fn after_begin(game: &Game) -> Game {
    let Ok(Start::NeedsWorld { change, .. }) = begin(game) else { panic!("it needs a world") };
    change.after.unwrap()
}

fn every(millis: u64) -> Policy {
    Policy::standard().with_replenish_every(Some(ms(millis)))
}

/// The rounds after which the world is replenished. Each round is played in its way, with the length that it is given.
fn replenished_after(policy: &Policy, mut game: Game, rounds: &[(Way, u32)]) -> Vec<u32> {
    let mut after_rounds = Vec::new();
    for (number, (way, next_length)) in (1..).zip(rounds) {
        game = after(game.set_round_length(policy, *next_length));
        let (next, replenish) = play_round(policy, &game, *way);
        after_rounds.extend(replenish.then_some(number));
        game = next;
    }
    after_rounds
}

#[test]
fn it_is_done_after_whole_rounds_and_not_after_the_last() {
    let rounds = |way| [(way, 1_000); 9];
    for way in [Way::Clock, Way::Step, Way::Turbo] {
        for (millis, expected) in [
            (1_000, (1..=8).collect::<Vec<_>>()),
            (1, (1..=8).collect()),
            (1_001, vec![2, 4, 6, 8]),
            (3_000, vec![3, 6]),
            (4_500, vec![5]),
            (8_000, vec![8]),
            (8_001, vec![]),
        ] {
            assert_eq!(
                replenished_after(&every(millis), played(), &rounds(way)),
                expected,
                "{way:?} {millis}"
            );
        }
    }
}

#[test]
fn nobody_asks_without_an_interval_nor_for_a_world_that_the_map_replenishes_itself() {
    let rounds = [(Way::Clock, 1_000); 9];
    assert_eq!(replenished_after(&Policy::standard(), played(), &rounds), []);
    let automatic = Game { replenishment: ReplenishmentMode::Automatic, ..played() };
    assert_eq!(replenished_after(&every(1_000), automatic, &rounds), []);
}

#[test]
fn the_length_of_the_round_that_has_just_ended_counts() {
    // Rounds 1 to 3 last 1 s, the others 4 s: after round 4 an interval of 4 s is one round.
    let rounds: Vec<_> = (1..=8).map(|round| (Way::Clock, if round < 3 { 1_000 } else { 4_000 })).collect();
    assert_eq!(replenished_after(&every(4_000), played(), &rounds), [4, 5, 6, 7, 8]);
}

#[test]
fn a_game_that_is_ended_asks_for_nothing() {
    let game = after(played().set_max_rounds(2, START, noon(2)));
    assert_eq!(replenished_after(&every(1_000), game.clone(), &[(Way::Clock, 1_000); 2]), [1]);
    assert!(!game.end(START + ms(900), noon(2)).unwrap().replenish);
    assert!(!game.set_max_rounds(0, START + ms(900), noon(2)).unwrap().replenish);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_pace_makes_no_difference(
        rounds in prop::collection::vec((0..3_usize, 100..4_000_u32), 8),
        millis in 1..9_000_u64,
    ) {
        let policy = every(millis);
        let in_ways = |way: &dyn Fn(usize) -> Way| -> Vec<u32> {
            let rounds: Vec<_> = rounds.iter().map(|(choice, length)| (way(*choice), *length)).collect();
            replenished_after(&policy, played(), &rounds)
        };
        let mixed = in_ways(&|choice| [Way::Clock, Way::Step, Way::Turbo][choice]);
        for way in [Way::Clock, Way::Step, Way::Turbo] {
            prop_assert_eq!(&in_ways(&|_| way), &mixed);
        }
    }
}
