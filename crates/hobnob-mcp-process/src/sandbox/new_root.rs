//! Builds a new root for a command and moves this process into it: the system's folders read-only,
//! the sandbox's files, a `/proc` of its own, five devices, scratch space in memory.
//! [`enter`](super::enter) calls it, in the first process of a PID namespace with its own mounts.
//!
//! Invariant: every source is opened and its identity checked before anything is mounted, and
//! exactly the opened files are mounted afterwards.

use super::mount_flags::{self, MountAccess};
use super::root_builder::{NewRoot, clone_tree, file_system};
use super::root_secrets;
use super::spec::{NetworkAccess, SCRATCH, SYSTEM_PATHS, Sandbox, SandboxPath};
use super::system_paths::{DEVICES, identity_of, replaced};
use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};
use rustix::mount::MountAttrFlags;
use rustix::process::getuid;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Names in `/dev` that lead to a process's own descriptors.
const DEVICE_LINKS: [(&str, &str); 4] = [
    ("/dev/fd", "/proc/self/fd"),
    ("/dev/stdin", "/proc/self/fd/0"),
    ("/dev/stdout", "/proc/self/fd/1"),
    ("/dev/stderr", "/proc/self/fd/2"),
];

/// POSIX shared memory: programs look for it here.
const SHARED_MEMORY: &str = "/dev/shm";
/// The addresses of name servers. It may be a link to a file outside the system's folders.
const RESOLVER: &str = "/etc/resolv.conf";
/// Bytes of scratch space per inode: even an empty file takes memory in the kernel.
const BYTES_PER_INODE: u64 = 16 * 1024;

/// A copy of a mounted tree that is not attached anywhere yet.
struct DetachedTree {
    path: PathBuf,
    tree: OwnedFd,
    is_folder: bool,
    access: MountAccess,
}

/// Moves this process into a root that contains only what the sandbox names.
pub(super) fn enter(sandbox: &Sandbox, scratch_bytes: u64) -> io::Result<()> {
    let mut trees = named_trees(sandbox)?;
    let mut links: Vec<(PathBuf, PathBuf)> =
        DEVICE_LINKS.iter().map(|(name, target)| (name.into(), target.into())).collect();
    for path in SYSTEM_PATHS.map(Path::new) {
        match fs::read_link(path) {
            Ok(target) => links.push((path.to_owned(), target)),
            Err(_) => trees.extend(open_unchecked(path, MountAccess::Read)?),
        }
    }
    // The `/proc` of the PID namespace, which the namespace's init has mounted.
    trees.extend(open_unchecked(Path::new("/proc"), MountAccess::Read)?);
    for path in DEVICES.map(Path::new) {
        trees.extend(open_unchecked(path, MountAccess::Device)?);
    }
    // Outer folders come first, because inner ones are mounted inside them. At equal paths, the
    // writable tree ends up on top.
    trees.sort_by_key(|it| (it.path.components().count(), it.access));

    let scratch = scratch_space(scratch_bytes)?;
    let root = NewRoot::mount(&scratch)?;
    let places = [SCRATCH, SHARED_MEMORY].map(Path::new);
    for path in places {
        root.place(path, FileType::Directory)?;
    }
    root.attach(&scratch, root.open(places[0])?)?;
    // Before Linux 6.15 only a mounted tree can be copied.
    root.cover(places[0], places[1])?;
    for (path, target) in &links {
        root.link(path, target)?;
    }
    for tree in &trees {
        attach(&root, tree)?;
    }
    if getuid().is_root() {
        root_secrets::hide(&root)?;
    }
    let mut accesses: Vec<_> = trees.into_iter().map(|it| (it.path, it.access)).collect();
    accesses.extend([SCRATCH, SHARED_MEMORY].map(|it| (it.into(), MountAccess::Write)));
    root.pivot()?;
    mount_flags::set(&accesses)
}

/// The files that the sandbox names, opened and checked.
fn named_trees(sandbox: &Sandbox) -> io::Result<Vec<DetachedTree>> {
    let mut trees = Vec::new();
    for (paths, access) in
        [(&sandbox.read, MountAccess::Read), (&sandbox.write, MountAccess::Write)]
    {
        for path in paths {
            trees.extend(open_named(path, access)?);
        }
    }
    if let NetworkAccess::Host { .. } = sandbox.network
        && let Ok(file) = fs::canonicalize(RESOLVER)
        && !SYSTEM_PATHS.iter().any(|folder| file.starts_with(folder))
    {
        trees.extend(open_unchecked(&file, MountAccess::Read)?);
    }
    Ok(trees)
}

fn open_unchecked(path: &Path, access: MountAccess) -> io::Result<Option<DetachedTree>> {
    open_named(&SandboxPath::unchecked(path), access)
}

/// A copy of the tree at this path; `None` if nothing is there and the sandbox does not require it.
fn open_named(named: &SandboxPath, access: MountAccess) -> io::Result<Option<DetachedTree>> {
    let SandboxPath { path, identity } = named;
    let file = match (openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()), identity) {
        (Ok(file), _) => file,
        (Err(_), None) => return Ok(None),
        (Err(_), Some(_)) => return Err(replaced()),
    };
    let found = fstat(&file)?;
    if identity.is_some_and(|identity| identity != identity_of(&found)) {
        return Err(replaced());
    }
    let is_folder = FileType::from_raw_mode(found.st_mode) == FileType::Directory;
    let tree = clone_tree(&file)?;
    Ok(Some(DetachedTree { path: path.clone(), tree, is_folder, access }))
}

fn scratch_space(bytes: u64) -> io::Result<OwnedFd> {
    let inodes = (bytes / BYTES_PER_INODE).max(4096);
    let options = [
        ("size", bytes.to_string()),
        ("nr_inodes", inodes.to_string()),
        ("mode", "1777".to_owned()),
    ];
    let flags = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV;
    file_system("tmpfs", &options, flags)
}

fn attach(root: &NewRoot, tree: &DetachedTree) -> io::Result<()> {
    let DetachedTree { path, tree, is_folder, access } = tree;
    // A program of the system is there already, perhaps through a link such as `/bin`.
    if *access == MountAccess::Read && !is_folder && root.leads_to(path, tree)? {
        return Ok(());
    }
    let kind = if *is_folder { FileType::Directory } else { FileType::RegularFile };
    let place = root.place(path, kind).map_err(|error| {
        io::Error::new(error.kind(), format!("`{}` cannot be mounted: {error}", path.display()))
    })?;
    root.attach(tree, place)
}
