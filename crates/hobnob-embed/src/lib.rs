//! Text to vectors: by a small model that runs in this process, or by an endpoint.
//!
//! What must stay true: vectors have unit length, and those of two models are never compared.

mod embedder;
mod vector;

mod checksum;
mod package;

mod minilm;

mod web;

mod endpoint;

mod install;

#[cfg(test)]
mod tests;

pub use embedder::{EmbedError, Embedder, ModelId, Work};
pub use endpoint::{Endpoint, EndpointOptions, Key};
pub use install::{InstallError, Installed, Outcome, Progress, Source, Stage, install};
pub use minilm::MiniLm;
pub use package::installed;
pub use vector::{BadVector, Vector};
