//! A lock that is held and one that is free.

use super::*;

#[test]
fn a_held_lock_is_busy_and_a_dropped_one_is_free() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state/it.lock");
    let held = Lock::try_acquire(&path).unwrap();
    assert!(matches!(Lock::try_acquire(&path), Err(LockError::Busy(_))));
    let waited = Lock::acquire_within(&path, Duration::from_millis(30));
    assert!(matches!(waited, Err(LockError::Busy(_))));
    drop(held);
    drop(Lock::acquire(&path).unwrap());
    let blocked = Lock::try_acquire(&path.join("below/a/file"));
    assert!(matches!(blocked, Err(LockError::Io(..))));
}

/// A process that is being spawned holds a copy of our descriptors until its program runs.
#[test]
fn a_dropped_lock_is_free_although_a_copy_of_its_descriptor_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("it.lock");
    let held = Lock::try_acquire(&path).unwrap();
    let inherited = held.file.try_clone().unwrap();
    drop(held);
    drop(Lock::try_acquire(&path).unwrap());
    drop(inherited);
}
