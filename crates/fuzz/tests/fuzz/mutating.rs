//! What is made of inputs: the same by the same chance, never too long, and as small as it can be where it goes wrong.

use proptest::prelude::*;
use starkeep_fault_harness::Chance;
use starkeep_fuzz::{Dictionary, Mutator, smallest};

fn mutator() -> Mutator {
    let words = vec![b"maxRounds".to_vec(), b"{gameId}".to_vec()];
    Mutator::new(Dictionary { words, lines: vec![b"Idempotency-Key: x".to_vec()] })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_same_chance_makes_the_same_of_any_bytes(
        input in prop::collection::vec(any::<u8>(), 0..200),
        other in prop::collection::vec(any::<u8>(), 0..200),
        seed in any::<u64>(),
    ) {
        let others = [other];
        let make = || mutator().mutated(&input, &others, &mut Chance(seed));
        prop_assert_eq!(make(), make());
    }

    #[test]
    fn an_input_becomes_what_goes_wrong_and_nothing_else(
        before in "[a-z]{0,40}", between in "[a-z]{0,40}", after in "[a-z]{0,40}",
    ) {
        let input = format!("{before}X{between}Y{after}");
        let goes_wrong = |input: &[u8]| input.contains(&b'X') && input.contains(&b'Y');
        prop_assert_eq!(smallest(input.as_bytes(), goes_wrong), b"XY");
    }
}

#[test]
fn fields_are_renamed_spoiled_and_left_out_and_the_head_stays() {
    let input = b"POST /games\nContent-Type: application/json\n\n{\"maxPlayers\":2,\"name\":\"x\"}";
    let mut chance = Chance(1);
    let made: Vec<_> = (0..2_000).map(|_| mutator().mutated(input, &[], &mut chance)).collect();
    let has = |part: &str| made.iter().filter(|made| String::from_utf8_lossy(made).contains(part)).count();
    for part in ["\"maxRounds\":", "{gameId}", "Idempotency-Key: x", "[[[[", "18446744073709551616", "1e999"]
    {
        assert!(has(part) > 0, "{part} is never made");
    }
    assert!(has("POST /games\n") > 1_000 && has("\"maxPlayers\":2,") > 300, "too much is spoiled");
    assert!(made.iter().all(|made| made.len() <= 64 * 1024));
}
