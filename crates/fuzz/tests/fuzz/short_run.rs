//! Every target takes its whole corpus, and so many inputs more as other tests have cases. They are the same in every run.

use proptest::test_runner::Config;
use starkeep_fuzz::{Found, Fuzzer, corpus, targets, try_alone};

const SEED: u64 = 7;

fn run(name: &str) {
    let target = targets::named(name).unwrap();
    let entries = corpus::of(target).unwrap();
    // Each by itself, as it is when it is added.
    for corpus::Entry { path, input } in &entries {
        let verdict = try_alone(target, input);
        assert!(verdict.is_ok(), "{}: {verdict:?}", path.display());
    }
    let mut fuzzer = Fuzzer::new(target, entries.into_iter().map(|entry| entry.input), SEED);
    let known = fuzzer.try_known();
    let outcome = known.and_then(|()| (0..Config::default().cases).try_for_each(|_| fuzzer.try_next()));
    if let Err(Found { fault, input }) = outcome {
        panic!("{name}: {fault}\nthe smallest input is: {}", input.escape_ascii());
    }
}

macro_rules! short_runs {
    ($($test:ident: $name:literal),* $(,)?) => {
        $(
            #[test]
            fn $test() {
                run($name);
            }
        )*

        #[test]
        fn every_target_has_a_short_run() {
            let names: Vec<_> = targets::TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(names, [$($name),*]);
        }
    };
}

short_runs! {
    game: "game",
    game_in_the_msd_dialect: "game-msd",
    map: "map",
    robot: "robot",
    trading: "trading",
    position: "position",
    stream: "stream",
    world: "world",
    archive: "archive",
    game_changes: "game-changes",
    map_changes: "map-changes",
    robot_changes: "robot-changes",
    trading_changes: "trading-changes",
}
