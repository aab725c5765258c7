//! Waits until the program ends, or the other end of the lifeline is closed. Both ways of
//! supervising wait here.
//!
//! SIGCHLD is blocked and read from a descriptor (signalfd), which is polled together with others.
//! Every child that has ended is reaped, so that an init collects no zombies.

use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, WaitOptions, WaitStatus};
use signal_hook::consts::{SIGALRM, SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The reading end of a pipe that only our owner can write to. It never does.
pub(super) struct Lifeline {
    number: i32,
    pipe: File,
}

impl Lifeline {
    /// Takes over the descriptor that this process was started with under this number.
    pub(super) fn inherited(number: &str) -> io::Result<Self> {
        let number: i32 = number.parse().map_err(|_| io::ErrorKind::InvalidInput)?;
        // A second descriptor of the same pipe, which is owned and closes on exec.
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
    /// The owner has closed the other end of the lifeline, or is gone.
    Released,
}

/// Whether this process still has children. If orphans become our children, no children means no
/// descendants either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChildrenLeft {
    Some,
    None,
}

/// Whether the other descriptor became readable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readable {
    Yes,
    No,
}

/// Notices every end of a child, and survives the signals meant for the program.
pub(crate) struct ChildWatcher {
    /// Contains only SIGCHLD, which is blocked.
    blocked: SigSet,
    children: SignalFd,
}

impl ChildWatcher {
    /// Installs it; must be called before any child is started.
    pub(crate) fn install() -> io::Result<Self> {
        // Handlers that do nothing, because `exec` resets them; ignored signals would stay ignored
        // in the program, and the end of a child whose signal is ignored cannot be seen.
        let unused_flag = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD] {
            signal_hook::flag::register(signal, Arc::clone(&unused_flag))?;
        }
        let blocked = SigSet::from(Signal::SIGCHLD);
        blocked.thread_block()?;
        let flags = SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC;
        Ok(Self { children: SignalFd::with_flags(&blocked, flags)?, blocked })
    }

    /// Starts a child with no signal blocked. It may end before the signal is blocked again, so the
    /// caller must check for its end before waiting.
    pub(crate) fn spawn(&mut self, command: &mut Command) -> io::Result<Pid> {
        self.blocked.thread_unblock()?;
        let child = command.spawn();
        self.blocked.thread_block()?;
        let pid = Pid::from_raw(child?.id().cast_signed());
        Ok(pid.ok_or(io::ErrorKind::InvalidData)?)
    }

    /// Waits until `program` or the lifeline ends, and reaps all other children meanwhile.
    pub(super) fn until_end(&mut self, program: Pid, lifeline: &Lifeline) -> io::Result<Ending> {
        let mut released = Readable::No;
        loop {
            if let Some((status, _)) = self.reap(program) {
                return Ok(Ending::Exited(code(status)));
            }
            if released == Readable::Yes {
                return Ok(Ending::Released);
            }
            released = self.wait_or(&lifeline.pipe, None)?;
        }
    }

    /// Waits until some child has ended, but at most `limit`, and reaps all that have.
    pub(crate) fn pause(&mut self, limit: Duration) {
        // Returning early does no harm: the caller checks again.
        drop(self.wait(Some(limit)));
        self.reap(rustix::process::getpid());
    }

    /// Waits until some child has ended and can be reaped, but at most `limit`.
    pub(crate) fn wait(&self, limit: Option<Duration>) -> io::Result<()> {
        self.poll(&mut [PollFd::new(&self.children, PollFlags::IN)], limit)
    }

    /// Waits until some child has ended or `other` is readable, but at most `limit`.
    pub(crate) fn wait_or(
        &self,
        other: impl AsFd,
        limit: Option<Duration>,
    ) -> io::Result<Readable> {
        let mut watched =
            [PollFd::new(&self.children, PollFlags::IN), PollFd::new(&other, PollFlags::IN)];
        self.poll(&mut watched, limit)?;
        Ok(if watched[1].revents().is_empty() { Readable::No } else { Readable::Yes })
    }

    /// Polls the signal's descriptor, which comes first, and possibly others.
    fn poll(&self, watched: &mut [PollFd<'_>], limit: Option<Duration>) -> io::Result<()> {
        let limit = limit.map(|it| Timespec {
            tv_sec: it.as_secs().cast_signed(),
            tv_nsec: it.subsec_nanos().into(),
        });
        match poll(watched, limit.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        if watched.first().is_some_and(|children| !children.revents().is_empty()) {
            // One signal is pending, however many children have ended.
            self.children.read_signal()?;
        }
        Ok(())
    }

    /// Reaps every child that has ended, and calls `ended` with its number and status.
    pub(crate) fn reap_each(&mut self, mut ended: impl FnMut(Pid, WaitStatus)) -> ChildrenLeft {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) => ended(pid, status),
                Err(Errno::CHILD) => return ChildrenLeft::None,
                Ok(None) | Err(_) => return ChildrenLeft::Some,
            }
        }
    }

    /// Reaps every child that has ended; if `program` did, returns its status and what is left.
    pub(crate) fn reap(&mut self, program: Pid) -> Option<(WaitStatus, ChildrenLeft)> {
        let mut found = None;
        let left = self.reap_each(|pid, status| {
            if pid == program {
                found = Some(status);
            }
        });
        found.map(|status| (status, left))
    }

    /// Waits until `program` has ended, and reaps all other children meanwhile.
    pub(crate) fn until_exit(&mut self, program: Pid) -> io::Result<u8> {
        loop {
            if let Some((status, _)) = self.reap(program) {
                return Ok(code(status));
            }
            self.wait(None)?;
        }
    }
}

/// The exit code as in shells: the code, or 128 plus the signal.
fn code(status: WaitStatus) -> u8 {
    let signal = status.terminating_signal().map(|signal| 128 + signal);
    let code = status.exit_status().or(signal);
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}
