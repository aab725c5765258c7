//! A session's lock excludes other chats in this session, and in no other.

use super::{SessionLock, SessionLockError};
use hobnob_store::Owner;

#[test]
fn a_session_is_locked_once_and_others_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let lock = |owner: &str, name: &str| {
        SessionLock::acquire(&folder.path().join("locks"), &Owner::named(owner), name)
    };
    let first = lock("ann", "one").unwrap();
    assert!(matches!(lock("ann", "one"), Err(SessionLockError::Busy)));
    let others = [lock("ann", "two"), lock("bob", "one"), lock("", "annone"), lock("a", "nnone")];
    assert!(others.iter().all(Result::is_ok), "{others:?}");
    drop(first);
    assert!(lock("ann", "one").is_ok());
}
