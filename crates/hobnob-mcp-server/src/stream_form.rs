//! How a server's HTTP streams look: choices that the specification leaves open, or that go beyond
//! it.
//!
//! Programs set them on the server builder; legacy calls and the HTTP transport read them.

/// Which calls send progress notifications.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ProgressRule {
    /// Calls whose caller sent a `progressToken`.
    #[default]
    Requested,
    /// Also all other tool calls of legacy HTTP sessions, with a token that the server makes. A
    /// caller that reads no streams does not notice.
    OnStreams,
}

/// The form of the event ids on a legacy session's streams.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EventIdForm {
    /// The number of the stream and the number of the event on it: `2-7`.
    #[default]
    StreamAndNumber,
    /// The number of the event in its session, across all streams: `evt-7`. Events name their type,
    /// `message`, and the response names the session.
    Numbered,
}
