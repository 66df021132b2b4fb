//! Long random histories of mining and replenishing: nothing is lost, nothing doubled, and a replay ends in the same world.
//! Single rules are tested beside the code that keeps them.

use jiff::Timestamp;
use proptest::collection::SizeRange;
use proptest::prelude::*;
use starkeep_map_core::{
    GENERATOR_VERSION, IdGenerator, NewWorld, Nonce, Origin, PlanetKind, Rejection, ReplenishmentMode, SEEDS,
    Slot, Spec, Style, World, WorldId, generate, lies_in,
};
use uuid::Uuid;

#[derive(Clone, Debug)]
enum Step {
    /// Of the n-th deposit, wrapping around, as if that planet had been chosen.
    MineDeposit {
        nth: usize,
        amount: i64,
    },
    MineAnywhere {
        nth: usize,
        amount: i64,
    },
    Replenish,
}

fn steps(count: impl Into<SizeRange>) -> impl Strategy<Value = Vec<Step>> {
    let amount = || prop_oneof![3 => 1..12_000_i64, 1 => Just(1_000_000_000)];
    let step = prop_oneof![
        // Few deposits, so that the same ones are met again, begun and exhausted.
        8 => (0..12_usize, amount()).prop_map(|(nth, amount)| Step::MineDeposit { nth, amount }),
        2 => (any::<u16>(), amount()).prop_map(|(nth, amount)| Step::MineAnywhere { nth: nth.into(), amount }),
        3 => Just(Step::Replenish),
    ];
    prop::collection::vec(step, count)
}

struct History {
    world: World,
    ids: IdGenerator,
    second: i64,
}

impl History {
    fn begin(seed: u64, players: u32) -> Self {
        let new = NewWorld {
            id: WorldId(Uuid::nil()),
            player_amount: players,
            round_amount: None,
            origin: Origin::Generated { style: Style::Balanced, version: GENERATOR_VERSION },
            replenishment: ReplenishmentMode::Automatic,
            seed,
            nonce: Nonce::from_bits(1),
            id_seed: 1,
            created_at: Timestamp::UNIX_EPOCH,
        };
        let layout = generate(seed, &Spec { players, style: Style::Balanced });
        Self { world: World::create(&new, layout), ids: IdGenerator::from_seed(2), second: 0 }
    }

    fn step(&mut self, step: &Step) {
        self.second += 1;
        let now = Timestamp::from_second(self.second).expect("a few minutes after the epoch");
        match *step {
            Step::MineDeposit { nth, amount } => {
                let slot = *self
                    .world
                    .deposits
                    .keys()
                    .nth(nth % self.world.deposits.len())
                    .expect("below the count");
                self.mine(slot, amount, now);
            }
            Step::MineAnywhere { nth, amount } => {
                let slot = Slot::try_from(nth % self.world.terrain.planets().len()).expect("a slot");
                self.mine(slot, amount, now);
            }
            Step::Replenish => {
                let replenished = self.world.replenish(&mut self.ids, now);
                self.world.apply_replenished(&replenished);
                assert!(self.world.deposits.values().all(|deposit| !deposit.is_exhausted()));
            }
        }
    }

    fn mine(&mut self, slot: Slot, amount: i64, now: Timestamp) {
        match self.world.mine(slot, amount, now) {
            Ok(mined) => {
                assert!((0..=amount).contains(&mined.amount));
                self.world.apply_mined(&mined);
                assert!(mined.amount == amount || self.world.deposits[&slot].is_exhausted());
            }
            Err(rejection) => {
                let planet = self.world.terrain.planet(slot).id;
                assert_eq!(rejection, Rejection::NoDeposit { planet });
                assert!(!self.world.deposits.contains_key(&slot));
            }
        }
    }

    fn assert_sound(&self, deposits_at_first: usize) {
        let World { terrain, deposits, .. } = &self.world;
        assert_eq!(self.world.books_balance(), Ok(()));
        assert_eq!(deposits.len(), deposits_at_first, "each on a planet of its own, none lost");
        for (slot, deposit) in deposits {
            let planet = terrain.planet(*slot);
            assert!((0..=deposit.max_amount).contains(&deposit.current_amount), "{deposit:?}");
            assert_eq!(planet.kind, PlanetKind::Default);
            assert!(lies_in(deposit.kind, planet.ring(terrain.side())), "{deposit:?} on {planet:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_books_balance_after_every_step(seed in SEEDS, players in 1..15_u32, steps in steps(1..120)) {
        let mut history = History::begin(seed, players);
        let deposits = history.world.deposits.len();
        for step in &steps {
            history.step(step);
            history.assert_sound(deposits);
        }
    }

    /// 640 cases in the long run: a million calls.
    #[test]
    fn the_books_balance_over_a_million_calls(seed in SEEDS, players in 1..15_u32, steps in steps(1_600)) {
        let mut history = History::begin(seed, players);
        let deposits = history.world.deposits.len();
        for step in &steps {
            history.step(step);
            assert_eq!(history.world.books_balance(), Ok(()));
        }
        history.assert_sound(deposits);
    }

    #[test]
    fn the_same_calls_give_the_same_world(seed in SEEDS, players in 1..15_u32, steps in steps(1..120)) {
        let [first, second] = [(); 2].map(|()| {
            let mut history = History::begin(seed, players);
            for step in &steps {
                history.step(step);
            }
            history.world
        });
        prop_assert_eq!(first, second);
    }
}

#[test]
fn a_clone_does_not_change_with_its_original() {
    let mut history = History::begin(1, 3);
    let before = history.world.clone();
    let untouched = before.clone();
    for nth in 0..20 {
        history.step(&Step::MineDeposit { nth, amount: 10_000 });
        history.step(&Step::Replenish);
    }
    assert_ne!(history.world, before);
    assert_eq!(before, untouched);
    assert_eq!(before.books_balance(), Ok(()));
}
