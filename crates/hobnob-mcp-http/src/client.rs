//! The client side: carriers over Streamable HTTP of both eras and over HTTP+SSE.
//!
//! The modules come in this order: addressing a server, reading its answers, the carriers.

mod authorizer;
mod limits;
mod target;

mod connect;

mod adopt;
mod answer;
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
pub use carrier::HttpCarrier;
pub use limits::HttpClientLimits;
pub use sse_carrier::{OpenError, SseCarrier};
pub use target::{HttpTarget, TargetError};
