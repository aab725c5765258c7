//! The cost of finding nothing, which must not reveal what other owners have.

use super::find;
use crate::SqliteStore;
use crate::convert::WorkError;
use crate::tests::step_count::{REVEALING_STEPS, steps};
use hobnob_store::memory::{
    Captured, MemoryAccess, MemoryError, MemoryId, MemoryRepository as _, NewMemory,
};
use hobnob_store::suite::{TemporaryFolder, note_in};
use hobnob_store::{Owner, Time};
use rusqlite::Connection;

/// "Not yours" costs as much as "not there", however long the memory is.
#[tokio::test]
async fn a_memory_of_another_costs_what_one_that_is_not_there_costs() {
    let folder = TemporaryFolder::new().unwrap();
    let store = SqliteStore::open(&folder.file("store.db")).unwrap();
    for length in [1, 100_000] {
        let new =
            NewMemory { created: Time::now(), ..note_in("notes", &"x".repeat(length)).unwrap() };
        let Captured::New(memory) = store.capture(new).await.unwrap() else { panic!("it is new") };
        let id = memory.id;
        let kept = id.as_str().strip_suffix(|_: char| true).unwrap();
        let last = if id.as_str().ends_with('0') { '1' } else { '0' };
        let nobodys = MemoryId::parse(&format!("{kept}{last}")).unwrap();
        let bob =
            MemoryAccess { owner: Owner::named("bob"), project: None, org: None, now: Time::now() };
        let mut connection = Connection::open(folder.file("store.db")).unwrap();
        let [theirs, absent] = [&id, &nobodys].map(|id| {
            let look = |connection: &Connection| find(connection, &bob, id).map(drop);
            let (found, steps) = steps(&mut connection, look);
            assert!(matches!(found, Err(WorkError::Port(MemoryError::NotFound(_)))), "{found:?}");
            steps
        });
        assert!(0 < absent && theirs.abs_diff(absent) < REVEALING_STEPS, "{theirs} and {absent}");
    }
}
