//! The body of a response: none, one block of bytes, or a stream of event bytes. Handlers build a
//! [`ReplyBody`]; the connection passes it to hyper. A block announces its exact length, so that
//! hyper writes `Content-Length`; a stream is sent in chunks.

use std::fmt;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_TYPE};
use http::{HeaderValue, Response, StatusCode};
use tokio::sync::mpsc;

/// The response to a refused request. It is rare and large, so it is boxed.
pub(crate) type RefusalReply = Box<Response<ReplyBody>>;

/// A source of bytes that are already framed as server-sent events.
///
/// It is polled by the task of its connection and dropped as soon as the client is gone. Hyper asks
/// for more only while less than about 64 KiB wait to be written, so a slow client slows its source
/// and nothing piles up in between.
pub trait EventSource: Send {
    /// The next block of whole events, or `None` at the end of the stream.
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Bytes>>;
}

/// The body of a response.
#[derive(Default)]
pub enum ReplyBody {
    /// No bytes at all.
    #[default]
    Empty,
    /// One block; `None` once hyper has taken it.
    Full(Option<Bytes>),
    /// Events that belong to one request and end by themselves.
    Stream(Pin<Box<dyn EventSource>>),
    /// Events without a natural end, such as a client's listening stream. The connection ends it as
    /// soon as the server begins to stop, instead of waiting for the end of the grace period.
    Standing(Pin<Box<dyn EventSource>>),
}

impl ReplyBody {
    /// One block of bytes.
    pub fn full(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        if bytes.is_empty() { Self::Empty } else { Self::Full(Some(bytes)) }
    }

    /// The events of one request.
    pub fn stream(source: impl EventSource + 'static) -> Self {
        Self::Stream(Box::pin(source))
    }

    /// Events without a natural end: the stream closes when the server begins to stop.
    pub fn standing(source: impl EventSource + 'static) -> Self {
        Self::Standing(Box::pin(source))
    }

    /// A stream of the blocks that its sender puts into a bounded queue. It ends when all senders
    /// are dropped; the senders learn from their channel that the client is gone.
    pub fn queued(capacity: NonZeroUsize) -> (mpsc::Sender<Bytes>, Self) {
        let (sender, blocks) = mpsc::channel(capacity.get());
        (sender, Self::stream(QueuedBlocks(blocks)))
    }

    /// The bytes of a body that is no stream; a stream has none.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Full(Some(block)) => block,
            Self::Empty | Self::Full(None) | Self::Stream(_) | Self::Standing(_) => &[],
        }
    }
}

/// The reader's end of a bounded queue.
struct QueuedBlocks(mpsc::Receiver<Bytes>);

impl EventSource for QueuedBlocks {
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        self.get_mut().0.poll_recv(cx)
    }
}

impl fmt::Debug for ReplyBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("Empty"),
            Self::Full(block) => f.debug_tuple("Full").field(block).finish(),
            Self::Stream(_) => f.write_str("Stream"),
            Self::Standing(_) => f.write_str("Standing"),
        }
    }
}

/// A response with a JSON body.
pub fn json_reply(status: StatusCode, body: impl Into<Bytes>) -> Response<ReplyBody> {
    let mut response = Response::new(ReplyBody::full(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A JSON response after which the connection closes, because the request was not read to its end
/// and what follows on the wire cannot be trusted to be the next request.
pub(crate) fn closing_json_reply(status: StatusCode, body: &'static str) -> Response<ReplyBody> {
    let mut response = json_reply(status, Bytes::from_static(body.as_bytes()));
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}
