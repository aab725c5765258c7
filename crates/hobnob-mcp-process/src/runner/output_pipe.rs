//! The reading end of a command's output. [`ProcessPipes`](super::ProcessPipes) has two of them.
//!
//! Most commands have ended before the caller reads what they wrote, and then all of it is in the
//! pipe already. So a pipe is registered with the runtime only once it is empty but not at its end:
//! until then it costs no system call, and no thread is woken when a command closes it.

use rustix::fs::{OFlags, fcntl_setfl};
use std::io;
use std::os::fd::OwnedFd;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::unix::pipe;

/// Direct reads in a row before the runtime takes over, which shares time among all tasks: enough
/// to read all that a pipe holds.
const DIRECT_READS: u8 = 4;

/// One stream of a command's output, until its end.
#[derive(Debug)]
pub struct OutputPipe(PipeState);

#[derive(Debug)]
enum PipeState {
    /// Not registered with the runtime. Reading never blocks.
    Direct {
        pipe: OwnedFd,
        reads: u8,
    },
    Watched(pipe::Receiver),
    /// The pipe cannot be read any more.
    Ended,
}

impl OutputPipe {
    /// The reading end of a new pipe.
    pub(super) fn new(pipe: OwnedFd) -> io::Result<Self> {
        fcntl_setfl(&pipe, OFlags::NONBLOCK)?;
        Ok(Self(PipeState::Direct { pipe, reads: 0 }))
    }
}

impl AsyncRead for OutputPipe {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let PipeState::Direct { pipe, reads } = &mut self.0
            && *reads < DIRECT_READS
        {
            *reads += 1;
            match rustix::io::read(&*pipe, buffer.initialize_unfilled()) {
                Ok(count) => {
                    buffer.advance(count);
                    return Poll::Ready(Ok(()));
                }
                Err(rustix::io::Errno::AGAIN) => {}
                Err(error) => return Poll::Ready(Err(error.into())),
            }
        }
        self.0 = match std::mem::replace(&mut self.0, PipeState::Ended) {
            PipeState::Direct { pipe, .. } => {
                PipeState::Watched(pipe::Receiver::from_owned_fd_unchecked(pipe)?)
            }
            other => other,
        };
        match &mut self.0 {
            PipeState::Watched(pipe) => {
                ready!(Pin::new(pipe).poll_read(context, buffer))?;
                Poll::Ready(Ok(()))
            }
            PipeState::Direct { .. } | PipeState::Ended => Poll::Ready(Ok(())),
        }
    }
}
