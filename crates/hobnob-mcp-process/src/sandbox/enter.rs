//! Puts this process into a sandbox for good: the order of the steps. A runner calls it before its
//! first command, a supervisor before its server; every process that they start is inside, too.
//!
//! Mounting is impossible once Landlock is on, so the new root comes first. The filter of system
//! calls comes last, because it refuses some that the earlier steps need.

use super::landlock_rules::{self, NeededRights, landlock_support};
use super::spec::{LandlockSupport, NetworkAccess, Sandbox, SandboxLevel};
use super::syscall_filter::{self, Sockets};
use super::{capabilities, loopback, new_root};
use nix::sched::{CloneFlags, unshare};
use std::io;

/// The first version of Landlock that isolates abstract Unix sockets.
const SCOPED_SOCKETS: u8 = 6;

/// Enters all of the sandbox, or fails. `scratch_bytes` limits the space for temporary files in a
/// root of its own.
pub(crate) fn enter(sandbox: &Sandbox, scratch_bytes: u64) -> Result<(), String> {
    let step = |name: &'static str| move |error: io::Error| format!("{name}: {error}");
    if sandbox.level == SandboxLevel::Full {
        own_namespaces(&sandbox.network).map_err(step("no namespace of its own"))?;
        new_root::enter(sandbox, scratch_bytes).map_err(step("no root of its own"))?;
        capabilities::drop_all().map_err(step("capabilities cannot be dropped"))?;
    }
    let needed = match sandbox.level {
        SandboxLevel::Weak => NeededRights::None,
        SandboxLevel::Partial | SandboxLevel::Full => NeededRights::AllWrites,
    };
    landlock_rules::restrict_self(sandbox, needed).map_err(step("Landlock"))?;
    match sockets(sandbox) {
        Some(sockets) => {
            syscall_filter::install(sockets).map_err(step("no filter of system calls"))
        }
        None => Ok(()),
    }
}

fn own_namespaces(network: &NetworkAccess) -> io::Result<()> {
    unshare(CloneFlags::CLONE_NEWIPC)?;
    match network {
        NetworkAccess::Denied => {
            unshare(CloneFlags::CLONE_NEWNET)?;
            loopback::bring_up()
        }
        NetworkAccess::Host { .. } => Ok(()),
    }
}

/// The kinds of socket that the sandbox permits; `None` means no filter.
fn sockets(sandbox: &Sandbox) -> Option<Sockets> {
    let is_scoped = matches!(landlock_support(), LandlockSupport::Version(version) if SCOPED_SOCKETS <= version);
    match (sandbox.level, &sandbox.network) {
        (SandboxLevel::Weak, _) => None,
        (SandboxLevel::Partial, NetworkAccess::Denied) => Some(Sockets::None),
        // Every Unix socket of the user can be reached by its path.
        (SandboxLevel::Partial, NetworkAccess::Host { .. }) => Some(Sockets::Internet),
        (SandboxLevel::Full, NetworkAccess::Denied) => Some(Sockets::InternetAndUnix),
        // The host's abstract Unix sockets belong to its network.
        (SandboxLevel::Full, NetworkAccess::Host { .. }) if is_scoped => {
            Some(Sockets::InternetAndUnix)
        }
        (SandboxLevel::Full, NetworkAccess::Host { .. }) => Some(Sockets::Internet),
    }
}
