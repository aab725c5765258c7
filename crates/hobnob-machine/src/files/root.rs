//! A granted folder as an open handle: the only way to the files in it.
//!
//! It is opened at its first use and kept while its path leads to it. Another folder at that path
//! is not the granted one: running actions go on with the old folder, and later ones are refused.

use parking_lot::Mutex;
use std::fmt;
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use hobnob_policy::{HardLinks, RelativePath};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, Stat, StatxFlags, fstat, openat, statx};

use super::descend::{Boundary, LastLink, Leaf, Resolved, descend};
use super::hidden::{HiddenFolders, HiddenNow};
use super::kind::{FolderId, must_be_file, refuse_kernel_file_system};
use super::open::{look, reopen};
use super::problem::{FileError, FileRefusal};

/// The folder in each granted folder to which deleted files are moved.
pub(crate) const TRASH: &str = ".hobnob-trash";

/// Identifies a granted folder: its inode, and its birth time or, if that is unknown, its device.
///
/// The birth time comes first: on some file systems the device number changes with a restart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RootIdentity {
    inode: u64,
    origin: Origin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Born { seconds: i64, nanoseconds: u32 },
    Device { major: u32, minor: u32 },
}

impl RootIdentity {
    /// The identity of the folder that is at this path now. Only granting may use it.
    pub fn of_path(path: &Path) -> Result<Self, FileRefusal> {
        let folder = open_root(path)?;
        refuse_kernel_file_system(&folder)?;
        Self::of(&folder)
    }

    fn of(folder: &OwnedFd) -> Result<Self, FileRefusal> {
        let wanted = StatxFlags::INO | StatxFlags::BTIME;
        let found = statx(folder, "", AtFlags::EMPTY_PATH, wanted)?;
        let origin = if found.stx_mask & StatxFlags::BTIME.bits() != 0 {
            let born = found.stx_btime;
            Origin::Born { seconds: born.tv_sec, nanoseconds: born.tv_nsec }
        } else {
            Origin::Device { major: found.stx_dev_major, minor: found.stx_dev_minor }
        };
        Ok(Self { inode: found.stx_ino, origin })
    }
}

/// As stored with a grant: `INODE born SECONDS.NANOSECONDS` or `INODE on MAJOR:MINOR`.
impl fmt::Display for RootIdentity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.origin {
            Origin::Born { seconds, nanoseconds } => {
                write!(out, "{} born {seconds}.{nanoseconds:09}", self.inode)
            }
            Origin::Device { major, minor } => write!(out, "{} on {major}:{minor}", self.inode),
        }
    }
}

/// The text is not the identity of a folder.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the identity of a folder")]
pub struct BadRootIdentity(String);

impl FromStr for RootIdentity {
    type Err = BadRootIdentity;

    fn from_str(text: &str) -> Result<Self, BadRootIdentity> {
        let read = || {
            let (inode, origin) = text.split_once(' ')?;
            let origin = if let Some(born) = origin.strip_prefix("born ") {
                let (seconds, nanoseconds) = born.split_once('.')?;
                let (seconds, nanoseconds) = (seconds.parse().ok()?, nanoseconds.parse().ok()?);
                Origin::Born { seconds, nanoseconds }
            } else {
                let (major, minor) = origin.strip_prefix("on ")?.split_once(':')?;
                Origin::Device { major: major.parse().ok()?, minor: minor.parse().ok()? }
            };
            Some(Self { inode: inode.parse().ok()?, origin })
        };
        read().ok_or_else(|| BadRootIdentity(text.to_owned()))
    }
}

/// An open granted folder, with the folders to hide in it.
#[derive(Debug)]
pub(crate) struct ConfinedRoot {
    folder: OwnedFd,
    path: PathBuf,
    stat: Stat,
    hidden: Arc<HiddenFolders>,
    hard_links: HardLinks,
    /// The trash, once it exists; held open so that no other folder can get its inode.
    trash: OnceLock<(FolderId, OwnedFd)>,
    /// Held while a file is compared and replaced, so that two callers do not undo each other.
    pub(crate) changes: Mutex<()>,
}

