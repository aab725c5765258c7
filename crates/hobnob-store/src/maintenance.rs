//! Maintenance of a whole store: backup, restore, and a check for damage.
//!
//! A backend implements the port besides its repositories; the binary's commands use it.

mod contents;

mod backup;
mod health;
mod restore;

mod port;

pub use backup::{BackupError, BackupObserver, BackupProgress, ExistingFile};
pub use contents::StoreContents;
pub use health::StoreHealth;
pub use port::StoreMaintenance;
pub use restore::{RestoreError, RestoredStore};
