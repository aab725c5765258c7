//! Waiting for the end: of the program, or of whoever holds the other end of the lifeline. Both
//! ways of supervising wait here.
//!
//! Handlers for signals are installed before the program starts, so that no end is missed; every
//! child that ended is reaped, so that an init collects no zombies.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, WaitStatus};
use signal_hook::consts::{SIGALRM, SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The reading end of a pipe that our owner alone can write to. It never does.
pub(super) struct Lifeline {
    number: i32,
    pipe: File,
}

impl Lifeline {
    /// Takes over the descriptor that we were started with under this number.
    pub(super) fn inherited(number: &str) -> io::Result<Self> {
        let number: i32 = number.parse().map_err(|_| io::ErrorKind::InvalidInput)?;
        // A second way to the same pipe, which is owned and closes on exec.
        let pipe = File::open(format!("/proc/self/fd/{number}"))?;
        Ok(Self { number, pipe })
    }

    /// The number under which a child of ours inherits it.
    pub(super) fn number(&self) -> String {
        self.number.to_string()
    }

    /// From now on no child of ours inherits it.
    pub(super) fn seal(&self) -> io::Result<()> {
        Ok(nix::unistd::close(self.number)?)
    }
}

/// Why a supervisor stops waiting.
pub(super) enum Ending {
    /// The program has ended, with this code.
    Exited(u8),
    /// Nobody holds the other end of the lifeline.
    Released,
}

/// Sees every end of a child, and survives the signals meant for the program.
pub(crate) struct ChildWatcher {
    children: UnixStream,
}

impl ChildWatcher {
    /// Sets the handlers up.
    pub(crate) fn install() -> io::Result<Self> {
        // Handlers that do nothing, because they are gone after `exec`; ignored signals would
        // stay ignored in the program.
        let nobody_looks = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM] {
            signal_hook::flag::register(signal, Arc::clone(&nobody_looks))?;
        }
        let (children, sender) = UnixStream::pair()?;
        children.set_nonblocking(true)?;
        signal_hook::low_level::pipe::register(SIGCHLD, sender)?;
        Ok(Self { children })
    }

    /// Waits until `program` or the lifeline ends, and reaps all other children meanwhile.
    pub(super) fn until_end(&mut self, program: Pid, lifeline: &Lifeline) -> io::Result<Ending> {
        loop {
            let mut watched = [
                PollFd::new(&lifeline.pipe, PollFlags::IN),
                PollFd::new(&self.children, PollFlags::IN),
            ];
            match poll(&mut watched, None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let released = !watched[0].revents().is_empty();
            if let Some(status) = self.reap(program) {
                return Ok(Ending::Exited(code(status)));
            }
            if released {
                return Ok(Ending::Released);
            }
        }
    }

    /// Waits until some child has ended, but less than a second, and reaps all that have.
    pub(crate) fn pause(&mut self, limit: Duration) {
        self.wait(limit);
        self.reap(rustix::process::getpid());
    }

    /// Waits until some child has ended, but less than a second. Whoever has can be reaped then.
    pub(crate) fn wait(&self, limit: Duration) {
        let limit = Timespec { tv_sec: 0, tv_nsec: limit.subsec_nanos().into() };
        // Too early is as good as in time: the caller looks again.
        let _ = poll(&mut [PollFd::new(&self.children, PollFlags::IN)], Some(&limit));
    }

    /// Becomes readable when some child has ended.
    pub(crate) fn as_fd(&self) -> BorrowedFd<'_> {
        self.children.as_fd()
    }

    /// Reaps every child that has ended, and hands on who it was and how it ended.
    pub(crate) fn reap_each(&mut self, mut ended: impl FnMut(Pid, WaitStatus)) {
        let mut marks = [0; 256];
        while self.children.read(&mut marks).is_ok_and(|count| count == marks.len()) {}
        while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            ended(pid, status);
        }
    }

    /// Reaps every child that has ended; how `program` did, if it was one of them.
    pub(crate) fn reap(&mut self, program: Pid) -> Option<WaitStatus> {
        let mut found = None;
        self.reap_each(|pid, status| {
            if pid == program {
                found = Some(status);
            }
        });
        found
    }

    /// Waits until `program` has ended, and reaps all other children meanwhile.
    pub(crate) fn until_exit(&mut self, program: Pid) -> io::Result<u8> {
        loop {
            match poll(&mut [PollFd::new(&self.children, PollFlags::IN)], None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            if let Some(status) = self.reap(program) {
                return Ok(code(status));
            }
        }
    }
}

/// As shells say it: the code, or 128 and the signal.
fn code(status: WaitStatus) -> u8 {
    let signal = status.terminating_signal().map(|signal| 128 + signal);
    let code = status.exit_status().or(signal);
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}
