//! What Hobnob's HTTP clients share: TLS, proxies, errors as text, retries, server-sent events.
//!
//! The clients of MCP servers, logins, language models and embeddings use this crate; it knows none
//! of their protocols. Servers use only `sse`, which needs no HTTP client.

pub mod sse;

#[cfg(feature = "client")]
mod address;
#[cfg(feature = "client")]
mod backoff;
#[cfg(feature = "client")]
mod builder;
#[cfg(feature = "client")]
mod delay;
#[cfg(feature = "client")]
mod error_text;
#[cfg(feature = "client")]
mod retry_after;
#[cfg(feature = "client")]
mod retry_policy;

#[cfg(feature = "client")]
pub use {
    address::{is_loopback, is_private},
    backoff::Backoff,
    builder::client_builder,
    error_text::{describe_error, one_line},
    retry_after::retry_after,
    retry_policy::RetryPolicy,
};
