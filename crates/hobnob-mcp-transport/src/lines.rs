//! A connection over two byte streams, one message per line: [`LineCarrier`] for a client,
//! [`link_over`] for a server. Both spawn their tasks on the tracker they are given.
//!
//! A sender never waits: messages that the pipe does not take at once are queued within a limit,
//! and so are messages that arrive while another thread is writing. A request is reported as unsent
//! if the connection ends before its first byte was written.

use crate::carrier::{Carrier, Loss, Outgoing, OutgoingKind, Receiver, SendError};
use crate::framing::{Line, LineFramer};
use crate::link::Link;
use crate::outbox::{Outbox, OutboxLimits};
use crate::stdout::{append, on_one_line};
use futures_util::future::BoxFuture;
use hobnob_mcp_types::{RequestId, Revision};
use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{Notify, mpsc};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

const READ_SIZE: usize = 64 * 1024;

/// An estimate of the memory a waiting message takes in addition to its text.
const MESSAGE_WEIGHT: usize = 128;

/// How long to wait for answers in flight after the server has closed its input.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// The connection is closed if the client reads no byte for this long.
const STALL_TIMEOUT: Duration = Duration::from_secs(60);

/// The memory limits of one connection.
#[derive(Debug, Clone, Copy)]
pub struct LineLimits {
    /// The maximum length of an incoming line, in bytes.
    pub line_bytes: usize,
    /// The maximum number of bytes that may wait to be sent.
    pub unsent_bytes: usize,
}

impl Default for LineLimits {
    fn default() -> Self {
        Self { line_bytes: 16 << 20, unsent_bytes: 64 << 20 }
    }
}

/// A writing half that can be used from any thread without waiting.
pub trait TryWrite: Send + Sync + 'static {
    /// Writes as many bytes as fit now; `WouldBlock` if none fit.
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize>;

    /// Waits until another try may succeed.
    fn writable(&self) -> BoxFuture<'_, io::Result<()>>;
}

#[cfg(unix)]
impl TryWrite for tokio::net::unix::pipe::Sender {
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.try_write(bytes)
    }

    fn writable(&self) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(self.writable())
    }
}

#[cfg(unix)]
impl TryWrite for tokio::net::unix::OwnedWriteHalf {
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.try_write(bytes)
    }

    fn writable(&self) -> BoxFuture<'_, io::Result<()>> {
        Box::pin(self.writable())
    }
}

/// Carries messages to a server at the other end of two streams. Dropping it closes the connection.
pub struct LineCarrier(Arc<Shared>);

struct Shared {
    limits: LineLimits,
    receiver: Arc<dyn Receiver>,
    state: Mutex<State>,
    /// Tells the writing task that a message waits.
    queued: Notify,
    /// Cancelled when the server no longer reads; the reading task reports it when it is done.
    unread: CancellationToken,
    closed: CancellationToken,
}

struct State {
    /// `None` once the connection has ended, or the server no longer reads.
    writer: Option<Arc<dyn TryWrite>>,
    waiting: VecDeque<Waiting>,
    /// The estimated memory of `waiting`, including the message of it that is being written.
    weight: usize,
    /// Whether a thread is writing: one message, then the queue. It does not hold the lock
    /// meanwhile: the server may run before the write returns, and all other senders would wait.
    writing: bool,
}

/// A message that is not written yet, or only in part.
struct Waiting {
    line: Vec<u8>,
    written: usize,
    request: Option<RequestId>,
}

impl Waiting {
    fn weight(&self) -> usize {
        self.line.len() + MESSAGE_WEIGHT
    }
}

/// Spawns a task that reads and one that writes the queue. Both end with the connection.
pub fn open_lines<R, W>(
    read: R,
    write: W,
    limits: LineLimits,
    receiver: Arc<dyn Receiver>,
    tasks: &TaskTracker,
) -> Arc<LineCarrier>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: TryWrite,
{
    let writer: Arc<dyn TryWrite> = Arc::new(write);
    let state = State { writer: Some(writer), waiting: VecDeque::new(), weight: 0, writing: false };
    let shared = Arc::new(Shared {
        limits,
        receiver,
        state: Mutex::new(state),
        queued: Notify::new(),
        unread: CancellationToken::new(),
        closed: CancellationToken::new(),
    });
    tasks.spawn({
        let shared = Arc::clone(&shared);
        async move { shared.read_all(read).await }
    });
    tasks.spawn({
        let shared = Arc::clone(&shared);
        async move { shared.write_all().await }
    });
    Arc::new(LineCarrier(shared))
}

