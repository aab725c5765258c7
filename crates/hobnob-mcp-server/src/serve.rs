//! Serves one pipe until its input ends or the server stops: reads lines and begins their requests.
//!
//! Programs call it for standard input and output, for sockets and for in-memory pipes. On a link,
//! a loop reads and tasks run the calls; on standard input, the threads that read also run calls.
//! Backpressure: both stop reading from a peer that does not read its answers.

use crate::reply::{PendingReply, ReadyReply, Reply, ReplyScope, send_ready};
use crate::server::Server;
use crate::server_builder::ServerBuilder;
use crate::session::{Eras, Session};
use futures_util::FutureExt as _;
use hobnob_mcp_engine::{ClientId, NoRandomness, Principal, random_token};
use hobnob_mcp_transport::{DirectWriter, Line, LineHandler, Link, Outbox, Stdio};
use parking_lot::Mutex;
use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// How long a client may take to read the last answers.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);
/// How often the loop checks whether a slow reader has caught up.
const BACKLOG_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// With more calls in flight, answers are queued and written together.
const MAX_DIRECT_CALLS: usize = 4;

/// Answers on standard input and output, until the input ends or the server stops.
pub async fn serve_stdio(server: &Server) -> io::Result<()> {
    let stdio = Stdio::open()?;
    let pipe = Pipe::new(server, stdio.outbox(), Principal::anonymous(), ClientId::next());
    let pipe = pipe.map_err(io::Error::other)?;
    let reader = Arc::new(StdinReader {
        pipe: Mutex::new(Some(pipe.clone())),
        calls: pipe.calls.clone(),
        runtime: Handle::current(),
        outbox: Arc::clone(stdio.outbox()),
        writer: stdio.direct_writer(),
        max_unread_bytes: server.limits().backlog_bytes,
    });
    let line_bytes = server.limits().line_bytes;
    let ended = Stdio::read(line_bytes, Arc::clone(&reader), &Handle::current())?;
    tokio::select! {
        () = server.stopping() => {}
        () = stdio.outbox().closed() => {}
        _ = ended => {}
    }
    pipe.drain().await;
    reader.forget_pipe();
    // An output that the client does not read must not keep the process alive.
    let flushed = tokio::task::spawn_blocking(move || stdio.flush());
    drop(tokio::time::timeout(FLUSH_TIMEOUT, flushed).await);
    Ok(())
}

impl ServerBuilder {
    /// Builds the server and serves it on standard input and output, on a runtime of its own, until
    /// the input ends. A program with a runtime calls [`serve_stdio`].
    pub fn run_stdio(self) -> io::Result<()> {
        let server = self.build().map_err(io::Error::other)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(serve_stdio(&server))
    }
}

/// Handles the lines of standard input, on the threads that read it.
struct StdinReader {
    /// Taken away at the end: a reading thread may block in `read` for as long as the process
    /// lives. It must not keep the server's parts alive meanwhile, because some of them close
    /// properly only when they are dropped.
    pipe: Mutex<Option<Pipe>>,
    calls: TaskTracker,
    runtime: Handle,
    outbox: Arc<Outbox>,
    writer: DirectWriter,
    max_unread_bytes: usize,
}

/// A call begun on the pipe. The token makes the pipe's end wait for it.
struct BegunCall {
    work: PendingReply,
    open: TaskTrackerToken,
}

impl LineHandler for StdinReader {
    type Work = BegunCall;
    type Answer = (ReadyReply, TaskTrackerToken);

    fn begin(&self, line: Line) -> Option<BegunCall> {
        // Backpressure: wait until the client has read enough of its answers.
        self.outbox.wait_below(self.max_unread_bytes);
        let pipe = self.pipe.lock();
        let work = pipe.as_ref()?.begin(line)?;
        Some(BegunCall { work, open: self.calls.token() })
    }

    /// Polls the call once on this thread, which completes most calls: spawning a task and
    /// switching to two other threads would add a third to the total time.
    fn run_here(&self, BegunCall { mut work, open }: BegunCall) -> Option<Self::Answer> {
        let mut context = Context::from_waker(Waker::noop());
        let poll = AssertUnwindSafe(|| work.as_mut().poll(&mut context));
        match std::panic::catch_unwind(poll) {
            Ok(Poll::Ready(answer)) => Some((answer?, open)),
            Ok(Poll::Pending) => {
                // A task polls it again, with a real waker.
                self.run_elsewhere(BegunCall { work, open });
                None
            }
            Err(_) => {
                tracing::error!("a call panicked outside of its handler");
                None
            }
        }
    }

