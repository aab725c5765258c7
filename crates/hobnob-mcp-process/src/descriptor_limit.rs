//! How many descriptors we may have open: as many as the system lets us, and our children as many
//! as they would have without us.
//!
//! The usual soft limit of 1024 is there for programs that use `select`, which breaks above; we do
//! not. A server that we start may, so it is started with the limit that we were started with.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io;
use std::sync::OnceLock;

/// More than this is never needed, and some systems allow a thousand times as many.
const MAX_DESCRIPTORS: u64 = 1 << 20;

/// The soft limit we were started with, once it was raised.
static ORIGINAL: OnceLock<u64> = OnceLock::new();

/// Raises the soft limit to the hard one, if it is lower. Called once, when the program starts.
pub fn raise_descriptor_limit() -> io::Result<()> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(MAX_DESCRIPTORS, |maximum| maximum.min(MAX_DESCRIPTORS));
    let Some(soft) = current.filter(|soft| *soft < wanted) else { return Ok(()) };
    setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum })?;
    let _first = ORIGINAL.set(soft);
    Ok(())
}

/// The soft limit for a child, if it is not the one it inherits.
pub(crate) fn of_children() -> Option<u64> {
    ORIGINAL.get().copied()
}

/// Sets our own soft limit, so that what we start inherits it; for a supervisor.
#[cfg(target_os = "linux")]
pub(crate) fn lower(soft: u64) -> io::Result<()> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    Ok(setrlimit(Resource::Nofile, Rlimit { current: Some(soft), maximum })?)
}

/// Sets the soft limit of a child that was just started without a supervisor, who would do it before.
#[cfg(target_os = "linux")]
pub(crate) fn restore(child: rustix::process::Pid) {
    let Some(soft) = of_children() else { return };
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let limit = Rlimit { current: Some(soft), maximum };
    if let Err(error) = rustix::process::prlimit(Some(child), Resource::Nofile, limit) {
        // It has ended already, or it runs as somebody else.
        tracing::debug!(%error, "a child keeps our own limit of descriptors");
    }
}

/// Nobody but a process itself can change its limits here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn restore(_child: rustix::process::Pid) {}
