//! What Hobnob remembers: records, one small port (repository trait) per aggregate, and what all
//! backends share: ranking, cursors, MinHash sketches, quotas and the test suite.
//!
//! The services use the ports, the binary opens the backend. A write is on disk before its caller
//! gets the answer, so an acknowledged write survives a crash. Several processes share one store,
//! and a writer in one never makes another fail.

mod time;

mod instance;
mod owner;

mod quotas;

mod error;

mod new_records;
mod quota_counts;

pub mod agents;
pub mod authorizations;
pub mod calls;
pub mod changes;
pub mod keys;
pub mod memory;
pub mod model_sessions;
pub mod tasks;
pub mod trees;
pub mod usage;
pub mod words;

pub mod cursors;
pub mod maintenance;
pub mod random;
pub mod search;

mod store;

#[cfg(any(test, feature = "suite"))]
pub mod suite;

pub use error::{StoreError, StoreOpenError};
pub use instance::{Instance, InstanceId};
pub use new_records::NewRecords;
pub use owner::{Owner, ProjectKey};
pub use quota_counts::{QuotaCount, QuotaCounts};
pub use quotas::{StoreQuotas, StoredKind};
pub use store::Store;
pub use time::Time;

/// A future on the heap, since ports are used through trait objects.
pub type StoreFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;
