//! How long the long run is: one factor for everything that can be done more often, the one that the properties have.
//! What is counted, and how often it is done in the short run, is each test's.

/// 1 in the short run, 10 in the long one.
pub(crate) fn scale() -> usize {
    usize::try_from(proptest::test_runner::Config::default().cases).unwrap().div_ceil(64).min(10)
}