    /// Writes an answer from this thread, if no other thread is writing.
    fn deliver(&self, (answer, open): Self::Answer) {
        let frame = match answer.into_frame() {
            Ok(frame) => frame,
            Err(answer) => return answer.send(),
        };
        match self.writer.claim() {
            Some(claim) => {
                // A client that does not read must not keep the pipe from ending.
                drop(open);
                claim.write(&frame);
            }
            None => self.outbox.reply(frame.bytes, None),
        }
    }

    /// Runs the call in a task, which also writes the answer if it can do so without blocking:
    /// waking the writer thread would be one more switch while the client waits.
    fn run_elsewhere(&self, call: BegunCall) {
        let (calls, writer) = (self.calls.clone(), self.writer.clone());
        let work = call.work.map(move |answer: Option<ReadyReply>| {
            let Some(answer) = answer else { return };
            // With many calls in flight, one write for several answers is cheaper than the switch.
            if calls.len() > MAX_DIRECT_CALLS {
                return answer.send();
            }
            match answer.into_frame() {
                Ok(frame) => writer.send(frame),
                Err(answer) => answer.send(),
            }
        });
        self.calls.spawn_on(work, &self.runtime);
    }
}

impl StdinReader {
    fn forget_pipe(&self) {
        *self.pipe.lock() = None;
    }
}

/// Answers on a link until its input ends or the server stops. Links are independent; one process
/// may serve many at once.
pub async fn serve_link(server: &Server, link: Link) {
    serve_link_as(server, link, Principal::anonymous()).await;
}

/// Answers on a link for a peer that the transport has authenticated.
pub async fn serve_link_as(server: &Server, link: Link, principal: Principal) {
    serve_link_for(server, link, principal, ClientId::next()).await;
}

/// Answers on a link for a peer to which the transport gave an id, such as one with an address.
pub async fn serve_link_for(
    server: &Server,
    mut link: Link,
    principal: Principal,
    client: ClientId,
) {
    let pipe = match Pipe::new(server, &link.outbox, principal, client) {
        Ok(pipe) => pipe,
        Err(error) => {
            tracing::error!(%error, "a connection was refused");
            return;
        }
    };
    let max_unread_bytes = server.limits().backlog_bytes;
    loop {
        // Backpressure: a slow reader's lines stay unread until it has caught up.
        let is_behind = link.outbox.backlog() > max_unread_bytes;
        tokio::select! {
            () = server.stopping() => break,
            () = link.outbox.closed() => break,
            () = tokio::time::sleep(BACKLOG_POLL_INTERVAL), if is_behind => {}
            lines = link.lines.recv(), if !is_behind => match lines {
                Some(lines) => lines.into_iter().filter_map(|line| pipe.begin(line)).for_each(|work| {
                    pipe.calls.spawn(work.map(send_ready));
                }),
                None => break,
            },
        }
    }
    pipe.drain().await;
}

/// One pipe: its session and the calls in flight.
#[derive(Clone)]
struct Pipe {
    session: Arc<Session>,
    reply: Reply,
    calls: TaskTracker,
    drain: Duration,
}

impl Pipe {
    fn new(
        server: &Server,
        outbox: &Arc<Outbox>,
        principal: Principal,
        client: ClientId,
    ) -> Result<Self, NoRandomness> {
        // Tasks belong to this name, so it must be unguessable for other clients.
        let name = random_token()?;
        Ok(Self {
            session: Session::new(server, Eras::Both, principal, client, &name, Arc::clone(outbox)),
            reply: Reply::new(Arc::clone(outbox), ReplyScope::Connection),
            calls: TaskTracker::new(),
            drain: server.limits().drain,
        })
    }

    /// Handles a line. The returned work must be run elsewhere.
    fn begin(&self, line: Line) -> Option<PendingReply> {
        self.session.receive(line.decode(), &self.reply)
    }

    /// Graceful shutdown: lets calls finish until the drain timeout, then cancels the rest. If the
    /// peer stops reading answers, all calls end at once.
    async fn drain(&self) {
        self.session.close_input();
        self.calls.close();
        let finished = async {
            tokio::select! {
                () = self.calls.wait() => {}
                () = self.reply.outbox().closed() => {}
            }
        };
        if tokio::time::timeout(self.drain, finished).await.is_err() {
            tracing::warn!(calls = self.calls.len(), "cancelling calls that still run");
        }
        self.session.end();
        self.calls.wait().await;
    }
}
