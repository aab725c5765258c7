//! Runs a program of the system and reads its output: bounded in bytes and in time. The program and
//! its children are killed as soon as their output is no longer needed.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::logs::control::LogControl;
use crate::logs::limits::ReadBounds;
use crate::logs::problem::LogError;

/// Bytes that are read from the program at once.
const BLOCK: usize = 64 << 10;
/// How many blocks may be queued; then the program has to wait.
const MAX_QUEUED_BLOCKS: usize = 4;
/// The interval between two checks for cancellation.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// A program that reads logs, by the path of its file.
#[derive(Debug, Clone)]
pub struct LogProgram {
    file: PathBuf,
    leading: Vec<OsString>,
}

/// How the run of a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProgramEnd {
    /// It printed all of its output.
    Whole,
    /// It was ended, because enough was read or because it printed more than it may.
    Cut,
}

impl LogProgram {
    /// The program at this path, which is never searched for.
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into(), leading: Vec::new() }
    }

    /// Adds arguments before all others, such as `--file=X` for another journal.
    #[must_use]
    pub fn with_arguments<W: Into<OsString>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        self.leading.extend(words.into_iter().map(Into::into));
        self
    }

    /// The path of its file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Runs it and passes its output to `read`, which may stop before the end.
    pub(crate) fn run(
        &self,
        words: &[String],
        ReadBounds { limits, control }: ReadBounds<'_>,
        read: impl FnOnce(&mut ProgramOutput<'_>) -> Result<(), LogError>,
    ) -> Result<ProgramEnd, LogError> {
        control.check()?;
        let mut child = self.spawn(words)?;
        let stdout = child.0.stdout.take();
        thread::scope(|scope| {
            // Dropped before the scope joins the thread, so that the pipe is closed.
            let mut child = child;
            let (sender, blocks) = sync_channel(MAX_QUEUED_BLOCKS);
            scope.spawn(move || {
                let Some(mut stdout) = stdout else { return };
                let mut block = vec![0; BLOCK];
                loop {
                    let count = match stdout.read(&mut block) {
                        Ok(0) => return,
                        Ok(count) => count,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                        Err(_) => return,
                    };
                    if sender.send(block[..count].to_vec()).is_err() {
                        return;
                    }
                }
            });
            let mut output = ProgramOutput {
                blocks,
                block: Vec::new(),
                at: 0,
                left: limits.output,
                over: Instant::now() + limits.program,
                control,
                state: OutputState::Running,
            };
            let done = read(&mut output);
            let state = output.state;
            drop(output);
            match state {
                OutputState::Cancelled => Err(LogError::Cancelled),
                OutputState::Late => Err(self.problem("takes too long: narrow the query down")),
                OutputState::Running | OutputState::TooMuch => done.map(|()| ProgramEnd::Cut),
                OutputState::Ended => match child.0.wait() {
                    Ok(status) if status.success() => done.map(|()| ProgramEnd::Whole),
                    Ok(_) | Err(_) => Err(self.problem("failed: try it in a terminal")),
                },
            }
        })
    }

    /// An error of this program, to be read after its name.
    pub(crate) fn problem(&self, problem: &'static str) -> LogError {
        let name = self.file.file_name().unwrap_or(self.file.as_os_str());
        LogError::Program { program: name.to_string_lossy().into_owned(), problem }
    }

    fn spawn(&self, words: &[String]) -> Result<RunningProgram, LogError> {
        let mut command = Command::new(&self.file);
        command.args(&self.leading).args(words);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt as _;
            // Its own process group, so that its children end with it, and none of our environment.
            command.process_group(0).env_clear();
            command.env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin").env("LC_ALL", "C.UTF-8");
        }
        command.spawn().map(RunningProgram).map_err(|_| self.problem("cannot be started"))
    }
}

/// A program that is killed when this value is dropped.
struct RunningProgram(Child);

impl Drop for RunningProgram {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) =
            i32::try_from(self.0.id()).ok().and_then(rustix::process::Pid::from_raw)
            && matches!(self.0.try_wait(), Ok(None))
        {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The output of a program, as it comes.
pub(crate) struct ProgramOutput<'control> {
    blocks: Receiver<Vec<u8>>,
    block: Vec<u8>,
    at: usize,
    left: u64,
    over: Instant,
    control: &'control LogControl,
    state: OutputState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutputState {
    Running,
    Ended,
    TooMuch,
    Late,
    Cancelled,
}

impl Read for ProgramOutput<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.block.len() {
            if self.control.check().is_err() {
                self.state = OutputState::Cancelled;
                return Ok(0);
            }
            if self.over <= Instant::now() {
                self.state = OutputState::Late;
                return Ok(0);
            }
            match self.blocks.recv_timeout(CHECK_INTERVAL) {
                Ok(block) => (self.block, self.at) = (block, 0),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.state = OutputState::Ended;
                    return Ok(0);
                }
            }
        }
        if self.left == 0 {
            self.state = OutputState::TooMuch;
            return Ok(0);
        }
        let left = usize::try_from(self.left).unwrap_or(usize::MAX);
        let count = buffer.len().min(self.block.len() - self.at).min(left);
        buffer[..count].copy_from_slice(&self.block[self.at..self.at + count]);
        self.at += count;
        self.left -= count as u64;
        Ok(count)
    }
}
