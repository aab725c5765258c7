//! The child and its pipes: requests go in under ids of our own, answers go back to their callers.
#![expect(clippy::disallowed_types, reason = "a baseline has the standard library alone")]

use std::collections::HashMap;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{Mutex as AsyncMutex, oneshot};

use crate::message::id_in;

/// Space reserved for each read, as much as a pipe holds.
const READ_BYTES: usize = 64 * 1024;

/// A message without its id: the text before it and the text after it.
pub(crate) struct Around {
    pub(crate) before: Bytes,
    pub(crate) after: Bytes,
}

/// The half that sends requests.
pub(crate) struct Upstream {
    input: AsyncMutex<ChildStdin>,
    waiting: Mutex<Waiting>,
    /// Kills the child when the last reference is dropped.
    _child: Child,
}

#[derive(Default)]
struct Waiting {
    asked: u64,
    callers: HashMap<u64, oneshot::Sender<Around>>,
}

/// Starts the child; the returned future delivers its answers for as long as the child lives.
pub(crate) fn start(
    program: &str,
    arguments: &[String],
) -> anyhow::Result<(Arc<Upstream>, impl Future<Output = anyhow::Result<()>> + use<>)> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    let input = AsyncMutex::new(child.stdin.take().context("no standard input")?);
    let output = child.stdout.take().context("no standard output")?;
    let upstream = Arc::new(Upstream { input, waiting: Mutex::default(), _child: child });
    let answers = Arc::clone(&upstream).hand_out(output);
    Ok((upstream, answers))
}

impl Upstream {
    /// Sends a request and waits for its answer.
    pub(crate) async fn ask(&self, request: Around) -> anyhow::Result<Around> {
        let (caller, answer) = oneshot::channel();
        let id = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.asked += 1;
            let id = waiting.asked;
            waiting.callers.insert(id, caller);
            id
        };
        let id = Bytes::from(id.to_string());
        self.send(request.before.chain(id).chain(request.after)).await?;
        Ok(answer.await?)
    }

    /// Sends a notification, or the parts of a request.
    pub(crate) async fn send(&self, message: impl Buf) -> anyhow::Result<()> {
        let mut line = message.chain(&b"\n"[..]);
        let mut input = self.input.lock().await;
        // As few system calls as the pipe allows.
        input.write_all_buf(&mut line).await?;
        Ok(())
    }

    async fn hand_out(self: Arc<Self>, mut output: ChildStdout) -> anyhow::Result<()> {
        let mut arrived = BytesMut::new();
        let mut searched = 0;
        loop {
            arrived.reserve(READ_BYTES);
            anyhow::ensure!(output.read_buf(&mut arrived).await? > 0, "the child has ended");
            while let Some(end) = memchr::memchr(b'\n', &arrived[searched..]) {
                let line = arrived.split_to(searched + end).freeze();
                arrived.advance(1);
                searched = 0;
                self.answered(&line)?;
            }
            searched = arrived.len();
        }
    }

    fn answered(&self, line: &Bytes) -> anyhow::Result<()> {
        let id = id_in(line)?.context("the child says something that is no answer")?;
        let number: u64 = std::str::from_utf8(&line[id.clone()])?.parse()?;
        let caller = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.callers.remove(&number)
        };
        let answer = Around { before: line.slice(..id.start), after: line.slice(id.end..) };
        // The caller may be gone and need no answer.
        let _ = caller.context("an answer to nothing that was asked")?.send(answer);
        Ok(())
    }
}
