//! An installation in memory, to be read and to be filled, with two services that know positions of each other's logs.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use jiff::Timestamp;
use starkeep_platform::sql::StoredValue;
use starkeep_platform::sql::transfer::{
    CarriedService, CarryFault, Column, ColumnKind, InstallationReader, InstallationWriter, RowSink,
    RowSource, Schema, ServiceTables, Table,
};
use starkeep_transfer::{Archive, ArchiveKind, Epochs, Manifest, Progress, TransferError};
use uuid::Uuid;

pub(crate) type Rows = Vec<Vec<StoredValue>>;

/// Services with the rows of their tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place(pub(crate) Vec<(ServiceTables, Vec<Rows>)>);

/// The services as the program knows them; of one of them an earlier version is in the files.
pub(crate) const SERVICES: [CarriedService; 2] = [service("log"), service("follower")];

const fn service(name: &'static str) -> CarriedService {
    let schema = Schema {
        sqlite_migrations: &[&[], &[], &[]],
        first_postgres_version: 1,
        postgres_migrations: &[],
        tables: &["installation", "thing"],
        positions: &[("thing", "position")],
    };
    CarriedService { name, schema }
}

pub(crate) const LOG_EPOCH: Uuid = Uuid::from_u64_pair(0xabc, 1);

fn table(name: &str, columns: &[(&str, ColumnKind)], rows: u64) -> Table {
    let columns =
        columns.iter().map(|(name, kind)| Column { name: (*name).to_owned(), kind: *kind }).collect();
    Table { name: name.to_owned(), rows, columns }
}

pub(crate) fn position(epoch: u64, number: u64) -> String {
    format!("{epoch:016x}-{number}-0000002a")
}

impl Place {
    pub(crate) fn some() -> Self {
        let text = |text: &str| StoredValue::Text(text.to_owned());
        let service = |name: &str, epoch: Uuid, schema, things: Rows| {
            let installation = vec![vec![StoredValue::Bytes(epoch.into_bytes().into())]];
            let columns = [
                ("data", ColumnKind::Bytes),
                ("number", ColumnKind::Integer),
                ("position", ColumnKind::Text),
                ("text", ColumnKind::Text),
            ];
            let tables = vec![
                table("installation", &[("epoch", ColumnKind::Bytes)], 1),
                table("thing", &columns, things.len() as u64),
            ];
            (ServiceTables { name: name.to_owned(), schema, epoch, tables }, vec![installation, things])
        };
        let thing = |number: i64, position: &str| {
            let data = StoredValue::Bytes(vec![number.to_le_bytes()[0]; 5]);
            vec![data, StoredValue::Integer(number), text(position), text(position)]
        };
        let known = thing(i64::MIN, &position(LOG_EPOCH.as_u64_pair().0, 7));
        let other = thing(i64::MAX, &position(0xdef, 7));
        let odd = vec![StoredValue::Null, StoredValue::Integer(-1), StoredValue::Null, text("a\0\n\"b")];
        Self(vec![
            service("log", LOG_EPOCH, 3, vec![]),
            service("follower", Uuid::from_u64_pair(0x123, 2), 2, vec![known, other, odd, thing(4, "start")]),
        ])
    }

    fn rows(&self, service: &str, table: &str) -> &Rows {
        let (tables, rows) = self.0.iter().find(|(found, _)| found.name == service).unwrap();
        &rows[tables.tables.iter().position(|found| found.name == table).unwrap()]
    }

    /// Its file.
    pub(crate) fn written(&self, path: &Path, kind: ArchiveKind) -> Result<Manifest, TransferError> {
        let (mut from, mut unwatched) = (self.clone(), Unwatched { rows_left: None });
        let at = Timestamp::UNIX_EPOCH;
        let written = starkeep_transfer::write(&mut from, path, kind, "1.2.3", at, &mut unwatched);
        written.now_or_never().unwrap()
    }
}

/// What comes of reading a file into an empty place; the place as it is afterwards.
pub(crate) fn filled(path: &Path, epochs: Option<&Epochs>) -> Result<Place, TransferError> {
    filled_by(path, &SERVICES, epochs, &mut Unwatched { rows_left: None })
}

pub(crate) fn filled_by(
    path: &Path,
    known: &[CarriedService],
    epochs: Option<&Epochs>,
    progress: &mut dyn Progress,
) -> Result<Place, TransferError> {
    let committed = Arc::new(Mutex::new(None));
    let archive = Archive::open(path)?;
    let filling = Box::new(Filling { place: Place(Vec::new()), committed: committed.clone() });
    let outcome = archive.fill(filling, known, epochs, progress).now_or_never().unwrap();
    let place = committed.lock().unwrap().take();
    assert_eq!(place.is_some(), outcome.is_ok(), "it is there if and only if it is said to be");
    outcome.map(|_| place.unwrap())
}

impl InstallationReader for Place {
    fn services(&mut self) -> BoxFuture<'_, Result<Vec<ServiceTables>, CarryFault>> {
        ready(Ok(self.0.iter().map(|(service, _)| service.clone()).collect())).boxed()
    }

    fn read<'a>(
        &'a mut self,
        service: &'a str,
        table: &'a Table,
        rows: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), CarryFault>> {
        let taken = self.rows(service, &table.name).iter().try_for_each(|row| {
            let values: Vec<_> = row.iter().map(StoredValue::borrowed).collect();
            rows.take(&values)
        });
        ready(taken.map_err(CarryFault::from)).boxed()
    }

    fn finish(&mut self) -> BoxFuture<'_, Result<(), CarryFault>> {
        ready(Ok(())).boxed()
    }
}

struct Filling {
    place: Place,
    committed: Arc<Mutex<Option<Place>>>,
}

impl InstallationWriter for Filling {
    fn begin<'a>(
        &'a mut self,
        service: &'a CarriedService,
        version: usize,
    ) -> BoxFuture<'a, Result<Vec<Table>, CarryFault>> {
        let (mut made, _) = Place::some().0.into_iter().find(|(made, _)| made.name == service.name).unwrap();
        assert_eq!(made.schema, version);
        let tables = made.tables.clone();
        made.tables.clear();
        self.place.0.push((made, Vec::new()));
        ready(Ok(tables)).boxed()
    }

    fn write<'a>(
        &'a mut self,
        service: &'a str,
        table: &'a Table,
        rows: &'a mut dyn RowSource,
    ) -> BoxFuture<'a, Result<(), CarryFault>> {
        let written = (|| {
            let mut written = Vec::new();
            while let Some(row) = rows.next()? {
                written.push(row);
            }
            let (made, all_rows) = self.place.0.iter_mut().find(|(made, _)| made.name == service).unwrap();
            made.tables.push(table.clone());
            all_rows.push(written);
            io::Result::Ok(())
        })();
        ready(written.map_err(CarryFault::from)).boxed()
    }

    fn commit(self: Box<Self>) -> BoxFuture<'static, Result<Vec<String>, CarryFault>> {
        *self.committed.lock().unwrap() = Some(self.place);
        ready(Ok(Vec::new())).boxed()
    }
}

/// Stops after so many rows, if it does.
pub(crate) struct Unwatched {
    pub(crate) rows_left: Option<u64>,
}

impl Progress for Unwatched {
    fn begin(&mut self, _: &str, _: u64) {}

    fn done(&mut self, _: u64) {
        self.rows_left = self.rows_left.map(|rows| rows.saturating_sub(1));
    }

    fn is_stopped(&self) -> bool {
        self.rows_left == Some(0)
    }
}
