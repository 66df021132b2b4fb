//! Headers of a batch of commands between our own services, and of what is asked of the map in its course.
//! The existing services ignore them.

/// The game that the commands are of.
pub const GAME: &str = "starkeep-game";
/// The round. The executor first reads its streams up to that round's `command input ended`.
pub const ROUND: &str = "starkeep-round";
/// What random choices of the round are drawn from: a whole number.
pub const SEED: &str = "starkeep-seed";
/// How long the executor may read its streams before it answers that nothing was executed.
pub const TIMEOUT_MILLIS: &str = "starkeep-timeout-millis";
/// In the answer: the executor's log position after the batch.
pub const POSITION: &str = "starkeep-position";
