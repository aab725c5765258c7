//! Vectors from a server with OpenAI's API: `POST {url}/embeddings`.
//!
//! The key leaves this process only as a header to that server, and only over a private connection.

mod options;

mod client;

mod answer;
mod retry;

#[cfg(test)]
mod tests;

pub use client::EndpointEmbedder;
pub use options::{ApiKey, EndpointOptions};
