//! Headers of a batch of commands between our own services, and of what is asked of the map in its course.
//! The existing services ignore them.

use std::borrow::Cow;

use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{Number, PartialSchema, ToSchema};

use crate::Bounded;

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

/// What an executor reads as a round.
pub type Round = Bounded<0, { u32::MAX as i64 }>;

/// How the contract names a number of 64 bits without a sign: the format `int64` ends at half of them, and half of all seeds lie
/// above.
pub struct Unsigned;

impl ToSchema for Unsigned {
    fn name() -> Cow<'static, str> {
        "Unsigned".into()
    }
}

impl PartialSchema for Unsigned {
    fn schema() -> RefOr<Schema> {
        let most = Number::UInt(usize::MAX);
        ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0)).maximum(Some(most)).into()
    }
}
