//! Ends everything below a runner: after each command, on request, and when Hobnob is gone.
//!
//! `kill(-1)` ends every process that it may, so outside of a namespace it would end the user's
//! session. It exists only as a method of [`NamespaceInit`], which cannot be made there.

use crate::supervisor::{ChildWatcher, ChildrenLeft, stop_and_kill};
use nix::sys::signal::{Signal, kill};
use rustix::process::{getpid, set_child_subreaper};
use std::io;
use std::time::{Duration, Instant};

/// How long killed processes may take to disappear.
const KILL_TIMEOUT: Duration = Duration::from_secs(2);

/// The proof that this process is the first one of its PID namespace.
pub(super) struct NamespaceInit(());

impl NamespaceInit {
    /// `None` for any other process.
    pub(super) fn claim() -> Option<Self> {
        (getpid().as_raw_nonzero().get() == 1).then_some(Self(()))
    }

    /// Kills every process of the namespace except this one.
    fn kill_all(&self) {
        // The only possible error is that no other process is left.
        let _ = kill(nix::unistd::Pid::from_raw(-1), Signal::SIGKILL);
    }
}

/// How a runner finds the processes below it.
pub(super) enum Reach {
    /// All processes of its namespace.
    Namespace(NamespaceInit),
    /// All its descendants: it adopts orphans.
    Subreaper,
}

/// Whether all processes below the runner are gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Emptied {
    Yes,
    /// Some process is blocked in the kernel, or runs as another user.
    No,
}

impl Reach {
    /// From now on this process adopts every orphaned descendant.
    pub(super) fn subreaper() -> io::Result<Self> {
        set_child_subreaper(Some(getpid()))?;
        Ok(Self::Subreaper)
    }

    /// Ends everything below this process and reaps it.
    pub(super) fn end_all(&self, watcher: &mut ChildWatcher) -> io::Result<Emptied> {
        let late = Instant::now() + KILL_TIMEOUT;
        let mut wait = Duration::from_millis(1);
        loop {
            if watcher.reap_each(|_, _| ()) == ChildrenLeft::None {
                return Ok(Emptied::Yes);
            }
            match self {
                Self::Namespace(init) => init.kill_all(),
                Self::Subreaper => drop(stop_and_kill()?),
            }
            if late <= Instant::now() {
                return Ok(Emptied::No);
            }
            watcher.pause(wait);
            wait = (2 * wait).min(Duration::from_millis(100));
        }
    }
}