impl Carrier for LineCarrier {
    /// Writes on the calling thread where possible: a switch to another task would cost more than
    /// the write.
    fn send(&self, message: Outgoing) -> Result<(), SendError> {
        let mut line = message.text.into_bytes();
        on_one_line(&mut line);
        line.push(b'\n');
        let request = match message.kind {
            OutgoingKind::Request(head) => Some(head.id),
            OutgoingKind::OneWay { .. } => None,
        };
        self.0.send(Waiting { line, written: 0, request })
    }

    fn abandon(&self, _: &RequestId) {}

    fn greeted(&self, _: Revision) {}

    fn close(&self) {
        self.0.closed.cancel();
        self.0.end();
    }
}

impl Drop for LineCarrier {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn send(&self, mut message: Waiting) -> Result<(), SendError> {
        let mut state = self.lock();
        let Some(writer) = state.writer.clone() else { return Err(SendError::Ended) };
        if state.weight + message.weight() > self.limits.unsent_bytes {
            return Err(SendError::Full);
        }
        if state.writing || !state.waiting.is_empty() {
            // The thread that is writing will write this message too.
            state.weight += message.weight();
            state.waiting.push_back(message);
            return Ok(());
        }
        match self.write_unlocked(state, &*writer, &mut message) {
            Written::Whole(state) => {
                self.write_waiting(state);
                Ok(())
            }
            Written::Part(mut state) => {
                state.weight += message.weight();
                self.write_later(state, message);
                Ok(())
            }
            Written::Ended => Err(SendError::Ended),
        }
    }

    /// Leaves a message, and the queue behind it, to the writing task.
    fn write_later(&self, mut state: MutexGuard<'_, State>, message: Waiting) {
        state.waiting.push_front(message);
        drop(state);
        self.queued.notify_one();
    }

    /// Writes what the pipe takes of a message, without the lock; `writing` keeps others out.
    fn write_unlocked<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        writer: &dyn TryWrite,
        message: &mut Waiting,
    ) -> Written<'a> {
        state.writing = true;
        drop(state);
        let progress = write_some(writer, message);
        let mut state = self.lock();
        state.writing = false;
        match progress {
            Ok(Progress::Done) => Written::Whole(state),
            Ok(Progress::Blocked) if state.writer.is_some() => Written::Part(state),
            Ok(Progress::Blocked) => Written::Ended,
            Err(_) => {
                state.writer = None;
                drop(state);
                self.unread.cancel();
                Written::Ended
            }
        }
    }

    /// Writes the queue until the pipe takes no more.
    fn write_waiting<'a>(&'a self, mut state: MutexGuard<'a, State>) {
        loop {
            let Some(writer) = state.writer.clone().filter(|_| !state.writing) else { return };
            let Some(mut message) = state.waiting.pop_front() else { return };
            match self.write_unlocked(state, &*writer, &mut message) {
                Written::Whole(next) => {
                    state = next;
                    // `end` may have reset the weight to zero in the meantime.
                    state.weight = state.weight.saturating_sub(message.weight());
                }
                Written::Part(state) => return self.write_later(state, message),
                // If no byte of it was written, it is reported as unsent with the others.
                Written::Ended => return self.lock().waiting.push_front(message),
            }
        }
    }

    /// Writes the queue whenever the pipe takes more.
    async fn write_all(&self) {
        loop {
            tokio::select! {
                () = self.closed.cancelled() => return,
                () = self.unread.cancelled() => return,
                () = self.queued.notified() => {}
            }
            while let Some(writer) = self.blocked_writer() {
                tokio::select! {
                    () = self.closed.cancelled() => return,
                    () = self.unread.cancelled() => return,
                    // An error shows again at the next write.
                    _ = writer.writable() => self.write_waiting(self.lock()),
                }
            }
        }
    }

    fn blocked_writer(&self) -> Option<Arc<dyn TryWrite>> {
        let state = self.lock();
        // A thread that is writing notifies this task again if the pipe takes no more.
        state.writer.clone().filter(|_| !state.waiting.is_empty() && !state.writing)
    }

    /// Passes every line to the receiver until the input ends.
    async fn read_all(&self, mut read: impl AsyncRead + Send + Unpin) {
        let reading = self.read_lines(&mut read);
        let why = tokio::select! {
            () = self.closed.cancelled() => return,
            why = reading => why,
            why = self.unread_for_long() => why,
        };
        let unsent = self.end();
        // A client that has closed the connection meanwhile wants no more reports.
        if self.closed.is_cancelled() {
            return;
        }
        for request in unsent {
            self.receiver.lost(&request, Loss::Unsent(why.as_str().into()));
        }
        self.receiver.ended(&why);
    }

    async fn read_lines(&self, read: &mut (impl AsyncRead + Send + Unpin)) -> String {
        let mut framer = LineFramer::new(self.limits.line_bytes);
        let mut buffer = vec![0; READ_SIZE];
        let mut lines = Vec::new();
        loop {
            let end = match read.read(&mut buffer).await {
                Ok(0) => Some("the server closed its output".to_owned()),
                Ok(count) => {
                    framer.push(&buffer[..count], &mut lines);
                    None
                }
                Err(error) => Some(format!("the server's output cannot be read: {error}")),
            };
            if end.is_some() {
                framer.finish(&mut lines);
            }
            for line in lines.drain(..) {
                if self.closed.is_cancelled() {
                    break;
                }
                self.receiver.received(line.decode(), None);
            }
            if let Some(why) = end {
                return why;
            }
        }
    }

    async fn unread_for_long(&self) -> String {
        self.unread.cancelled().await;
        tokio::time::sleep(DRAIN_TIMEOUT).await;
        "the server closed its input".to_owned()
    }

    /// Stops all sending, and returns the queued requests that were not even begun.
    fn end(&self) -> Vec<RequestId> {
        let mut state = self.lock();
        state.writer = None;
        state.weight = 0;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        // The writing task may still hold the writer.
        self.unread.cancel();
        let unbegun = waiting.into_iter().filter(|message| message.written == 0);
        unbegun.filter_map(|message| message.request).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing between lock and unlock can panic with the queue half changed.
        self.state.lock()
    }
}

