//! Random histories in random batches: SQLite, memory and an image that was given only the serialised changes agree.
//! Single cases stand in the module above.

use proptest::prelude::*;
use starkeep_map_core::WorldId;

use super::bench::Bench;
use crate::domain::{Key, WorldState};

#[derive(Clone, Debug)]
enum Step {
    Make,
    /// Written, and never made.
    Abandon,
    /// Of the n-th active world and its n-th deposit, wrapping around.
    Mine {
        world: usize,
        deposit: usize,
        amount: i64,
    },
    Replenish {
        world: usize,
    },
    Announce {
        world: usize,
    },
    Deactivate {
        world: usize,
    },
    /// Of any id that was ever used.
    Withdraw {
        world: usize,
    },
    /// With an id that was used before.
    StageAgain {
        world: usize,
    },
    ForgetWithdrawn,
    EndBatch,
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let world = || 0..8_usize;
    let amount = || prop_oneof![1..4_000_i64, Just(10_000), Just(1_000_000_000)];
    let step = prop_oneof![
        2 => Just(Step::Make),
        1 => Just(Step::Abandon),
        10 => (world(), 0..6_usize, amount())
            .prop_map(|(world, deposit, amount)| Step::Mine { world, deposit, amount }),
        4 => world().prop_map(|world| Step::Replenish { world }),
        2 => world().prop_map(|world| Step::Announce { world }),
        1 => world().prop_map(|world| Step::Deactivate { world }),
        1 => world().prop_map(|world| Step::Withdraw { world }),
        1 => world().prop_map(|world| Step::StageAgain { world }),
        1 => Just(Step::ForgetWithdrawn),
        3 => Just(Step::EndBatch),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 1..60)
}

fn active(bench: &Bench, number: usize) -> Option<WorldId> {
    let worlds: Vec<WorldId> = bench.image.active().map(|world| world.id).collect();
    (!worlds.is_empty()).then(|| worlds[number % worlds.len()])
}

fn used(bench: &Bench, number: usize) -> Option<WorldId> {
    (!bench.ids.is_empty()).then(|| bench.ids[number % bench.ids.len()])
}

fn play(bench: &mut Bench, step: &Step) {
    match *step {
        Step::Make => {
            bench.world();
        }
        Step::Abandon => {
            bench.stage();
        }
        Step::Mine { world, deposit, amount } => {
            let Some(world) = active(bench, world) else { return };
            let slots = bench.slots(world);
            bench.mine(world, slots[deposit % slots.len()], amount);
        }
        Step::Replenish { world } => {
            let Some(world) = active(bench, world) else { return };
            bench.replenish(world);
        }
        Step::Announce { world } => {
            let Some(world) = active(bench, world) else { return };
            bench.announce(world);
        }
        Step::Deactivate { world } => {
            let Some(world) = active(bench, world) else { return };
            bench.deactivate(world);
        }
        Step::Withdraw { world } => {
            let Some(world) = used(bench, world) else { return };
            bench.fetch(Key::World(world));
            if !matches!(bench.image.state_of(world), WorldState::Withdrawn) {
                bench.withdraw(world);
            }
        }
        Step::StageAgain { world } => {
            // The writer stages between two batches.
            bench.save();
            let Some(world) = used(bench, world) else { return };
            let now = bench.now();
            if bench.stage_as(world, now).is_some() {
                bench.make(world);
            }
        }
        Step::ForgetWithdrawn => {
            bench.save();
            let now = bench.now();
            bench.forget_withdrawn(now);
        }
        Step::EndBatch => bench.save(),
        Step::Restart => bench.restart(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(ProptestConfig::default().cases / 8 + 1) })]

    #[test]
    fn every_history_gives_equal_images_and_answers(steps in steps()) {
        let mut bench = Bench::new();
        for step in &steps {
            play(&mut bench, step);
        }
        bench.save();
        bench.assert_fetched_equal();
    }
}
