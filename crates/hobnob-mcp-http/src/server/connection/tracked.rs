//! The reply body as hyper sees it: reports when it is done, and ends a standing stream when the
//! server begins to stop.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::context::ClientConnection;
use crate::server::reply::ReplyBody;

/// A reply body that belongs to a connection.
pub(super) struct TrackedBody<H> {
    body: ReplyBody,
    peer: Arc<ClientConnection<H>>,
}

impl<H> TrackedBody<H> {
    pub(super) fn new(body: ReplyBody, peer: Arc<ClientConnection<H>>) -> Self {
        Self { body, peer }
    }
}

impl<H> Body for TrackedBody<H> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = self.get_mut();
        if matches!(this.body, ReplyBody::Standing(_)) && this.peer.context.shutdown.has_begun() {
            // Dropping the source now tells its producer that the client no longer listens.
            this.body = ReplyBody::Empty;
        }
        let next = match &mut this.body {
            ReplyBody::Empty => Poll::Ready(None),
            ReplyBody::Full(block) => Poll::Ready(block.take()),
            ReplyBody::Stream(source) | ReplyBody::Standing(source) => {
                source.as_mut().poll_next(cx)
            }
        };
        next.map(|next| next.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.body, ReplyBody::Empty | ReplyBody::Full(None))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.body {
            ReplyBody::Empty | ReplyBody::Full(None) => SizeHint::with_exact(0),
            ReplyBody::Full(Some(bytes)) => SizeHint::with_exact(bytes.len() as u64),
            ReplyBody::Stream(_) | ReplyBody::Standing(_) => SizeHint::default(),
        }
    }
}

impl<H> Drop for TrackedBody<H> {
    fn drop(&mut self) {
        self.peer.progress.reply_ends();
    }
}
