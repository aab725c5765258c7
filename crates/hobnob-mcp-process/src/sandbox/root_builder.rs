//! A root in memory that is assembled from mounts and then replaces the old one.
//! [`new_root`](super::new_root) decides what is in it.
//!
//! Invariant: files and folders are created only in memory, and no link is followed on the way.

use super::system_paths::identity_of;
use rustix::fs::{
    CWD, FileType, Mode, OFlags, ResolveFlags, fstat, mkdirat, openat, openat2, symlinkat,
};
use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags,
    fsconfig_create, fsconfig_set_string, fsmount, fsopen, move_mount, open_tree, unmount,
};
use rustix::process::{chdir, fchdir, pivot_root};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

/// The new root is mounted here, in this mount namespace only, until it replaces the old one.
const STAGE: &str = "/tmp";

/// A copy of the mount at a file or folder, with all mounts inside it.
pub(super) fn clone_tree(file: impl AsFd) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    Ok(open_tree(file, c"", flags)?)
}

/// A new file system that is not mounted anywhere yet.
pub(super) fn file_system(
    kind: &str,
    options: &[(&str, String)],
    flags: MountAttrFlags,
) -> io::Result<OwnedFd> {
    let context = fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    for (name, value) in options {
        fsconfig_set_string(&context, *name, value.as_str())?;
    }
    fsconfig_create(&context)?;
    Ok(fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, flags)?)
}

/// The root under construction.
pub(super) struct NewRoot {
    folder: OwnedFd,
    /// The in-memory file systems that belong to it: files are created nowhere else.
    own_devices: [u64; 2],
}

impl NewRoot {
    /// An empty root in memory: it holds a few folders and no files with contents.
    pub(super) fn mount(scratch: &OwnedFd) -> io::Result<Self> {
        let options = [("size", "1m".to_owned()), ("mode", "0755".to_owned())];
        let folder = file_system("tmpfs", &options, MountAttrFlags::MOUNT_ATTR_NOSUID)?;
        let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
        move_mount(&folder, c"", CWD, STAGE, flags)?;
        let own_devices = [fstat(&folder)?.st_dev, fstat(scratch)?.st_dev];
        Ok(Self { folder, own_devices })
    }

    /// Opens the file at this path in the new root, without following links.
    pub(super) fn open(&self, path: &Path) -> io::Result<OwnedFd> {
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_SYMLINKS;
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        Ok(openat2(&self.folder, path, flags, Mode::empty(), resolve)?)
    }

    /// Mounts a tree at a place in the new root.
    pub(super) fn attach(&self, tree: impl AsFd, place: impl AsFd) -> io::Result<()> {
        let flags =
            MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
        Ok(move_mount(tree, c"", place, c"", flags)?)
    }

    /// Mounts a copy of the tree at `cover` over `path`; both are in the new root.
    pub(super) fn cover(&self, cover: &Path, path: &Path) -> io::Result<()> {
        self.attach(clone_tree(self.open(cover)?)?, self.open(path)?)
    }

    /// Whether this path already leads to that file in the new root.
    pub(super) fn leads_to(&self, path: &Path, file: &OwnedFd) -> io::Result<bool> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let found = openat2(&self.folder, path, flags, Mode::empty(), ResolveFlags::IN_ROOT);
        let Ok(found) = found else { return Ok(false) };
        Ok(identity_of(&fstat(found)?) == identity_of(&fstat(file)?))
    }

    /// The file or folder at this path, created if it is missing.
    pub(super) fn place(&self, path: &Path, kind: FileType) -> io::Result<OwnedFd> {
        let names: Vec<_> = path
            .components()
            .filter_map(|it| match it {
                Component::Normal(name) => Some(name),
                _ => None,
            })
            .collect();
        let mut here = self.folder.try_clone()?;
        for (at, name) in names.iter().enumerate() {
            let is_last = at + 1 == names.len();
            let kind = if is_last { kind } else { FileType::Directory };
            here = self.step(&here, Path::new(name), kind)?;
        }
        Ok(here)
    }

    /// Goes one step down. A missing file is created in memory, never in a folder of the user.
    fn step(&self, here: &OwnedFd, name: &Path, kind: FileType) -> io::Result<OwnedFd> {
        let open =
            || openat(here, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty());
        let next = match open() {
            Err(Errno::NOENT) if self.own_devices.contains(&fstat(here)?.st_dev) => {
                match kind {
                    FileType::Directory => mkdirat(here, name, Mode::from_raw_mode(0o755))?,
                    _ => {
                        let flags =
                            OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
                        drop(openat(here, name, flags, Mode::from_raw_mode(0o644))?);
                    }
                }
                open()?
            }
            other => other?,
        };
        let found = FileType::from_raw_mode(fstat(&next)?.st_mode);
        let fits = (found == FileType::Directory) == (kind == FileType::Directory);
        if fits && found != FileType::Symlink { Ok(next) } else { Err(Errno::NOTDIR.into()) }
    }

    pub(super) fn link(&self, path: &Path, target: &Path) -> io::Result<()> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        Ok(symlinkat(target, self.place(folder, FileType::Directory)?, name)?)
    }

    /// Makes it the root of this process's mount namespace, and detaches the old one.
    pub(super) fn pivot(self) -> io::Result<()> {
        fchdir(&self.folder)?;
        // With the same place for both, the old root is mounted on top of the new one.
        pivot_root(c".", c".")?;
        unmount(c".", UnmountFlags::DETACH)?;
        Ok(chdir(c"/")?)
    }
}
