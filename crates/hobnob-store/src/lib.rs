//! What Hobnob remembers. Records and one small port per aggregate; SQLite behind them.
//!
//! An acknowledged write survives anything: it is on the disk before its caller hears of it.
//! Several processes share one file, and none of them hears "locked".

mod error;
mod time;

mod instance;
mod owner;

pub mod changes;
pub mod memory;
pub mod tasks;
pub mod words;

pub mod sqlite;

#[cfg(any(test, feature = "suite"))]
pub mod suite;

pub use error::{StoreError, StoreOpenError};
pub use instance::{Instance, InstanceId};
pub use owner::{Owner, ProjectKey};
pub use time::Time;

/// A future on the heap, since ports are used through trait objects.
pub type StoreFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
