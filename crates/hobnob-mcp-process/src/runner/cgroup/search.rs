//! Finds the cgroup that was delegated to a process, without changing anything.
//! [`leaves`](super::leaves) asks once for this process, `hobnob doctor` for a running hub.
//!
//! A cgroup that is merely writable is not ours to divide: the session of a desktop is writable
//! too, and its owner rearranges it.

use crate::supervisor::parent_of;
use rustix::fs::{Access, AtFlags, CWD, accessat, getxattr};
use rustix::process::{Pid, geteuid};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// The extended attribute that systemd sets to `1` on a cgroup with `Delegate=`.
const XATTR: &str = "user.delegate";

/// The files that must be writable to divide a cgroup; the first one is the folder itself.
const WRITABLE_FILES: [&str; 3] = ["", "cgroup.procs", "cgroup.subtree_control"];

/// A limit that no harmless process reaches.
const MAX_ANCESTORS: usize = 1024;

/// The facts about the cgroup of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CgroupFacts {
    /// Whether it belongs to our user, and can be written.
    pub(super) is_ours: bool,
    /// The text of `cgroup.type`. The root of the whole tree has no such file.
    pub(super) kind: Option<String>,
    /// The controllers that it may pass on.
    pub(super) controllers: String,
    /// Whether its owner has marked it as delegated, with [`XATTR`].
    pub(super) is_marked: bool,
    /// Whether it is the root of our cgroup namespace.
    pub(super) is_namespace_root: bool,
    /// Whether it contains a process that does not descend from ours.
    pub(super) has_strangers: bool,
}

/// The folder of the cgroup that a process is in, and its path below the root.
pub(super) fn folder_of(pid: Pid) -> Result<(PathBuf, String), String> {
    let read = |name: &str| {
        fs::read_to_string(format!("/proc/{pid}/{name}"))
            .map_err(|error| format!("`/proc/{pid}/{name}` cannot be read: {error}"))
    };
    let path = path_in(&read("cgroup")?).ok_or("there is no cgroup of version 2")?.to_owned();
    let folder =
        folder_in(&read("mountinfo")?, &path).ok_or("no cgroup of version 2 is mounted")?;
    Ok((folder, path))
}

/// The cgroup that was delegated to a process, which must itself be in it, or why there is none.
pub(super) fn delegated(pid: Pid) -> Result<PathBuf, String> {
    let (folder, path) = folder_of(pid)?;
    judge(&facts(&folder, &path, pid))?;
    Ok(folder)
}

/// Whether a cgroup is delegated and can enforce memory limits.
pub(super) fn judge(facts: &CgroupFacts) -> Result<(), &'static str> {
    if !facts.controllers.split_ascii_whitespace().any(|it| it == "memory") {
        return Err("the cgroup has no controller for memory");
    }
    if !facts.is_ours {
        return Err("the cgroup belongs to another user");
    }
    // The root of the machine accepts any process; threaded cgroups cannot limit memory.
    if facts.kind.as_deref().map(str::trim_end) != Some("domain") {
        return Err("the cgroup cannot be divided");
    }
    if !facts.is_marked && !facts.is_namespace_root {
        return Err("the cgroup was not delegated to Hobnob");
    }
    if facts.has_strangers {
        return Err("other programs are in the same cgroup");
    }
    Ok(())
}

fn facts(folder: &Path, path: &str, pid: Pid) -> CgroupFacts {
    let read = |name: &str| fs::read_to_string(folder.join(name));
    let is_owner = fs::metadata(folder).is_ok_and(|it| it.uid() == geteuid().as_raw());
    let may_write = |name: &&str| {
        let file = folder.join(name);
        accessat(CWD, &file, Access::WRITE_OK, AtFlags::EACCESS).is_ok()
    };
    let mut mark = [0; 2];
    let is_marked = getxattr(folder, XATTR, &mut mark).is_ok_and(|length| mark[..length] == *b"1");
    CgroupFacts {
        is_ours: is_owner && WRITABLE_FILES.iter().all(may_write),
        kind: read("cgroup.type").ok(),
        controllers: read("cgroup.controllers").unwrap_or_default(),
        is_marked,
        is_namespace_root: path == "/",
        has_strangers: members(folder, pid).is_err(),
    }
}

/// The processes in a cgroup. An error if one of them is neither `owner` nor a descendant of it.
pub(super) fn members(folder: &Path, owner: Pid) -> io::Result<Vec<Pid>> {
    let text = fs::read_to_string(folder.join("cgroup.procs"))?;
    let mut found = Vec::new();
    for line in text.lines() {
        // A process of an outer PID namespace has the number 0.
        let pid = line.parse().ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::InvalidData)?;
        if !descends_from(pid, owner) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        found.push(pid);
    }
    Ok(found)
}

/// Whether a process is `owner` or below it. A process that has just ended counts as one.
fn descends_from(pid: Pid, owner: Pid) -> bool {
    let mut next = pid;
    for _ in 0..MAX_ANCESTORS {
        if next == owner {
            return true;
        }
        match parent_of(next) {
            Ok(Some(parent)) => next = parent,
            Ok(None) => return false,
            Err(_) => return next == pid,
        }
    }
    false
}

/// The path of version 2 in `/proc/PID/cgroup`; `None` if it is above our namespace's root.
pub(super) fn path_in(cgroup: &str) -> Option<&str> {
    let path = cgroup.lines().find_map(|line| line.strip_prefix("0::"))?;
    let leads_up = path.split('/').any(|part| part == "..");
    (path.starts_with('/') && !leads_up).then_some(path)
}

/// The folder of a cgroup, from the text of `/proc/PID/mountinfo`.
pub(super) fn folder_in(mountinfo: &str, path: &str) -> Option<PathBuf> {
    mountinfo.lines().find_map(|line| {
        let (mount, rest) = line.split_once(" - ")?;
        if rest.split(' ').next() != Some("cgroup2") {
            return None;
        }
        let mut fields = mount.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        // Only a part of the tree may be mounted. A name with a space in it is escaped; cgroups are
        // never mounted in such a place.
        let below = path.strip_prefix(root.trim_end_matches('/'))?;
        let is_whole_name = below.is_empty() || below.starts_with('/');
        let is_plain = !point.contains('\\');
        let folder = Path::new(point).join(below.trim_start_matches('/'));
        (is_whole_name && is_plain).then_some(folder)
    })
}
