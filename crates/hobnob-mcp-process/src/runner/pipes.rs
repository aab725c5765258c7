//! The pipes of a command, made by us: [`pool`](super::pool) sends one end of each to its runner, and
//! hands the others to whoever started the command.

use super::output_pipe::OutputPipe;
use super::spec::CommandInput;
use std::io;
use std::os::fd::OwnedFd;
use tokio::net::unix::pipe;

/// The pipes of a command. Dropping `stdin` is the end of its input.
#[derive(Debug)]
pub struct ProcessPipes {
    /// The writing end of its standard input, if that is a pipe.
    pub stdin: Option<InputPipe>,
    /// The reading end of its standard output.
    pub stdout: OutputPipe,
    /// The reading end of its standard error.
    pub stderr: OutputPipe,
}

/// The writing end of a command's standard input. Most commands get none, so the runtime hears of it
/// only when something is to be written.
#[derive(Debug)]
pub struct InputPipe(OwnedFd);

impl InputPipe {
    /// The pipe as something that can be written to. Must be called within the runtime.
    pub fn into_sender(self) -> io::Result<pipe::Sender> {
        pipe::Sender::from_owned_fd(self.0)
    }
}

/// The ends of a command's pipes that it has itself.
#[derive(Debug)]
pub(super) struct CommandPipes {
    pub(super) stdin: Option<OwnedFd>,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

/// New pipes: our ends, and those of a command.
pub(super) fn pipes(input: CommandInput) -> io::Result<(ProcessPipes, CommandPipes)> {
    let (their_stdin, stdin) = match input {
        CommandInput::Nothing => (None, None),
        CommandInput::Pipe => {
            let (theirs, ours) = std::io::pipe()?;
            (Some(theirs.into()), Some(InputPipe(ours.into())))
        }
    };
    let (stdout, their_stdout) = std::io::pipe()?;
    let (stderr, their_stderr) = std::io::pipe()?;
    let stdout = OutputPipe::new(stdout.into())?;
    let stderr = OutputPipe::new(stderr.into())?;
    let theirs = CommandPipes {
        stdin: their_stdin,
        stdout: their_stdout.into(),
        stderr: their_stderr.into(),
    };
    Ok((ProcessPipes { stdin, stdout, stderr }, theirs))
}
