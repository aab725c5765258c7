//! Vectors from a server that speaks as OpenAI's does: `POST {url}/embeddings`.

mod options;

mod client;

mod answer;
mod patience;

#[cfg(test)]
mod tests;

pub use client::Endpoint;
pub use options::{EndpointOptions, Key};
