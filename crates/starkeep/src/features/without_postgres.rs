//! In place of `postgres` in a program without the feature: there is no database.
#![allow(clippy::pedantic, reason = "the signatures are those of a program with the feature")]

use std::collections::BTreeMap;
use std::sync::Arc;

use starkeep_platform::clock::Clock;
use starkeep_platform::sql::transfer::{CarriedService, CarryFault, InstallationReader, InstallationWriter};
use starkeep_platform::sql::{PostgresTables, SqlStore};
use starkeep_platform::store::OpenError;
use starkeep_platform::tasks::Stop;

use super::{Feature, Features};
use crate::serve::Context;

pub(crate) enum Database {}

impl Database {
    pub(crate) fn parse(_: &str) -> Result<Self, String> {
        Err(Features::OF_THIS_PROGRAM.refusal(Feature::Postgres, "--database-url"))
    }

    pub(crate) fn place(&self) -> String {
        match *self {}
    }

    pub(crate) async fn store<D: PostgresTables>(
        &self,
        _: String,
        _: &Context<'_>,
        _: &Stop,
        _: BTreeMap<&'static str, String>,
    ) -> Result<SqlStore<D>, OpenError> {
        match *self {}
    }

    pub(crate) async fn reader(
        self,
        _: Arc<dyn Clock>,
        _: &[(CarriedService, String)],
    ) -> Result<Option<Box<dyn InstallationReader>>, CarryFault> {
        match self {}
    }

    pub(crate) async fn writer(
        self,
        _: Arc<dyn Clock>,
        _: &[(CarriedService, String)],
    ) -> Result<Box<dyn InstallationWriter>, CarryFault> {
        match self {}
    }

    #[cfg(feature = "selftest")]
    pub(crate) async fn drop_schemas(self, _: &[String], _: Arc<dyn Clock>) -> Result<(), String> {
        match self {}
    }
}
