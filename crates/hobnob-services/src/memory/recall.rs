//! Hybrid search over memories: by words, by meaning (embeddings), or both, with a relevance score.
//!
//! The tool `recall`, prompts and the evaluation call it. Without a model it finds by words alone.

mod request;

mod change_words;
mod date_words;
mod dates;
mod statement;

mod confidence;
mod cursor;
mod fuse;
mod language;
mod meaning;
mod model_role;
mod models;
mod near;
mod question;
mod snippet;
mod turn_weights;

mod replaced;

mod asked_time;
mod copies;
mod newest;

mod arrange;

mod find;

#[cfg(test)]
mod tests;

pub use find::Recall;
pub use models::EmbeddingModels;
pub(super) use question::telling_term;
pub(super) use replaced::{Replacement, replacement};
pub use request::{Hit, RecallError, RecallMode, RecallRequest, Recalled};
pub use turn_weights::TurnWeights;
