//! Embeds texts as vectors: with a small model in this process, or through an endpoint.
//!
//! What must stay true: vectors have unit length, and vectors of two models are never compared.

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

pub use embedder::{EmbedError, EmbedFuture, Embedder, ModelId};
pub use endpoint::{ApiKey, EndpointEmbedder, EndpointOptions};
pub use install::{
    InstallError, InstallOutcome, InstallProgress, InstallStage, Installed, ModelSource,
    find_intact, install,
};
pub use minilm::MiniLm;
pub use package::{PUBLISHED_MINILM, PublishedPackage, installed};
pub use vector::{BadVector, EmbeddedText, Vector, WordVector};
