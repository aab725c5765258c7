//! Several `hobnob serve` processes of one project share one set of servers: the first process is
//! the hub, and the others relay their pipes to it.
//!
//! `serve` asks `find_hub` before it starts servers, and runs a [`Relay`] if there is a hub. What
//! must stay true: each client has its own connection to the hub, so no state is shared between
//! clients; and when the hub ends, the client continues with another one.

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
