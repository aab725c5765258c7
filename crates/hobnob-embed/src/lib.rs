//! Embeds texts as vectors: with a small model in this process, or through an endpoint.
//!
//! What must stay true: vectors have unit length, and vectors of two models are never compared.

mod embedder;
mod vector;

mod checksum;
mod local_model;
mod package;

mod idle_cache;
mod local_threads;
mod norm;

mod minilm;

mod protobuf;

mod multilingual;

mod open_model;

mod web;

mod endpoint;

mod install;

#[cfg(test)]
mod tests;

pub use embedder::{EmbedError, EmbedFuture, Embedder, ModelId};
pub use endpoint::{ApiKey, EndpointEmbedder, EndpointOptions};
pub use install::{
    InstallError, InstallOutcome, InstallProgress, InstallStage, Installed, ModelSource, install,
    install_from_disk,
};
pub use local_model::{LocalModel, PackageRegistry, PublishedPackage};
pub use minilm::MiniLm;
pub use multilingual::MultilingualEncoder;
pub use open_model::open_model;
pub use package::{MODELS, installed, model_in_folder, model_named};
pub use vector::{BadVector, EmbeddedText, Vector, WordVector};
