//! In place of `selftest` in a program without the feature: the command is refused.
#![allow(clippy::pedantic, reason = "the signatures are those of a program with the feature")]

use super::{Feature, Features};
use crate::args::SelfTestArgs;
use crate::failure::CommandError;

pub(crate) async fn selftest(_: &SelfTestArgs) -> Result<(), CommandError> {
    Err(CommandError::Asked(Features::OF_THIS_PROGRAM.refusal(Feature::SelfTest, "`starkeep selftest`")))
}
