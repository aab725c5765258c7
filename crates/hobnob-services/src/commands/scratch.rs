//! Empty scratch folders: where a command without granted folders starts, and where a confined
//! command has its home and its temporary files.
//!
//! The folders are numbered and reused. Each belongs to one command at a time, and is emptied
//! before the next. Their names stay the same because sandbox rules name the folder, and a runner
//! is reused only for equal rules.

use parking_lot::{Mutex, MutexGuard};
use rustix::fs::{CWD, Mode, OFlags, RawDir, openat};
use std::fs::{self, DirBuilder};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

/// How long a folder stays unused after its command was killed: all its processes are gone by then.
const REST_PERIOD: Duration = Duration::from_secs(5);

/// The scratch folders of one service.
#[derive(Debug)]
pub(crate) struct ScratchFolders {
    /// Has a subfolder for each process.
    shared: PathBuf,
    parent: PathBuf,
    slots: Mutex<Vec<SlotState>>,
    cleaned: Once,
}

/// The state of one numbered folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SlotState {
    Free,
    Taken,
    /// Its command was killed, and its processes may live until this time.
    Resting(Instant),
    /// A command left something in it that cannot be removed, so it is not used again.
    Spoilt,
}

/// Whether every process of a command has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    Yes,
    Unknown,
}

/// A folder that belongs to one command.
#[derive(Debug)]
pub(crate) struct CommandScratch {
    folders: Arc<ScratchFolders>,
    number: usize,
    path: PathBuf,
    ended: Ended,
}

impl ScratchFolders {
    /// Creates nothing yet. The folders will be in a subfolder of `shared` for this process.
    pub(crate) fn new(shared: PathBuf) -> Arc<Self> {
        let parent = shared.join(std::process::id().to_string());
        Arc::new(Self { shared, parent, slots: Mutex::default(), cleaned: Once::new() })
    }

    /// Removes the folders of processes that were killed.
    fn clean(&self) {
        let Ok(entries) = fs::read_dir(&self.shared) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let owner = name.to_str().filter(|name| name.bytes().all(|it| it.is_ascii_digit()));
            let is_over = |owner: &str| !Path::new("/proc").join(owner).exists();
            // A folder with this process's id is from an earlier process that had the same id.
            if owner.is_some_and(|it| is_over(it) || self.parent.ends_with(it)) {
                drop(fs::remove_dir_all(entry.path()));
            }
        }
    }

    /// Takes the free folder with the lowest number; returns it empty and open.
    pub(crate) fn take(self: &Arc<Self>) -> io::Result<(CommandScratch, OwnedFd)> {
        self.cleaned.call_once(|| self.clean());
        loop {
            let number = self.reserve();
            let path = self.parent.join(format!("scratch-{number}"));
            match open_empty(&path) {
                Ok(folder) => {
                    let (folders, ended) = (Arc::clone(self), Ended::Unknown);
                    return Ok((CommandScratch { folders, number, path, ended }, folder));
                }
                Err(error) if is_spoilt(&error) && path.symlink_metadata().is_ok() => {
                    tracing::warn!(%error, "what a command left in its folder cannot be removed");
                    self.lock()[number] = SlotState::Spoilt;
                }
                Err(error) => {
                    self.lock()[number] = SlotState::Free;
                    return Err(error);
                }
            }
        }
    }

    fn reserve(&self) -> usize {
        let now = Instant::now();
        let mut slots = self.lock();
        let free = slots.iter().position(|slot| match slot {
            SlotState::Free => true,
            SlotState::Resting(until) => *until <= now,
            SlotState::Taken | SlotState::Spoilt => false,
        });
        let number = free.unwrap_or(slots.len());
        match slots.get_mut(number) {
            Some(slot) => *slot = SlotState::Taken,
            None => slots.push(SlotState::Taken),
        }
        number
    }

    fn lock(&self) -> MutexGuard<'_, Vec<SlotState>> {
        self.slots.lock()
    }
}

impl Drop for ScratchFolders {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.parent));
    }
}

impl CommandScratch {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the folder back once its command has ended. A dropped folder rests for a while.
    pub(crate) fn give_back(mut self) {
        self.ended = Ended::Yes;
    }
}

impl Drop for CommandScratch {
    fn drop(&mut self) {
        // The folder is emptied when the next command takes it.
        let state = match self.ended {
            Ended::Yes => SlotState::Free,
            Ended::Unknown => SlotState::Resting(Instant::now() + REST_PERIOD),
        };
        self.folders.lock()[self.number] = state;
    }
}

/// Opens the folder, and empties or creates it. An existing folder keeps its inode.
fn open_empty(path: &Path) -> io::Result<OwnedFd> {
    let folder = match open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            DirBuilder::new().mode(0o700).recursive(true).create(path)?;
            return open(path);
        }
        opened => opened?,
    };
    if !is_empty(&folder) {
        remove_entries(&folder)?;
    }
    Ok(folder)
}

/// Whether a command replaced the folder by something that cannot be emptied, such as a link.
fn is_spoilt(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::NotADirectory)
}

fn open(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?)
}

/// Whether a folder that was just opened is empty. An unreadable folder counts as not empty.
fn is_empty(folder: &OwnedFd) -> bool {
    let mut space = [MaybeUninit::uninit(); 512];
    let mut entries = RawDir::new(folder, &mut space);
    while let Some(entry) = entries.next() {
        if !entry.is_ok_and(|entry| [c".", c".."].contains(&entry.file_name())) {
            return false;
        }
    }
    true
}

/// Removes the entries of this open folder, even if another one is at its path by now.
fn remove_entries(folder: &OwnedFd) -> io::Result<()> {
    for entry in fs::read_dir(format!("/proc/self/fd/{}", folder.as_raw_fd()))? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
