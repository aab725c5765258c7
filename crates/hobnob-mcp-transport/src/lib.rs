//! Bytes to messages and back: framing, queues, stdio, and a pair in memory for tests.
//!
//! On a pipe or socket, a connection is a series of incoming lines and a queue of outgoing frames.
//! The server reads lines and fills an [`Outbox`]; the client sends through a [`Carrier`]. HTTP is
//! in its own crate; each of its responses has a queue of its own. Nothing here knows the meaning
//! of a method.

mod carrier;
mod descriptor;
mod frame_hold;
mod framing;
mod input;
mod lines;
mod link;
mod memory;
#[expect(clippy::disallowed_types, reason = "loom, which compiles it too, has no others")]
mod outbox;
mod readiness;
mod stdin;
mod stdio;
mod stdout;
mod sync;
#[cfg(test)]
mod tests;

pub use carrier::{Carrier, Loss, Outgoing, OutgoingKind, Receiver, RequestHead, SendError};
pub use frame_hold::{FrameCounter, FrameHold};
pub use framing::{Line, LineFramer, log_replaced};
pub use lines::{LineCarrier, LineLimits, TryWrite, link_over, open_lines};
pub use link::Link;
pub use memory::{MemoryPeer, memory_link};
pub use outbox::{Fault, Frame, FrameKind, Merge, Outbox, OutboxLimits, Overflow, SentMessages};
pub use stdin::LineHandler;
pub use stdio::Stdio;
pub use stdout::{DirectWriter, WriteClaim};
