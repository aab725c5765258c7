//! Drives a command from its start to its end: reads its output, writes its input, and ends it when
//! its time is over or its stop switch is used.
//!
//! Both pipes are read to their end, so only a receiver that must get everything slows a program
//! down. Dropping the future kills every process that the command has started.

use super::stop_switch::{StopCause, StopManner, StopSwitch};
use super::utf8_stream::{TextValidity, Utf8Stream};
use hobnob_mcp_engine::OutputStream;
use hobnob_mcp_process::runner::{CommandEnd, InputPipe, OutputPipe, ProcessPipes, ProcessTree};
use std::pin::pin;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// How long a command has to exit after it was asked to, before its process tree is killed.
pub(crate) const GRACE: Duration = Duration::from_secs(1);
/// How long the pipes of a command may stay open after its end. All processes that held them are
/// dead by then, so only a kernel that cannot kill a process causes a wait.
pub(crate) const DRAIN: Duration = Duration::from_secs(2);
/// Size of later reads, once a read has filled its buffer.
const READ_BYTES: usize = 64 * 1024;
/// Size of the first read: most commands write little, and the buffer has to be zeroed first.
const FIRST_READ_BYTES: usize = 1024;

/// The next input for a program.
#[derive(Debug)]
pub(crate) enum InputPiece {
    /// Some bytes, cut anywhere.
    Bytes(Vec<u8>),
    /// The end of its input.
    End,
}

/// What is written to a program's standard input.
#[derive(Debug)]
pub(crate) enum ProgramInput {
    /// These bytes, then the end of input.
    Whole(Vec<u8>),
    /// These bytes, then the pieces from the channel up to its end.
    Open(Vec<u8>, mpsc::Receiver<InputPiece>),
}

/// How a command ended, for its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommandOutcome {
    pub(crate) end: CommandEnd,
    /// Why Hobnob ended it; `None` if it ended by itself.
    pub(crate) stopped: Option<StopCause>,
    pub(crate) validity: TextValidity,
    pub(crate) duration: Duration,
}

/// Receives a command's output piece by piece.
pub(crate) trait OutputReceiver: Send + Sync {
    /// Waits until there is room for another piece. Meanwhile nothing is read, so the program
    /// blocks once its pipe is full. Dropping the future loses nothing.
    fn room(&self) -> impl Future<Output = ()> + Send;

    /// Takes a piece of output, which is never empty.
    fn receive(&mut self, stream: OutputStream, text: &str);
}

/// Runs a command to its end, for at most `limit`, and passes its output to the receiver.
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
    // Most commands have already ended before the first wait.
    let mut end: Option<CommandEnd> = tree.report().map(|report| report.end);
    let running = Ending::Running { until: began + limit };
    let mut ending = if end.is_some() { running.over() } else { running };
    loop {
        if end.is_some() && stdout.is_over() && stderr.is_over() {
            break;
        }
        if end.is_some() {
            // Time that the receiver takes does not count against the time to drain the pipes.
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

/// How close a command is to its end.
#[derive(Debug, Clone, Copy)]
enum Ending {
    /// It runs, until `until` at most.
    Running { until: Instant },
    /// It was asked to exit, and is killed at `kill_at`.
    Terminating { cause: StopCause, kill_at: Instant },
    /// It was killed, and must have ended by `gone_by`.
    Killed { cause: StopCause, gone_by: Instant },
    /// It has ended, and its pipes must be drained by `drained_by`.
    Over { cause: Option<StopCause>, drained_by: Instant },
}

impl Ending {
    fn cause(self) -> Option<StopCause> {
        match self {
            Self::Running { .. } => None,
            Self::Terminating { cause, .. } | Self::Killed { cause, .. } => Some(cause),
            Self::Over { cause, .. } => cause,
        }
    }

    fn may_be_stopped(self) -> bool {
        match self {
            Self::Running { .. } => true,
            Self::Terminating { .. } | Self::Killed { .. } | Self::Over { .. } => false,
        }
    }

    fn over(self) -> Self {
        Self::Over { cause: self.cause(), drained_by: Instant::now() + DRAIN }
    }

    /// The same state with more time to drain the pipes.
    fn postponed(self, by: Duration) -> Self {
        match self {
            Self::Over { cause, drained_by } => Self::Over { cause, drained_by: drained_by + by },
            Self::Running { .. } | Self::Terminating { .. } | Self::Killed { .. } => self,
        }
    }

    fn next_step(self) -> Instant {
        match self {
            Self::Running { until } => until,
            Self::Terminating { kill_at, .. } => kill_at,
            Self::Killed { gone_by, .. } => gone_by,
            Self::Over { drained_by, .. } => drained_by,
        }
    }

    /// The state after this state's deadline; `None` if there is nothing left to wait for.
    fn step(self, tree: &mut ProcessTree) -> Option<Self> {
        match self {
            Self::Running { .. } => Some(stop_tree(tree, StopCause::Timeout)),
            Self::Terminating { cause, .. } => Some(kill(tree, cause)),
            Self::Killed { .. } | Self::Over { .. } => None,
        }
    }
}

fn stop_tree(tree: &mut ProcessTree, cause: StopCause) -> Ending {
    match cause.manner() {
        StopManner::Politely => {
            tree.terminate();
            Ending::Terminating { cause, kill_at: Instant::now() + GRACE }
        }
        StopManner::AtOnce => kill(tree, cause),
    }
}

fn kill(tree: &mut ProcessTree, cause: StopCause) -> Ending {
    tree.kill();
    // The pool gives up on a runner that cannot end its processes; this deadline is a little later.
    Ending::Killed { cause, gone_by: Instant::now() + 3 * DRAIN }
}

/// Writes the input to its end. A program that does not read its input blocks only itself.
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
    // A program may exit or close its input without having read it all.
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

/// One output stream of a program, decoded as text.
struct PipeReader {
    stream: OutputStream,
    /// `None` once the stream has ended.
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

    /// The next text, which may be empty, once the receiver has room. Dropping the future loses
    /// nothing.
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
