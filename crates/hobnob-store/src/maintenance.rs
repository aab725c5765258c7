//! Care of a store as a whole: backup, restore, and a look for damage.
//!
//! A backend implements the port beside its repositories; the binary's commands use it.

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
