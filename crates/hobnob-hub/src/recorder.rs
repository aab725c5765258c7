//! Recordings of the exact messages between clients, this hub and servers, in memory only.
//!
//! `compose` makes one [`MessageRecorder`]; the owner starts and stops recordings on the page. What
//! must stay true: without a recording the tap is closed and nothing is kept; everything that is kept
//! is bounded; secrets are masked before a message is kept; nothing is left of a stopped recording.

mod envelope;
mod kept_messages;
mod masking;
mod message_recorder;
mod open_requests;
mod passing_message;
mod recording_audit;
mod recordings;
#[cfg(test)]
mod tests;

pub(crate) use message_recorder::MessageRecorder;
