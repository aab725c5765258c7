//! Watches for changes in granted folders, through inotify.
//!
//! Folders are watched by their handles and never by a path, so the watched folder is the one that
//! the permit named. There is no thread here: a watcher's owner polls its descriptor.

use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use hobnob_policy::{FileAction, Permit};
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use super::perform::GrantedFolders;
use super::problem::FileError;
use super::watch_place::WatchPlace;

/// Size of the event buffer; an event has at most 272 bytes.
const BUFFER_BYTES: usize = 16 * 1024;

/// Watches places in granted folders; the owner gives each a key.
#[derive(Debug)]
pub struct FolderWatcher {
    inotify: OwnedFd,
    limit: usize,
    watched: Mutex<Watched>,
}

/// The changes since the last read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchEvents {
    /// The places with these keys changed; empty if nothing did.
    Changed(BTreeSet<Arc<str>>),
    /// The kernel's event queue overflowed, so any place may have changed.
    Everything,
}

/// Why a place is not watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The place cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The maximum number of places is watched already.
    #[error("{limit} places are watched already, which is the limit")]
    TooMany {
        /// The maximum number of places.
        limit: usize,
    },
    /// The kernel refused the watch.
    #[error("the system cannot watch it")]
    System(#[source] io::Error),
}

/// The folder and the keys of each inotify watch.
#[derive(Debug, Default)]
struct Watched {
    folders: HashMap<i32, Vec<WatchedEntry>>,
    keys: HashMap<Arc<str>, i32>,
}

#[derive(Debug)]
struct WatchedEntry {
    key: Arc<str>,
    /// The name that matters; without one, all names do.
    entry: Option<OsString>,
}

impl FolderWatcher {
    /// A watcher of at most `limit` places.
    ///
    /// # Errors
    /// When the system refuses another inotify instance.
    pub fn new(limit: usize) -> io::Result<Self> {
        let inotify = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        Ok(Self { inotify, limit, watched: Mutex::default() })
    }

    /// Watches the place that the permit names until the key is [forgotten](Self::forget).
    ///
    /// # Errors
    /// When the place cannot be reached, or too many places are watched.
    pub fn watch(
        &self,
        key: &Arc<str>,
        folders: &GrantedFolders,
        permit: &Permit<FileAction>,
    ) -> Result<(), WatchError> {
        let place = folders.place_to_watch(permit)?;
        let mut watched = self.lock();
        if self.limit <= watched.keys.len() && !watched.keys.contains_key(key) {
            return Err(WatchError::TooMany { limit: self.limit });
        }
        // Before the old watch is forgotten: the same folder keeps its watch number, and with it
        // the events that are not read yet.
        let number = self.add(&place).map_err(|errno| WatchError::System(errno.into()))?;
        match watched.keys.get(key) {
            Some(before) if *before == number => watched.forget_entry(key, number),
            Some(_) => watched.forget(key, &self.inotify),
            None => {}
        }
        let entry = WatchedEntry { key: Arc::clone(key), entry: place.entry };
        watched.folders.entry(number).or_default().push(entry);
        watched.keys.insert(Arc::clone(key), number);
        Ok(())
    }

    /// Stops watching a place.
    pub fn forget(&self, key: &str) {
        self.lock().forget(key, &self.inotify);
    }

    /// Whether a place is still watched: a removed folder loses its watch.
    pub fn watches(&self, key: &str) -> bool {
        self.lock().keys.contains_key(key)
    }

    /// All changes since the last call; it does not wait.
    ///
    /// # Errors
    /// When the events cannot be read.
    pub fn read(&self) -> io::Result<WatchEvents> {
        let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
        let mut reader = Reader::new(&self.inotify, &mut buffer);
        let mut watched = self.lock();
        let mut changed = BTreeSet::new();
        let mut lost = false;
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => continue,
                Err(errno) => return Err(errno.into()),
            };
            lost |= event.events().contains(ReadFlags::QUEUE_OVERFLOW);
            let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
            watched.note(event.wd(), event.events(), name, &mut changed, &self.inotify);
        }
        Ok(match lost {
            true => WatchEvents::Everything,
            false => WatchEvents::Changed(changed),
        })
    }

    fn add(&self, place: &WatchPlace) -> Result<i32, Errno> {
        // The link leads to the folder behind the handle, even if the folder was moved.
        let link = format!("/proc/self/fd/{}", place.folder.as_raw_fd());
        let changes = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::MODIFY
            | WatchFlags::CLOSE_WRITE;
        let own = WatchFlags::DELETE_SELF | WatchFlags::MOVE_SELF | WatchFlags::ONLYDIR;
        // The same flags for every place, since a folder has only one watch.
        inotify::add_watch(&self.inotify, link.as_str(), changes | own)
    }

    fn lock(&self) -> MutexGuard<'_, Watched> {
        // Each change is complete before any code that could panic.
        self.watched.lock()
    }
}

impl Watched {
    /// Removes the entry of a key whose folder stays watched.
    fn forget_entry(&mut self, key: &str, number: i32) {
        if let Some(entries) = self.folders.get_mut(&number) {
            entries.retain(|entry| &*entry.key != key);
        }
    }

    fn forget(&mut self, key: &str, inotify: &OwnedFd) {
        let Some(number) = self.keys.remove(key) else { return };
        let Some(entries) = self.folders.get_mut(&number) else { return };
        entries.retain(|entry| &*entry.key != key);
        if entries.is_empty() {
            self.folders.remove(&number);
            // The folder may be gone already, and its watch with it.
            let _ = inotify::remove_watch(inotify, number);
        }
    }

    fn note(
        &mut self,
        number: i32,
        events: ReadFlags,
        name: Option<&OsStr>,
        changed: &mut BTreeSet<Arc<str>>,
        inotify: &OwnedFd,
    ) {
        let Some(entries) = self.folders.get(&number) else { return };
        let concerns = |it: &&WatchedEntry| match (&it.entry, name) {
            (Some(entry), Some(name)) => entry == name,
            (None, _) | (_, None) => true,
        };
        changed.extend(entries.iter().filter(concerns).map(|it| Arc::clone(&it.key)));
        let gone = ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::IGNORED;
        if events.intersects(gone) {
            // The folder's new place may be outside of every grant.
            for entry in self.folders.remove(&number).unwrap_or_default() {
                self.keys.remove(&entry.key);
            }
            let _ = inotify::remove_watch(inotify, number);
        }
    }
}

impl AsFd for FolderWatcher {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inotify.as_fd()
    }
}

impl AsRawFd for FolderWatcher {
    fn as_raw_fd(&self) -> RawFd {
        self.inotify.as_raw_fd()
    }
}
