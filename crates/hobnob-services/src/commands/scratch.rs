//! Empty folders for commands that have none of their own: where a command without granted folders
//! starts, and where a confined one has its home and its temporary files.
//!
//! There are a few numbered ones, each for one command at a time and emptied before the next. They keep
//! their names, because the rules of a sandbox name the folder, and a runner is used again only where
//! the rules are the same.

use rustix::fs::{CWD, Mode, OFlags, RawDir, openat};
use std::fs::{self, DirBuilder};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

/// How long a folder rests after its command was killed: by then everything of it is gone.
const REST: Duration = Duration::from_secs(5);

/// The folders of one service.
#[derive(Debug)]
pub(crate) struct ScratchFolders {
    /// Has a folder for each process.
    shared: PathBuf,
    parent: PathBuf,
    slots: Mutex<Vec<SlotState>>,
    cleaned: Once,
}

/// What became of one numbered folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SlotState {
    Free,
    Taken,
    /// Its command was killed, and may take until then to be gone.
    Resting(Instant),
    /// What a command left in it cannot be removed, so nobody else gets it.
    Spoilt,
}

/// Whether everything of a command is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    Yes,
    Unknown,
}

/// A folder that one command has for itself.
#[derive(Debug)]
pub(crate) struct CommandScratch {
    folders: Arc<ScratchFolders>,
    number: usize,
    path: PathBuf,
    ended: Ended,
}

impl ScratchFolders {
    /// Makes nothing yet; the folders will be beneath this one, apart from those of other processes.
    pub(crate) fn new(shared: PathBuf) -> Arc<Self> {
        let parent = shared.join(std::process::id().to_string());
        Arc::new(Self { shared, parent, slots: Mutex::default(), cleaned: Once::new() })
    }

    /// Removes what processes left that were killed.
    fn clean(&self) {
        let Ok(entries) = fs::read_dir(&self.shared) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let owner = name.to_str().filter(|name| name.bytes().all(|it| it.is_ascii_digit()));
            let is_over = |owner: &str| !Path::new("/proc").join(owner).exists();
            // One with our own number is from a process that had it before us.
            if owner.is_some_and(|it| is_over(it) || self.parent.ends_with(it)) {
                drop(fs::remove_dir_all(entry.path()));
            }
        }
    }

    /// An empty folder, the one with the lowest number that is free; it is open, too.
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
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// Gives it back once everything of its command is gone. Dropped before that, it rests for a while.
    pub(crate) fn give_back(mut self) {
        self.ended = Ended::Yes;
    }
}

impl Drop for CommandScratch {
    fn drop(&mut self) {
        // It is emptied when the next command takes it.
        let state = match self.ended {
            Ended::Yes => SlotState::Free,
            Ended::Unknown => SlotState::Resting(Instant::now() + REST),
        };
        self.folders.lock()[self.number] = state;
    }
}

/// Opens the folder, and empties it before or makes it. A folder that is there stays the same one.
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

/// Whether a command made the folder something that cannot be emptied: a link to another one, say.
fn is_spoilt(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::NotADirectory)
}

fn open(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?)
}

/// Whether nothing is in a folder that was just opened. What cannot be read is not known to be empty.
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

/// Removes what is in this very folder, whatever is at its path by now.
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