impl ConfinedRoot {
    /// Opens the folder at an absolute path, if it is still the one that was granted.
    pub(crate) fn open(
        path: &Path,
        granted: &RootIdentity,
        hidden: Arc<HiddenFolders>,
        hard_links: HardLinks,
    ) -> Result<Self, FileError> {
        let fail = |refusal| FileError::of_root(path, refusal);
        let folder = open_root(path).map_err(fail)?;
        if RootIdentity::of(&folder).map_err(fail)? != *granted {
            return Err(fail(FileRefusal::RootReplaced));
        }
        refuse_kernel_file_system(&folder).map_err(fail)?;
        if hidden.now().covers(&folder).map_err(fail)? {
            return Err(fail(FileRefusal::ContainsHidden));
        }
        let stat = fstat(&folder).map_err(|errno| fail(errno.into()))?;
        let path = path.to_owned();
        let (trash, changes) = (OnceLock::new(), Mutex::new(()));
        let root = Self { folder, path, stat, hidden, hard_links, trash, changes };
        root.find_trash();
        Ok(root)
    }

    /// Whether its path still leads to it: a renamed folder is not served from its new place.
    pub(crate) fn is_in_place(&self) -> bool {
        let there = open_root(&self.path).and_then(|folder| Ok(fstat(&folder)?));
        there.is_ok_and(|there| FolderId::of(&there) == FolderId::of(&self.stat))
    }

    pub(crate) fn folder(&self) -> &OwnedFd {
        &self.folder
    }

    pub(crate) fn device(&self) -> u64 {
        self.stat.st_dev
    }

    pub(crate) fn resolve(
        &self,
        path: &RelativePath,
        last: LastLink,
    ) -> Result<Resolved<'_>, FileRefusal> {
        let (folder, device) = (self.folder.as_fd(), self.stat.st_dev);
        let hidden = self.hidden_now();
        descend(&Boundary { folder, path: &self.path, device, hidden }, path, last)
    }

    /// The folders that are hidden at this moment: Hobnob's own and the trash.
    pub(crate) fn hidden_now(&self) -> HiddenNow {
        let mut now = self.hidden.now();
        if let Some((trash, _)) = self.trash.get() {
            now.add(*trash);
        }
        now
    }

    /// Fails if moving or deleting this folder would take Hobnob's own files along.
    pub(crate) fn refuse_hidden_inside(&self, folder: FolderId) -> Result<(), FileRefusal> {
        match self.hidden.lie_in(folder)? {
            true => Err(FileRefusal::ContainsHidden),
            false => Ok(()),
        }
    }

    /// Opens a regular file for reading, links followed; refuses other entries unopened.
    pub(crate) fn open_file(&self, path: &RelativePath) -> Result<OpenFile, FileRefusal> {
        self.open_resolved(&self.resolve(path, LastLink::Follow)?)
    }

    pub(crate) fn open_resolved(&self, found: &Resolved<'_>) -> Result<OpenFile, FileRefusal> {
        let opened = match &found.leaf {
            Leaf::Root => return Err(FileRefusal::NotFile),
            Leaf::Present(opened) => opened,
            Leaf::Absent(_) => return Err(FileRefusal::Missing),
        };
        must_be_file(opened.kind())?;
        self.refuse_hard_links(&opened.stat)?;
        let file = reopen(opened.handle.as_fd(), found.parent(), &opened.name)?;
        Ok(OpenFile { file: file.into(), stat: opened.stat })
    }

    /// Fails for a file with several hard links, unless the grant allows them.
    pub(crate) fn refuse_hard_links(&self, stat: &Stat) -> Result<(), FileRefusal> {
        match self.hard_links {
            HardLinks::Refused if 1 < stat.st_nlink => Err(FileRefusal::HardLinked),
            HardLinks::Refused | HardLinks::Allowed => Ok(()),
        }
    }

    /// Looks for the trash, and hides it from then on.
    pub(crate) fn find_trash(&self) -> Option<&OwnedFd> {
        if self.trash.get().is_none() {
            let handle = look(self.folder.as_fd(), TRASH.as_ref()).ok()?;
            let id = FolderId::of(&fstat(&handle).ok()?);
            // If another thread was faster, it found the same folder.
            let _ = self.trash.set((id, handle));
        }
        self.trash.get().map(|(_, handle)| handle)
    }
}

/// A regular file that was opened for reading, and its metadata when it was checked.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) file: File,
    pub(crate) stat: Stat,
}

fn open_root(path: &Path) -> Result<OwnedFd, FileRefusal> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?)
}
