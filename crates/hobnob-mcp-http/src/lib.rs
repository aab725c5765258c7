//! MCP over HTTP: Streamable HTTP in both eras, and HTTP+SSE, for servers and clients.
//!
//! The features `server` and `client` are independent and share only the codecs.

pub mod header_value;
mod oversized_message;

pub use oversized_message::OversizedMessage;

#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "server")]
mod server;

#[cfg(feature = "server")]
pub use server::*;
