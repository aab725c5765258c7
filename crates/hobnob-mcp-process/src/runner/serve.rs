//! A runner, from its start to its end: the process inside. `supervisor::run` calls it for the
//! roles of a runner.
//!
//! It has one thread, restricts itself before the first command, runs one command at a time, and
//! ends with Hobnob: the socket between the two is its lifeline.

use super::command::{ReceivedCommand, run};
use super::end_all::{NamespaceInit, Reach};
use super::message::{Afterwards, FromRunner, ToRunner};
use super::restrict::restrict;
use super::socket::{Heard, RunnerSocket, inherited};
use super::working_folder::FolderEntrance;
use crate::limits::ProcessLimits;
use crate::supervisor::{ChildWatcher, Proc, enter, ourselves, settle};
use rustix::event::{PollFd, PollFlags, poll};
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;

/// The process that Hobnob starts: a runner itself, or what stands outside of its namespace.
pub(crate) fn serve_as_told(level: Option<OsString>) -> io::Result<u8> {
    let socket = inherited()?;
    let mut watcher = ChildWatcher::install()?;
    let proc = match level.as_ref().and_then(|level| level.to_str()) {
        Some("namespace") => enter().ok(),
        Some("subreaper") => None,
        _ => return Err(io::Error::new(io::ErrorKind::InvalidInput, "unknown kind of runner")),
    };
    let Some(proc) = proc else {
        return serve(socket, watcher, Reach::subreaper()?);
    };
    let role = if proc == Proc::Fresh { "runner-init-proc" } else { "runner-init" };
    let mut command = ourselves(role);
    let init = watcher.spawn(command.stdin(Stdio::from(socket)))?;
    // It holds the socket.
    drop(command);
    watcher.until_exit(init)
}

/// Serves as the first process of a PID namespace, which ends with it.
pub(crate) fn serve_as_init(proc: Proc) -> io::Result<u8> {
    let init = NamespaceInit::claim()
        .ok_or_else(|| io::Error::other("this process is not the first of its namespace"))?;
    let socket = inherited()?;
    let watcher = ChildWatcher::install()?;
    settle(proc)?;
    serve(socket, watcher, Reach::Namespace(init))
}

fn serve(socket: OwnedFd, mut watcher: ChildWatcher, reach: Reach) -> io::Result<u8> {
    let mut socket = RunnerSocket::new(socket)?;
    let Some(limits) = prepare(&mut socket, &reach)? else { return Ok(0) };
    let mut entrance = FolderEntrance::default();
    loop {
        let frame = match next_frame(&mut socket)? {
            Some(frame) => frame,
            None => return Ok(0),
        };
        match frame {
            ToRunner::Start(command) => {
                let descriptors = socket.take_descriptors();
                let command = ReceivedCommand { line: command, descriptors, limits };
                let done = run(&mut socket, &mut watcher, &reach, &mut entrance, command)?;
                entrance.leave()?;
                if done == Afterwards::Ends {
                    return Ok(0);
                }
            }
            // Meant for a command that had just ended.
            ToRunner::Signal(_) | ToRunner::Kill => {}
            ToRunner::Prepare(_) => return Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// The limits once this process has restricted itself; nothing if it cannot.
fn prepare(socket: &mut RunnerSocket, reach: &Reach) -> io::Result<Option<ProcessLimits>> {
    let preparation = loop {
        wait(socket)?;
        match socket.hear()? {
            Heard::Frame(ToRunner::Prepare(preparation)) => break preparation,
            Heard::Frame(_) => return Err(io::ErrorKind::InvalidData.into()),
            Heard::Nothing => {}
            Heard::End => return Ok(None),
        }
    };
    match restrict(&preparation, reach) {
        Ok(state) => socket.say(&FromRunner::Ready(state)).map(|()| Some(preparation.limits)),
        Err(why) => socket.say(&FromRunner::Refused(why)).map(|()| None),
    }
}

/// The next frame; nothing once nobody can send one. No child is left that could end meanwhile.
fn next_frame(socket: &mut RunnerSocket) -> io::Result<Option<ToRunner>> {
    loop {
        match socket.hear()? {
            Heard::Frame(frame) => return Ok(Some(frame)),
            Heard::End => return Ok(None),
            Heard::Nothing => wait(socket)?,
        }
    }
}

fn wait(socket: &RunnerSocket) -> io::Result<()> {
    match poll(&mut [PollFd::new(socket, PollFlags::IN)], None) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
