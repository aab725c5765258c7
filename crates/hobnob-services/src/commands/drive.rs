//! A command from its start to its end: its output is read as it comes, its input is written, and it is
//! ended when its time is over or somebody says so.
//!
//! Both pipes are read to their end whatever the program writes, so that only a receiver that must get
//! everything holds it up. Dropping the future kills everything that the command has started.

use super::stop_switch::{StopCause, StopManner, StopSwitch};
use super::utf8_stream::{TextValidity, Utf8Stream};
use hobnob_mcp_engine::OutputStream;
use hobnob_mcp_process::runner::{CommandEnd, InputPipe, OutputPipe, ProcessPipes, ProcessTree};
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// How long a command that was told to end may take to do so, before everything of it is killed.
pub(crate) const GRACE: Duration = Duration::from_secs(1);
/// How long the pipes of a command may stay open after its end: all that held them is dead by then,
/// so only a kernel that cannot kill a process makes us wait.
pub(crate) const DRAIN: Duration = Duration::from_secs(2);
/// Bytes that one read takes at most.
const READ_BYTES: usize = 64 * 1024;
/// Bytes that the first read takes: most commands write little, and what they write goes into memory
/// that has to be cleared before.
const FIRST_READ_BYTES: usize = 1024;

/// What a program is to read next.
#[derive(Debug)]
pub(crate) enum InputPiece {
    /// These bytes, cut anywhere.
    Bytes(Vec<u8>),
    /// The end of its input.
    End,
}

/// What is written to a program's standard input.
#[derive(Debug)]
pub(crate) enum ProgramInput {
    /// These bytes, and then its end.
    Whole(Vec<u8>),
    /// These bytes, and then what comes until the end is said.
    Open(Vec<u8>, mpsc::Receiver<InputPiece>),
}

/// How a command ended, as its result says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommandOutcome {
    pub(crate) end: CommandEnd,
    /// Why it was ended, if it did not end by itself.
    pub(crate) stopped: Option<StopCause>,
    pub(crate) validity: TextValidity,
    pub(crate) duration: Duration,
}

/// Takes a command's output piece by piece.
pub(crate) trait OutputReceiver: Send + Sync {
    /// Waits until another piece may come. Nothing is read from the program meanwhile, so it is held up
    /// as soon as its pipe is full. Nothing is lost if the future is dropped.
    fn room(&self) -> impl Future<Output = ()> + Send;

    /// Takes a piece, which is not empty.
    fn receive(&mut self, stream: OutputStream, text: &str);
}

/// Runs a command to its end, for at most `limit`, and hands over each piece of its output.
pub(crate) async fn drive(
    mut tree: ProcessTree,
    pipes: ProcessPipes,
    input: ProgramInput,
    limit: Duration,
    stop: &StopSwitch,
    receiver: &mut impl OutputReceiver,
) -> CommandOutcome {
    let began = Instant::now();
    let mut stdout = PipeReader::new(OutputStream::Stdout, pipes.stdout);
    let mut stderr = PipeReader::new(OutputStream::Stderr, pipes.stderr);
    let mut fed = pipes.stdin.is_none();
    let mut feeding = pin!(feed(pipes.stdin, input));
    // Most commands have ended before anybody listens to them.
    let mut end: Option<CommandEnd> = tree.report().map(|report| report.end);
    let running = Ending::Running { until: began + limit };
    let mut ending = if end.is_some() { running.over() } else { running };
    loop {
        if end.is_some() && stdout.is_over() && stderr.is_over() {
            break;
        }
        if end.is_some() {
            // The time to drain pipes is for those who hold them, not for a receiver that is slow.
            let asked = Instant::now();
            receiver.room().await;
            ending = ending.postponed(asked.elapsed());
        }
        tokio::select! {
            text = stdout.next(receiver), if !stdout.is_over() => stdout.hand_over(&text, receiver),
            text = stderr.next(receiver), if !stderr.is_over() => stderr.hand_over(&text, receiver),
            () = &mut feeding, if !fed => fed = true,
            report = tree.ended(), if end.is_none() => {
                end = Some(report.end);
                ending = ending.over();
            }
            cause = stop.stopped(), if ending.may_be_stopped() => ending = stop_tree(&mut tree, cause),
            () = sleep_until(ending.next_step()) => match ending.step(&mut tree) {
                Some(next) => ending = next,
                None => break,
            },
        }
    }
    let validity = match (stdout.validity(), stderr.validity()) {
        (TextValidity::Valid, TextValidity::Valid) => TextValidity::Valid,
        (TextValidity::Replaced, _) | (_, TextValidity::Replaced) => TextValidity::Replaced,
    };
    let end = end.unwrap_or(CommandEnd::Killed);
    CommandOutcome { end, stopped: ending.cause(), validity, duration: began.elapsed() }
}

