//! The parameters that choose a page of a list, and the `Link` header that leads to the others.
//! The page itself is made by the handlers.

use std::fmt::Write;

use http::header;
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use starkeep_contract::map::PlanetType;
use starkeep_contract::{Bounded, bounded};
use starkeep_map_core::{PlanetKind, WorldId};
use starkeep_platform::answer::Answer;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::domain::Overview;
use crate::ports::Cursor;
use crate::wire;

/// `GET /planets`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PageOfPlanets {
    /// Only planets of this type.
    planet_type: Option<PlanetType>,
    /// From 1.
    #[serde(default, deserialize_with = "bounded::from_text")]
    #[param(inline)]
    page: Option<Bounded<1, { i64::MAX }>>,
}

impl PageOfPlanets {
    pub(super) const SIZE: usize = 50;

    pub(super) fn kind(&self) -> Option<PlanetKind> {
        self.planet_type.map(wire::planet_kind)
    }

    pub(super) fn skipped(&self) -> usize {
        usize::try_from(self.page() - 1).unwrap_or(usize::MAX).saturating_mul(Self::SIZE)
    }

    pub(super) fn links(&self, is_last: bool) -> Links {
        let page = self.page();
        let mut links = Links::default();
        if !is_last {
            links.add(&self.path_of(page + 1), "next");
        }
        if page > 1 {
            links.add(&self.path_of(page - 1), "prev");
        }
        links
    }

    fn page(&self) -> u64 {
        self.page.map_or(1, Bounded::as_u64)
    }

    fn path_of(&self, page: u64) -> String {
        match self.kind() {
            Some(kind) => format!("/planets?planet_type={}&page={page}", kind.as_str()),
            None => format!("/planets?page={page}"),
        }
    }
}

/// `GET /gameworlds`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListOfWorlds {
    /// At most so many gameworlds; 1000 if absent.
    #[serde(default, deserialize_with = "bounded::from_text")]
    #[param(inline)]
    limit: Option<Bounded<1, 1000>>,
    /// Where the page before ended, as its `Link` has it.
    #[serde(default, deserialize_with = "cursor")]
    #[param(value_type = Option<String>, pattern = r"^[0-9]{1,14}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
    after: Option<Cursor>,
}

impl ListOfWorlds {
    pub(super) fn limit(&self) -> usize {
        self.limit.map_or(1000, Bounded::as_u32) as usize
    }

    pub(super) fn cursor(&self) -> Option<Cursor> {
        self.after
    }

    pub(super) fn link_after(&self, last: &Overview) -> Links {
        let after = format!("{}_{}", last.created_at.as_millisecond(), last.id);
        let mut links = Links::default();
        links.add(&format!("/gameworlds?limit={}&after={after}", self.limit()), "next");
        links
    }
}

/// The value of a `Link` header (RFC 8288).
#[derive(Default)]
pub(super) struct Links(String);

impl Links {
    fn add(&mut self, path: &str, relation: &str) {
        let comma = if self.0.is_empty() { "" } else { ", " };
        let _ = write!(self.0, "{comma}<{path}>; rel=\"{relation}\"");
    }

    pub(super) fn on(self, answer: Answer) -> Answer {
        if self.0.is_empty() { answer } else { answer.with(header::LINK, &self.0) }
    }
}

fn cursor<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Cursor>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let parse = || {
        let (millis, id) = text.split_once('_')?;
        let created_at = Timestamp::from_millisecond(millis.parse().ok()?).ok()?;
        Some(Cursor { created_at, id: WorldId(Uuid::try_parse(id).ok()?) })
    };
    parse().map(Some).ok_or_else(|| D::Error::custom("expected the value of a `Link` header"))
}
