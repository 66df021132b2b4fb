//! A domain on SQLite and in memory side by side, for random histories: its image, one that is given only the serialised changes, and
//! what a new process would load are compared after every batch.

use starkeep_platform::documents::Documents;
use starkeep_platform::memory::MemoryTables;
use starkeep_platform::sql::{SqlTables, at_once};
use starkeep_platform::sqlite::SqliteConnection;

pub struct HistoryBench<D: Documents> {
    connection: SqliteConnection,
    tables: <D as MemoryTables>::Tables,
    /// What decisions are made on.
    pub image: D::Image,
    /// As the image was when the batch began, with what it has loaded since.
    before: D::Image,
    follower: D::Image,
    batch: Vec<D::Change>,
}

impl<D: Documents> Default for HistoryBench<D> {
    fn default() -> Self {
        Self {
            connection: SqliteConnection::in_memory(D::SQLITE_MIGRATIONS).expect("a database"),
            tables: <D as MemoryTables>::Tables::default(),
            image: D::Image::default(),
            before: D::Image::default(),
            follower: D::Image::default(),
            batch: Vec::new(),
        }
    }
}

impl<D: Documents> HistoryBench<D> {
    /// As a batch does whose decision declares the key.
    pub fn fetch(&mut self, key: &D::Key) {
        for image in [&mut self.before, &mut self.image] {
            find::<D>(&self.connection, key, image);
        }
    }

    pub fn take(&mut self, change: D::Change) {
        D::absorb(&mut self.image, &change);
        self.batch.push(change);
    }

    /// As the writer does at the end of a batch; then all of them must be equal.
    pub fn save(&mut self) {
        let changes = std::mem::take(&mut self.batch);
        let documents = D::documents(&self.before, &self.image, &changes).expect("nothing breaks a bound");
        D::evict(&mut self.image);
        self.before = self.image.clone();
        let saved = self.connection.batch(|rows| <D as SqlTables>::save(rows, &changes, &documents));
        saved.expect("SQLite takes it");
        if let Some(change) = changes.first() {
            <D as MemoryTables>::save(&mut self.tables, change, &documents).expect("memory takes it");
        }
        // Whoever follows finds what the batch has left.
        let read = |change| D::decode(&D::encode(change)).expect("a change that can be read");
        let changes: Vec<_> = changes.iter().map(read).collect();
        for key in changes.iter().flat_map(D::needed_by) {
            <D as MemoryTables>::fetch(&self.tables, &key, &mut self.follower);
        }
        for change in &changes {
            D::absorb(&mut self.follower, change);
        }
        D::evict(&mut self.follower);
        assert_eq!(self.image, self.follower, "the image that follows the changes");
        assert_eq!(self.image, <D as MemoryTables>::load(&self.tables), "memory");
        assert_eq!(self.image, self.loaded(), "SQLite");
    }

    /// Goes on with what a new process loads.
    pub fn restart(&mut self) {
        self.save();
        self.image = self.loaded();
        self.before = self.image.clone();
    }

    fn loaded(&self) -> D::Image {
        at_once(<D as SqlTables>::load(&self.connection)).expect("what was written can be read")
    }

    /// What these keys name is the same in both.
    pub fn assert_fetched_equal(&self, keys: impl IntoIterator<Item = D::Key>) {
        for key in keys {
            let [mut from_memory, mut from_sqlite] = [(); 2].map(|()| self.image.clone());
            <D as MemoryTables>::fetch(&self.tables, &key, &mut from_memory);
            find::<D>(&self.connection, &key, &mut from_sqlite);
            assert_eq!(from_memory, from_sqlite, "{key:?}");
        }
    }
}

fn find<D: Documents>(connection: &SqliteConnection, key: &D::Key, image: &mut D::Image) {
    if <D as Documents>::lacks(image, key) {
        let load = at_once(<D as SqlTables>::find(connection, &(), key)).expect("what was written is found");
        load(image).expect("what was written can be read");
    }
}
