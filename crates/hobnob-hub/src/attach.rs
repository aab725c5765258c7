//! Several `hobnob serve` processes of one project share one set of servers: the first is the hub, the
//! others pass their pipe on to it.
//!
//! `serve` asks `find_hub` before it starts servers, and runs a [`Relay`] if there is a hub. What must
//! stay true: each client has a connection of its own to the hub, so everything about it stays its
//! own; and when the hub ends, the client goes on with another one.

mod conversation;
mod election;
mod frames;
mod pipes;
mod relay;
mod replay;
#[cfg(test)]
mod tests;

pub use election::{Elected, find_hub, find_running};
pub use relay::Relay;
