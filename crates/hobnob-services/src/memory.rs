//! The service `memory`: what an assistant should remember is captured, found again, cleaned up and
//! exchanged between clones.
//!
//! The binary opens it as a `BuiltInService`; it stores through the ports of `hobnob-store`, and
//! nothing with a secret in it is stored unless the settings say so.

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

mod service;
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