enum Progress {
    Done,
    Blocked,
}

/// What became of a message, with the lock if the connection goes on.
enum Written<'a> {
    Whole(MutexGuard<'a, State>),
    Part(MutexGuard<'a, State>),
    /// The server no longer reads, or the connection has ended.
    Ended,
}

fn write_some(writer: &dyn TryWrite, message: &mut Waiting) -> io::Result<Progress> {
    while message.written < message.line.len() {
        match writer.try_write(&message.line[message.written..]) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => message.written += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                return Ok(Progress::Blocked);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Progress::Done)
}

/// A link for the serve loop over two streams. Both tasks end when the link is dropped and its
/// outbox is written, or when the other side is gone.
pub fn link_over<R, W>(read: R, write: W, limits: LineLimits, tasks: &TaskTracker) -> Link
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let outbox = Arc::new(Outbox::new(OutboxLimits::default()));
    let (sender, lines) = mpsc::channel(Link::WAITING_READS);
    tasks.spawn(read_link(read, limits.line_bytes, sender));
    tasks.spawn(write_link(write, Arc::clone(&outbox)));
    Link { lines, outbox }
}

async fn read_link(
    mut read: impl AsyncRead + Send + Unpin,
    line_limit: usize,
    sender: mpsc::Sender<Vec<Line>>,
) {
    let mut framer = LineFramer::new(line_limit);
    let mut buffer = vec![0; READ_SIZE];
    loop {
        let count = tokio::select! {
            () = sender.closed() => return,
            // A read error counts as the end of the connection.
            count = read.read(&mut buffer) => count.unwrap_or(0),
        };
        let mut lines = Vec::new();
        match count {
            0 => framer.finish(&mut lines),
            _ => framer.push(&buffer[..count], &mut lines),
        }
        if !lines.is_empty() && sender.send(lines).await.is_err() || count == 0 {
            return;
        }
    }
}

async fn write_link(mut write: impl AsyncWrite + Send + Unpin, outbox: Arc<Outbox>) {
    let mut buffer = Vec::new();
    while let Some(frame) = outbox.frame().await {
        append(&mut buffer, &frame.bytes);
        // Gather the waiting frames into one write, as long as it stays small.
        while buffer.len() < READ_SIZE
            && let Some(frame) = outbox.try_frame()
        {
            append(&mut buffer, &frame.bytes);
        }
        if let Err(error) = write_while_read(&mut write, &buffer).await {
            tracing::debug!(%error, "a client reads no more");
            outbox.close();
            return;
        }
        buffer.clear();
        buffer.shrink_to(4 * READ_SIZE);
    }
    // The other side has every byte; whether it also sees the end changes nothing.
    drop(timeout(STALL_TIMEOUT, write.shutdown()).await);
}

/// Writes all bytes, as long as the other side reads some of them within each `STALL_TIMEOUT`.
async fn write_while_read(
    write: &mut (impl AsyncWrite + Send + Unpin),
    mut rest: &[u8],
) -> io::Result<()> {
    while !rest.is_empty() {
        match timeout(STALL_TIMEOUT, write.write(rest)).await?? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            count => rest = &rest[count..],
        }
    }
    Ok(())
}
