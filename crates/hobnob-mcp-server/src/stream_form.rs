//! How a server's answers over HTTP look where they are streams: what a program may choose beyond what
//! the specification asks for.
//!
//! Whoever builds a server says it once; calls of the legacy era and the HTTP transport read it.

/// Which calls have progress notifications.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ProgressRule {
    /// Those whose caller sent a `progressToken`.
    #[default]
    Requested,
    /// Also the others of a legacy session over HTTP, under a token of the server's. A caller that
    /// reads no streams notices nothing.
    OnStreams,
}

/// What events of a legacy session's streams are called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EventIdForm {
    /// By the number of the stream and the event's number in it: `2-7`.
    #[default]
    StreamAndNumber,
    /// By their number in the session, over all its streams: `evt-7`. Their type, `message`, is written
    /// out, and the response names the session.
    Numbered,
}
