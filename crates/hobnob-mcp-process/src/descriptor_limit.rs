//! The limit of open descriptors: as high as possible for us, and unchanged for our children.
//!
//! The usual soft limit of 1024 protects programs that use `select`, which breaks above it; we do
//! not use it. A server that we start may, so it starts with the limit that we were started with.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io;
use std::sync::OnceLock;

/// We never need more, and some systems allow a thousand times as many.
const MAX_DESCRIPTORS: u64 = 1 << 20;

/// The soft limit we were started with; set once it has been raised.
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

/// The soft limit for a child, unless the child inherits the right one.
pub(crate) fn of_children() -> Option<u64> {
    ORIGINAL.get().copied()
}

/// Sets our own soft limit, so that the processes we start inherit it; for a supervisor.
#[cfg(target_os = "linux")]
pub(crate) fn lower(soft: u64) -> io::Result<()> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    Ok(setrlimit(Resource::Nofile, Rlimit { current: Some(soft), maximum })?)
}

/// Sets the soft limit of a child that was started without a supervisor, which would set it.
#[cfg(target_os = "linux")]
pub(crate) fn restore(child: rustix::process::Pid) {
    let Some(soft) = of_children() else { return };
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let limit = Rlimit { current: Some(soft), maximum };
    if let Err(error) = rustix::process::prlimit(Some(child), Resource::Nofile, limit) {
        // It has ended already, or runs as another user.
        tracing::debug!(%error, "a child keeps our own limit of descriptors");
    }
}

/// On other systems a process can change only its own limits.
#[cfg(not(target_os = "linux"))]
pub(crate) fn restore(_child: rustix::process::Pid) {}
