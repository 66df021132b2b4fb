//! In place of `kafka` in a program without the feature: there are no brokers.
#![allow(clippy::pedantic, reason = "the signatures are those of a program with the feature")]

use std::sync::Arc;

use starkeep_platform::clock::Clock;
use starkeep_platform::consumer::TopicConsumers;
use starkeep_platform::relay::Topics;

use super::{Feature, Features};

pub(crate) enum Brokers {}

impl Brokers {
    pub(crate) fn at(_: &str, _: Arc<dyn Clock>, _is_shared: bool) -> Result<Self, String> {
        Err(Features::OF_THIS_PROGRAM.refusal(Feature::Kafka, "--kafka"))
    }

    pub(crate) fn topics(&self) -> Arc<dyn Topics> {
        match *self {}
    }

    pub(crate) fn consumers(&self) -> Arc<dyn TopicConsumers> {
        match *self {}
    }
}
