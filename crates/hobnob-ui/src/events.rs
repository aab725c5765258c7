//! The event stream of the page: frames are made once, kept in a ring, and read by every stream.
//!
//! `page_events` holds the ring, `publisher` makes the frames, a `stream` sends them to one page.
//! What must stay true: a reader that is too slow begins anew instead of growing a queue.

mod frame_log;

mod page_events;

mod publisher;
mod stream;

pub(crate) use page_events::{EventLimits, MAX_STREAMS, PageEvents, TooManyStreams};
pub(crate) use publisher::publish;
pub(crate) use stream::PageEventStream;
