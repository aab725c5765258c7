//! The loop over one pipe: read, begin, go on reading. Nothing that takes time happens here.
//!
//! Programs call it for standard input and output, for sockets and for pipes in memory. A peer that
//! does not read its answers is not read from.

use crate::reply::{PendingReply, ReadyReply, Reply, ReplyScope, send_ready};
use crate::server::Server;
use crate::session::{Eras, Session};
use futures_util::FutureExt as _;
use hobnob_mcp_engine::{ClientId, NoRandomness, Principal, random_token};
use hobnob_mcp_transport::{DirectWriter, Line, LineHandler, Link, Outbox, Stdio};
use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// How long a client may take to read the last answers.
const LAST_FLUSH: Duration = Duration::from_secs(1);
/// How often we look whether a peer that is far behind has read on.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// As many calls at once whose answers are written one by one.
const FEW_CALLS: usize = 4;

/// Answers on standard input and output until the input ends or the server stops.
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
        unread: server.limits().backlog_bytes,
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
    // An output that nobody reads must not keep the process.
    let flushed = tokio::task::spawn_blocking(move || stdio.flush());
    drop(tokio::time::timeout(LAST_FLUSH, flushed).await);
    Ok(())
}

/// What the threads that read standard input do with its lines.
struct StdinReader {
    /// Gone at the end: a reading thread may stay in a read for as long as the process lives; what
    /// the server is made of must not stay with it, since some of it closes in order only when it is
    /// dropped.
    pipe: Mutex<Option<Pipe>>,
    calls: TaskTracker,
    runtime: Handle,
    outbox: Arc<Outbox>,
    writer: DirectWriter,
    unread: usize,
}

/// A call that was begun on the pipe; the pipe waits for it at its end.
struct BegunCall {
    work: PendingReply,
    open: TaskTrackerToken,
}

impl LineHandler for StdinReader {
    type Work = BegunCall;
    type Answer = (ReadyReply, TaskTrackerToken);

    fn begin(&self, line: Line) -> Option<BegunCall> {
        // A client that asks on and on without reading the answers is not listened to meanwhile.
        self.outbox.wait_below(self.unread);
        let pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        let work = pipe.as_ref()?.begin(line)?;
        Some(BegunCall { work, open: self.calls.token() })
    }

    /// Most calls are done when they are polled once: a task, and the switches to two other
    /// threads, would cost a third of the whole.
    fn run_here(&self, BegunCall { mut work, open }: BegunCall) -> Option<Self::Answer> {
        let mut context = Context::from_waker(Waker::noop());
        let poll = AssertUnwindSafe(|| work.as_mut().poll(&mut context));
        match std::panic::catch_unwind(poll) {
            Ok(Poll::Ready(answer)) => Some((answer?, open)),
            Ok(Poll::Pending) => {
                // A task polls it again, with a waker that counts.
                self.run_elsewhere(BegunCall { work, open });
                None
            }
            Err(_) => {
                tracing::error!("a call panicked outside of its handler");
                None
            }
        }
    }

    /// Writes an answer from this thread if nobody is before it.
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

    /// The task that ends the call writes its answer too, if it can without blocking: to wake the
    /// writing thread would be one more switch between threads while the client waits.
    fn run_elsewhere(&self, call: BegunCall) {
        let (calls, writer) = (self.calls.clone(), self.writer.clone());
        let work = call.work.map(move |answer: Option<ReadyReply>| {
            let Some(answer) = answer else { return };
            // With many calls at once, one write for several answers costs less than the switch.
            if calls.len() > FEW_CALLS {
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
        *self.pipe.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Answers on a link until its input ends or the server stops. Links are independent of each
/// other, and one process may serve many at once.
pub async fn serve_link(server: &Server, link: Link) {
    serve_link_as(server, link, Principal::anonymous()).await;
}

/// Answers on a link, for a peer whom the transport has authenticated.
pub async fn serve_link_as(server: &Server, link: Link, principal: Principal) {
    serve_link_for(server, link, principal, ClientId::next()).await;
}

/// Answers on a link, for a peer that the transport has given a name: one with an address.
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
    let unread = server.limits().backlog_bytes;
    loop {
        // A peer that asks on and on without reading the answers is not listened to meanwhile.
        let is_behind = link.outbox.backlog() > unread;
        tokio::select! {
            () = server.stopping() => break,
            () = link.outbox.closed() => break,
            () = tokio::time::sleep(LOOK_AGAIN), if is_behind => {}
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

/// One pipe: its peer, and the calls that peer has begun.
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
        // Tasks belong to whoever has this name, so no other client may be able to guess it.
        let name = random_token()?;
        Ok(Self {
            session: Session::new(server, Eras::Both, principal, client, &name, Arc::clone(outbox)),
            reply: Reply::new(Arc::clone(outbox), ReplyScope::Connection),
            calls: TaskTracker::new(),
            drain: server.limits().drain,
        })
    }

    /// Takes a line; what it leaves to do must be run elsewhere.
    fn begin(&self, line: Line) -> Option<PendingReply> {
        self.session.receive(line.decode(), &self.reply)
    }

    /// Lets calls that have begun finish for a while, then ends the rest; once nobody reads answers any
    /// more, all of them end at once.
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
