//! PostgreSQL behind the ports of `hobnob-store`: one schema that several replicas share, a pool of
//! connections, one connection that listens for changes.
//!
//! The binary opens it if the settings name a database. Each operation is one transaction, which
//! sees only its owner's rows and is done again if it loses against another one.

mod error;
mod settings;
mod value;

mod clause;
mod columns;

mod clock;

mod listener;
mod migrate;

mod store;

mod transaction;

mod change_log;
mod feed;

mod keys;

mod cursor;
mod quota;

mod agents;
mod authorizations;
mod calls;
mod marks;
mod memories;
mod prompts;
mod search;
mod tasks;
mod trees;
mod usage;

mod maintenance;

mod model_sessions;

pub use maintenance::PostgresMaintenance;
pub use migrate::MigrationStep;
pub use settings::{BadStoreUrl, StoreUrl};
pub use store::PostgresStore;
