//! The side that asks: carriers over Streamable HTTP of both eras and over HTTP+SSE.
//!
//! First where the server is and how it is reached, then what is read from it, then the carriers.

mod error_text;
mod limits;
mod target;

mod connect;

mod adopt;
mod answer;
mod backoff;
mod events;

mod traffic;
mod wire;

mod exchange;
mod standing;

mod carrier;
mod sse_carrier;

pub use carrier::HttpCarrier;
pub use error_text::{describe_error, one_line};
pub use limits::HttpClientLimits;
pub use sse_carrier::{OpenError, SseCarrier};
pub use target::{HttpTarget, TargetError, is_loopback};
