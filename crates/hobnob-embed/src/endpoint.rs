//! Vectors from a server with OpenAI's embeddings API: `POST {url}/embeddings`.
//!
//! The API key leaves this process only in a header to that server, never in clear over a network.

mod options;

mod client;

mod answer;
mod retry;

#[cfg(test)]
mod tests;

pub use client::EndpointEmbedder;
pub use options::{ApiKey, EndpointOptions};
