//! New epochs for the event logs of an installation that was copied while it ran: the copy and the original go different ways from
//! there on, and nobody may take a position of the one for one of the other.
//!
//! Services remember how far they have read each other's logs. What they remember of logs that are in the same file is true of the
//! copy as well, so it gets the new epoch of that log: otherwise they would find a gap, and read everything again.

use std::collections::BTreeMap;

use starkeep_platform::chance::Chance;
use starkeep_platform::documents::StoredPosition;
use starkeep_platform::events::Position;
use starkeep_platform::sql::StoredValue;
use starkeep_platform::sql::transfer::{CarriedService, Table};
use uuid::Uuid;

use crate::manifest::Manifest;

/// The table and the column that have a log's epoch.
const EPOCH: (&str, &str) = ("installation", "epoch");

/// The table and the column that have positions within a text.
const BODY: (&str, &str) = ("document", "body");

/// New epochs by the services that they are for, and by those that positions begin with.
pub struct Epochs {
    of_services: BTreeMap<String, Uuid>,
    of_logs: BTreeMap<u64, u64>,
}

impl Epochs {
    /// One for each service of the file.
    pub fn draw(manifest: &Manifest, chance: &dyn Chance) -> Self {
        let drawn: Vec<_> = manifest.services.iter().map(|service| (service, chance.uuid())).collect();
        let of_services = drawn.iter().map(|(service, epoch)| (service.name.clone(), *epoch)).collect();
        let of_logs =
            drawn.iter().map(|(service, epoch)| (in_positions(service.epoch), in_positions(*epoch)));
        Self { of_logs: of_logs.collect(), of_services }
    }

    /// What is to be done with the rows of a table; nothing with those of most.
    pub(crate) fn of_table(&self, service: &CarriedService, table: &Table) -> NewValues<'_> {
        let place_of = |(of_table, of_column): (&str, &str)| {
            table.columns.iter().position(|column| table.name == of_table && column.name == of_column)
        };
        let epoch = place_of(EPOCH).zip(self.of_services.get(service.name).copied());
        let positions = service.schema.positions.iter().copied().filter_map(place_of).collect();
        NewValues { epochs: self, epoch, positions, body: place_of(BODY) }
    }

    /// A position in a log that is in the file; any other stays as it is.
    fn moved(&self, position: &str) -> Option<String> {
        let position: Position = position.parse().ok()?;
        let epoch = *self.of_logs.get(&position.epoch)?;
        Some(Position { epoch, ..position }.to_string())
    }
}

/// The part of an epoch that is in positions.
fn in_positions(epoch: Uuid) -> u64 {
    epoch.as_u64_pair().0
}

/// Which values of a table's rows become others.
pub(crate) struct NewValues<'a> {
    epochs: &'a Epochs,
    epoch: Option<(usize, Uuid)>,
    positions: Vec<usize>,
    /// Of a document.
    body: Option<usize>,
}

impl NewValues<'_> {
    pub(crate) fn put(&self, row: &mut [StoredValue]) {
        if let Some((place, epoch)) = self.epoch {
            row[place] = StoredValue::Bytes(epoch.into_bytes().into());
        }
        for place in &self.positions {
            if let StoredValue::Text(text) = &mut row[*place]
                && let Some(moved) = self.epochs.moved(text)
            {
                *text = moved;
            }
        }
        if let Some(StoredValue::Text(body)) = self.body.map(|place| &mut row[place]) {
            *body = StoredPosition::replaced_in(body, |position| self.epochs.moved(position));
        }
    }
}
