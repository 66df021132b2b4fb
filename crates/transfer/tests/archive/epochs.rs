//! New epochs: those of the logs, and of what services remember of logs that are in the same file.

use starkeep_platform::chance::Chance;
use starkeep_platform::sql::StoredValue;
use starkeep_transfer::{Archive, ArchiveKind, Epochs};
use uuid::Uuid;

use crate::place::{LOG_EPOCH, Place, filled, position};

/// Draws 1, 2, 3 …
struct Counting(std::sync::atomic::AtomicU64);

impl Chance for Counting {
    fn uuid(&self) -> Uuid {
        Uuid::from_u64_pair(self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1, 0)
    }
}

#[test]
fn logs_get_new_epochs_and_with_them_the_positions_in_them() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("file");
    Place::some().written(&path, ArchiveKind::Backup).unwrap();
    let epochs = Epochs::draw(Archive::open(&path).unwrap().manifest(), &Counting(0.into()));
    let copy = filled(&path, Some(&epochs)).unwrap();

    let mut expected = Place::some();
    for (number, (_, rows)) in (1..).zip(&mut expected.0) {
        rows[0][0][0] = StoredValue::Bytes(Uuid::from_u64_pair(number, 0).into_bytes().into());
    }
    // A text beside it that looks the same is no position, and one in another log is none of this file.
    let known = &mut expected.0[1].1[1][0][2];
    assert_eq!(*known, StoredValue::Text(position(LOG_EPOCH.as_u64_pair().0, 7)));
    *known = StoredValue::Text(position(1, 7));
    assert_eq!(copy, expected);
}
