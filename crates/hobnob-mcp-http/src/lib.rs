//! MCP over HTTP: Streamable HTTP in both eras, and HTTP+SSE, both sides.
//!
//! `server` answers and `client` asks; each is a feature, and they share only the codecs.

pub mod header_value;
mod oversized_message;

pub use oversized_message::OversizedMessage;

#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "server")]
mod server;

#[cfg(feature = "server")]
pub use server::*;
