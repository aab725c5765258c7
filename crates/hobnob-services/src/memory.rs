//! The service `memory`: captures what an assistant should remember, finds it again, cleans it up
//! and synchronises it between clones.
//!
//! The binary opens it as a `BuiltInService`. It stores through the ports of `hobnob-store`, and
//! never stores a secret unless the settings allow it.

mod settings;

mod git_config;
pub mod grammar;
mod intent;
mod project;
mod template;
mod words;

mod listed;
mod org_roles;
mod vector_lock;

mod caller_memories;
mod checks;
mod index_signal;
mod service;
mod view;
mod views;

mod carry;
pub mod recall;
pub mod sync;
mod tools;

mod prompts;
mod resources;

mod indexer;
mod kit;
mod vectors;

pub use indexer::{EmbedMissing, Embedded};
pub use project::{Project, ProjectSource};
pub use service::{MemoryParts, MemoryService};
pub use settings::{IntentRule, MemoryOptions, SecretsRule};
pub use vector_lock::VectorLock;
pub use vectors::{VectorFailure, make_vectors};
