//! After any random history the image that follows the serialised changes, the loaded one and the published one are equal.
//! The in-memory store compares them itself; SQLite is compared with it.

use proptest::prelude::*;
use starkeep_platform::decision::apply_all;
use starkeep_platform::disk_log::DiskLog;
use starkeep_platform::memory::Memory;
use starkeep_platform::sqlite;
use starkeep_platform::store::Store;

use crate::backends::REPLICA;
use crate::counters::{Counters, add};

proptest! {
    #[test]
    fn every_store_comes_to_the_same_and_loads_it_again(
        batches in prop::collection::vec(prop::collection::vec((0_u32..6, 1_i64..6), 1..6), 1..20),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("counters.db");
            let sqlite = sqlite::open::<Counters>(&file, REPLICA, DiskLog::of_one_store()).unwrap();
            let memory = Memory::<Counters>::new(REPLICA, std::sync::Arc::new(|_| {}));
            for batch in batches {
                let works = || batch.iter().map(|(counter, amount)| add(*counter, *amount));
                let outcomes = apply_all(&sqlite, works()).await;
                assert_eq!(outcomes, apply_all(&*memory, works()).await);
                assert_eq!(sqlite.image(), memory.image());
            }
            memory.verify().unwrap();
            let published = sqlite.image();
            drop(sqlite);
            let reopened = sqlite::open::<Counters>(&file, REPLICA, DiskLog::of_one_store()).unwrap();
            assert_eq!(reopened.image(), published);
        });
    }
}
