//! The pipes of a command: [`pool`](super::pool) sends one end of each to its runner, and hands the
//! others to the caller that started the command.

use super::output_pipe::OutputPipe;
use super::spec::CommandInput;
use std::io;
use std::os::fd::OwnedFd;
use tokio::net::unix::pipe;

/// The caller's ends of a command's pipes. Dropping `stdin` is the end of the command's input.
#[derive(Debug)]
pub struct ProcessPipes {
    /// The writing end of its standard input, if that is a pipe.
    pub stdin: Option<InputPipe>,
    /// The reading end of its standard output.
    pub stdout: OutputPipe,
    /// The reading end of its standard error.
    pub stderr: OutputPipe,
}

/// The writing end of a command's standard input. Most callers write nothing, so it is registered
/// with the runtime only when it becomes a sender.
#[derive(Debug)]
pub struct InputPipe(OwnedFd);

impl InputPipe {
    /// Turns the pipe into a sender. Must be called within the runtime.
    pub fn into_sender(self) -> io::Result<pipe::Sender> {
        pipe::Sender::from_owned_fd(self.0)
    }
}

/// The command's own ends of its pipes.
#[derive(Debug)]
pub(super) struct CommandPipes {
    pub(super) stdin: Option<OwnedFd>,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

/// Makes new pipes: our ends, and those of the command.
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