/// How far a command is from its end.
#[derive(Debug, Clone, Copy)]
enum Ending {
    /// It may run until then.
    Running { until: Instant },
    /// It was told to end, and is killed then.
    Told { cause: StopCause, kill_at: Instant },
    /// It was killed, and must be gone by then.
    Killed { cause: StopCause, gone_by: Instant },
    /// It has ended, and its pipes must have by then.
    Over { cause: Option<StopCause>, drained_by: Instant },
}

impl Ending {
    fn cause(self) -> Option<StopCause> {
        match self {
            Self::Running { .. } => None,
            Self::Told { cause, .. } | Self::Killed { cause, .. } => Some(cause),
            Self::Over { cause, .. } => cause,
        }
    }

    fn may_be_stopped(self) -> bool {
        match self {
            Self::Running { .. } => true,
            Self::Told { .. } | Self::Killed { .. } | Self::Over { .. } => false,
        }
    }

    fn over(self) -> Self {
        Self::Over { cause: self.cause(), drained_by: Instant::now() + DRAIN }
    }

    /// The same state with that much more time for pipes to be drained.
    fn postponed(self, by: Duration) -> Self {
        match self {
            Self::Over { cause, drained_by } => Self::Over { cause, drained_by: drained_by + by },
            Self::Running { .. } | Self::Told { .. } | Self::Killed { .. } => self,
        }
    }

    fn next_step(self) -> Instant {
        match self {
            Self::Running { until } => until,
            Self::Told { kill_at, .. } => kill_at,
            Self::Killed { gone_by, .. } => gone_by,
            Self::Over { drained_by, .. } => drained_by,
        }
    }

    /// What comes after the time of this state is over; nothing if there is no more to wait for.
    fn step(self, tree: &mut ProcessTree) -> Option<Self> {
        match self {
            Self::Running { .. } => Some(stop_tree(tree, StopCause::Timeout)),
            Self::Told { cause, .. } => Some(kill(tree, cause)),
            Self::Killed { .. } | Self::Over { .. } => None,
        }
    }
}

fn stop_tree(tree: &mut ProcessTree, cause: StopCause) -> Ending {
    match cause.manner() {
        StopManner::Politely => {
            tree.terminate();
            Ending::Told { cause, kill_at: Instant::now() + GRACE }
        }
        StopManner::AtOnce => kill(tree, cause),
    }
}

fn kill(tree: &mut ProcessTree, cause: StopCause) -> Ending {
    tree.kill();
    // The pool gives up on a runner that cannot empty itself; this is a little later.
    Ending::Killed { cause, gone_by: Instant::now() + 3 * DRAIN }
}

/// Writes input until its end. A program that does not read holds up nobody but itself.
async fn feed(pipe: Option<InputPipe>, input: ProgramInput) {
    let Some(pipe) = pipe else { return };
    let (first, more) = match input {
        ProgramInput::Whole(bytes) => (bytes, None),
        ProgramInput::Open(bytes, more) => (bytes, Some(more)),
    };
    let mut pipe = match pipe.into_sender() {
        Ok(pipe) => pipe,
        Err(error) => return tracing::warn!(%error, "a command gets no input"),
    };
    // A program may end or close its input without having read it all.
    if pipe.write_all(&first).await.is_err() {
        return;
    }
    let Some(mut more) = more else { return };
    while let Some(InputPiece::Bytes(bytes)) = more.recv().await {
        if pipe.write_all(&bytes).await.is_err() {
            return;
        }
    }
}

/// One stream of a program, as text.
struct PipeReader {
    stream: OutputStream,
    /// Gone once the stream has ended.
    pipe: Option<OutputPipe>,
    text: Utf8Stream,
    buffer: Vec<u8>,
}

impl PipeReader {
    fn new(stream: OutputStream, pipe: OutputPipe) -> Self {
        let (text, buffer) = (Utf8Stream::default(), vec![0; FIRST_READ_BYTES]);
        Self { stream, pipe: Some(pipe), text, buffer }
    }

    fn is_over(&self) -> bool {
        self.pipe.is_none()
    }

    fn validity(&self) -> TextValidity {
        self.text.validity()
    }

    /// The next text, which may be empty, once there is room for it. Nothing is lost if the future is
    /// dropped.
    async fn next(&mut self, receiver: &impl OutputReceiver) -> String {
        receiver.room().await;
        let Some(pipe) = &mut self.pipe else { return String::new() };
        match pipe.read(&mut self.buffer).await {
            Ok(count) if count > 0 => {
                let text = self.text.push(&self.buffer[..count]);
                if count == self.buffer.len() {
                    self.buffer.resize(READ_BYTES, 0);
                }
                text
            }
            Ok(_) => self.end(),
            Err(error) => {
                tracing::debug!(%error, stream = self.stream.as_str(), "output cannot be read");
                self.end()
            }
        }
    }

    fn hand_over(&self, text: &str, receiver: &mut impl OutputReceiver) {
        if !text.is_empty() {
            receiver.receive(self.stream, text);
        }
    }

    fn end(&mut self) -> String {
        self.pipe = None;
        self.text.finish()
    }
}
