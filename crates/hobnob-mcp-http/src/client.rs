//! The side that asks: carriers over Streamable HTTP of both eras and over HTTP+SSE.
//!
//! First where the server is and how it is reached, then what is read from it, then the carriers.

mod authorizer;
mod error_text;
mod limits;
mod retry_after;
mod target;

mod builder;
mod connect;

mod adopt;
mod answer;
mod backoff;
mod events;

mod authorized_client;
mod traffic;
mod wire;

mod exchange;
mod standing;

mod carrier;
mod sse_carrier;

pub use authorizer::{
    AuthorizationFailed, CredentialRefusal, Initiative, RequestAuthorizer, RequestCredentials,
    RequestToAuthorize,
};
pub use builder::client_builder;
pub use carrier::HttpCarrier;
pub use error_text::{describe_error, one_line};
pub use limits::HttpClientLimits;
pub use retry_after::retry_after;
pub use sse_carrier::{OpenError, SseCarrier};
pub use target::{HttpTarget, TargetError, is_loopback, is_private};
