//! How much a test of endurance does: ten times as much in the long run.
//! The dial is the one that the properties have.

pub(crate) fn scale() -> usize {
    usize::try_from(proptest::test_runner::Config::default().cases).unwrap().div_ceil(64).min(10)
}
