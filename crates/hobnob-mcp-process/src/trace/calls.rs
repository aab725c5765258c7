//! Which system calls use a file or an address, and how. [`tracer`](super::tracer) asks for each
//! call that succeeded.
//!
//! Invariant: a call that is missing here makes a proposal too narrow, which the next start
//! reveals; no call makes it wider than the program's actual use.

use super::registers::CallRegisters;
use super::report::TracedUse;
use super::tracee::Tracee;
use nix::libc;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

/// Which arguments hold a path.
#[derive(Debug, Clone, Copy)]
enum PathAt {
    /// This argument is the text of the path.
    Text(usize),
    /// The path starts from the descriptor in this argument, and the next argument is its text.
    Folder(usize),
}

/// One observation: how a file or an address was used, and its name.
pub(super) type Seen = (TracedUse, Vec<u8>);

/// What a call will use, read when it begins: then the memory is as the kernel will read it.
pub(super) fn begun(task: Tracee, call: &CallRegisters) -> Vec<Seen> {
    let mut seen = Vec::new();
    for (at, use_) in paths_of(call) {
        let path = match at {
            PathAt::Text(at) => {
                task.path(libc::AT_FDCWD.cast_unsigned().into(), call.arguments[at])
            }
            PathAt::Folder(at) => task.path(call.arguments[at], call.arguments[at + 1]),
        };
        seen.extend(path.into_iter().flat_map(|path| uses(path, use_)));
    }
    if let Some(address) = address_of(call) {
        seen.extend(connection(task, address.0, address.1));
    }
    seen
}

/// Whether the call had an effect. A connection that is still in progress counts.
pub(super) fn succeeded(call: &CallRegisters) -> bool {
    let under_way = call.number == libc::SYS_connect
        && [-libc::EINPROGRESS, -libc::ECONNREFUSED, -libc::ETIMEDOUT]
            .contains(&i32::try_from(call.result).unwrap_or_default());
    0 <= call.result || under_way
}

/// The use of a path, or of the folder that changes with it.
fn uses(path: PathBuf, use_: TracedUse) -> Vec<Seen> {
    let folder = path.parent().map(|it| it.as_os_str().as_bytes().to_vec());
    let path = path.as_os_str().as_bytes().to_vec();
    match use_ {
        TracedUse::Create => {
            let exists = std::fs::symlink_metadata(std::ffi::OsStr::from_bytes(&path)).is_ok();
            // Opening an existing file with `O_CREAT` only changes it.
            vec![(if exists { TracedUse::Write } else { TracedUse::Create }, path)]
        }
        TracedUse::WriteFolder => {
            folder.map(|folder| (TracedUse::WriteFolder, folder)).into_iter().collect()
        }
        use_ => vec![(use_, path)],
    }
}

/// The paths of a call, and how it uses them.
fn paths_of(call: &CallRegisters) -> Vec<(PathAt, TracedUse)> {
    use PathAt::Folder;
    use TracedUse::{Create, Look, Read, Write, WriteFolder};
    let old = older_paths_of(call);
    if !old.is_empty() {
        return old;
    }
    match call.number {
        libc::SYS_openat => vec![(Folder(0), opened(call.arguments[2]))],
        // The flags are the first member of a structure, which would only add writes: count it as
        // reading, unless a later call shows that it writes.
        libc::SYS_openat2 => vec![(Folder(0), Read)],
        libc::SYS_execve => vec![(PathAt::Text(0), Read)],
        libc::SYS_execveat => vec![(Folder(0), Read)],
        libc::SYS_chdir => vec![(PathAt::Text(0), Look)],
        libc::SYS_newfstatat | libc::SYS_statx | libc::SYS_faccessat | libc::SYS_faccessat2 => {
            vec![(Folder(0), Look)]
        }
        libc::SYS_readlinkat => vec![(Folder(0), Look)],
        libc::SYS_mkdirat | libc::SYS_mknodat => vec![(Folder(0), Create)],
        libc::SYS_symlinkat => vec![(Folder(1), Create)],
        libc::SYS_linkat => vec![(Folder(0), Read), (Folder(2), Create)],
        libc::SYS_renameat | libc::SYS_renameat2 => {
            vec![(Folder(0), WriteFolder), (Folder(2), WriteFolder)]
        }
        libc::SYS_unlinkat => vec![(Folder(0), WriteFolder)],
        libc::SYS_truncate => vec![(PathAt::Text(0), Write)],
        libc::SYS_fchmodat | libc::SYS_fchownat | libc::SYS_utimensat => vec![(Folder(0), Write)],
        _ => Vec::new(),
    }
}

