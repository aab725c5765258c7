//! The client's stream as hyper sees it: reports the connection's progress, and gives up on a
//! client that accepts no bytes while there is something to send. A timer exists only while a write
//! is stuck. An encrypted stream buffers a little first; what is stuck there after the last write
//! ends with the idle timeout.

use std::future::Future;
use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use super::context::ClientConnection;
use crate::server::client_stream::ClientStream;

/// A stream with a limit on how long a write may be stuck.
pub(super) struct Socket<H> {
    stream: ClientStream,
    peer: Arc<ClientConnection<H>>,
    stuck: Option<Pin<Box<Sleep>>>,
}

impl<H> Socket<H> {
    pub(super) fn new(stream: ClientStream, peer: Arc<ClientConnection<H>>) -> Self {
        Self { stream, peer, stuck: None }
    }

    pub(super) fn into_stream(self) -> ClientStream {
        self.stream
    }

    /// Passes on the result of a write; a write that stays pending too long becomes an error.
    fn judge(
        &mut self,
        written: Poll<io::Result<usize>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stuck = None;
            self.peer.progress.bytes_taken();
            return written;
        }
        let limit = self.peer.context.limits.write_stall;
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(sleep(limit)));
        stuck.as_mut().poll(cx).map(|()| {
            Err(io::Error::new(ErrorKind::TimedOut, "client takes nothing that is sent to it"))
        })
    }
}

impl<H> AsyncRead for Socket<H> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(cx, buf);
        if before < buf.filled().len() {
            this.peer.progress.bytes_arrived();
        }
        read
    }
}

impl<H> AsyncWrite for Socket<H> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(cx, buf);
        this.judge(written, cx)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(cx, bufs);
        this.judge(written, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}
