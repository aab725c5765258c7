//! The embedded authorization server in Hobnob's terms: its records in the store, its events in the
//! audit log.
//!
//! A listener in the mode `embedded` gets one from `embedded`; the commands `user` and
//! `approve-login` work on the same records in processes of their own.

mod audit_events;
pub(crate) mod embedded;
mod login_changes;
mod stored_records;

pub use login_changes::LoginChanges;
pub use stored_records::StoredRecords;
