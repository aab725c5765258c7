//! What an assistant should remember: captured, found again, kept clean, exchanged.

mod settings;

mod git_config;
pub mod grammar;
mod project;
mod template;
mod words;

mod service;
mod views;

mod carry;
pub mod recall;
pub mod sync;
mod tools;

mod prompts;
mod resources;

mod announce;
mod indexer;
mod kit;
mod vectors;

pub use announce::Touched;
pub use indexer::{EmbedMissing, Embedded, Turns};
pub use kit::OnShow;
pub use project::{Found, Project};
pub use service::{MemoryParts, MemoryService};
pub use settings::{MemorySettings, SecretsRule};