/// Calls that newer architectures do not have.
#[cfg(target_arch = "x86_64")]
fn older_paths_of(call: &CallRegisters) -> Vec<(PathAt, TracedUse)> {
    use PathAt::Text;
    use TracedUse::{Create, Look, Read, Write, WriteFolder};
    match call.number {
        libc::SYS_open => vec![(Text(0), opened(call.arguments[1]))],
        libc::SYS_creat | libc::SYS_mkdir | libc::SYS_mknod => vec![(Text(0), Create)],
        libc::SYS_stat | libc::SYS_lstat | libc::SYS_access | libc::SYS_readlink => {
            vec![(Text(0), Look)]
        }
        libc::SYS_symlink => vec![(Text(1), Create)],
        libc::SYS_link => vec![(Text(0), Read), (Text(1), Create)],
        libc::SYS_rename => vec![(Text(0), WriteFolder), (Text(1), WriteFolder)],
        libc::SYS_unlink | libc::SYS_rmdir => vec![(Text(0), WriteFolder)],
        libc::SYS_chmod | libc::SYS_chown | libc::SYS_utimes => vec![(Text(0), Write)],
        _ => Vec::new(),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn older_paths_of(_call: &CallRegisters) -> Vec<(PathAt, TracedUse)> {
    Vec::new()
}

/// The use of a file that is opened with these flags.
fn opened(flags: u64) -> TracedUse {
    // Flags are an `int`.
    let flags = flags as u32 as i32;
    if flags & libc::O_CREAT != 0 {
        TracedUse::Create
    } else if flags & (libc::O_WRONLY | libc::O_RDWR | libc::O_TRUNC) != 0 {
        TracedUse::Write
    } else if flags & libc::O_PATH != 0 {
        TracedUse::Look
    } else {
        TracedUse::Read
    }
}

/// The position and length of the address that a call connects or sends to.
fn address_of(call: &CallRegisters) -> Option<(u64, u64)> {
    match call.number {
        libc::SYS_connect => Some((call.arguments[1], call.arguments[2])),
        libc::SYS_sendto => Some((call.arguments[4], 28)),
        _ => None,
    }
}

/// The address of a connection; `None` if there is none, or of an unknown family.
fn connection(task: Tracee, address: u64, length: u64) -> Option<Seen> {
    let address = usize::try_from(address).ok().filter(|it| *it != 0)?;
    let bytes = task.bytes(address, usize::try_from(length).ok()?.min(128))?;
    let family = i32::from(u16::from_ne_bytes(*bytes.first_chunk()?));
    let port = || bytes.get(2..4)?.try_into().ok().map(u16::from_be_bytes);
    let ip = match family {
        libc::AF_INET => Ipv4Addr::from(<[u8; 4]>::try_from(bytes.get(4..8)?).ok()?).into(),
        libc::AF_INET6 => Ipv6Addr::from(<[u8; 16]>::try_from(bytes.get(8..24)?).ok()?).into(),
        libc::AF_UNIX => {
            let path = bytes.get(2..)?;
            let path = path.split(|byte| *byte == 0).next()?;
            // An abstract name begins with a NUL, so it is not a path.
            return path.starts_with(b"/").then(|| (TracedUse::Socket, path.to_vec()));
        }
        _ => return None,
    };
    // Port 0 only asks for a route, and sends nothing.
    let port = port()?;
    let text = SocketAddr::new(ip, port).to_string();
    (port != 0).then(|| (TracedUse::Network, text.into_bytes()))
}
