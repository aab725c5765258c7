//! Care of a store as a whole: backup, restore, and a look for damage.
//!
//! The commands of the binary show what is here; a backend does the work.

mod contents;

mod backup;
mod health;
mod restore;

pub use backup::{BackupError, BackupProgress, ExistingFile};
pub use contents::StoreContents;
pub use health::StoreHealth;
pub use restore::{RestoreError, RestoredStore};
