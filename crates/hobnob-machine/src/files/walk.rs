//! Visits all entries below a folder with several threads, over handles instead of paths.
//!
//! A walker that opens folders by path can be led out by a rename between two steps; this one opens
//! each folder relative to its parent's handle. Links are visited and not followed.

use std::ffi::{OsStr, OsString};
use std::ops::{ControlFlow, Range};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use hobnob_policy::EntryKind;
use rustix::fs::{AtFlags, fstat, statat};

use super::control::SearchControl;
use super::descend::{Leaf, Resolved};
use super::entries::EntryReader;
use super::hidden::HiddenNow;
use super::ignored::{IgnoreRules, RuleFiles};
use super::kind::{kind_of, refuse_kernel_file_system};
use super::open::{open_folder, reopen_folder};
use super::problem::FileRefusal;
use super::root::ConfinedRoot;
use super::work_stack::WorkStack;

/// Maximum number of threads; more would only wait for the disk.
const MAX_THREADS: usize = 8;
/// Deepest nesting of folders; deeper ones count as unreadable.
const MAX_DEPTH: usize = 256;
/// Files of one folder that one thread visits before it shares the rest.
const CHUNK: usize = 64;

/// What to walk, and what to visit.
pub(crate) struct WalkRules<'walk> {
    pub(crate) ignore: IgnoreRules,
    /// How many folders deep; the entries of the first one have depth 1.
    pub(crate) depth: usize,
    pub(crate) visits: Visits,
    pub(crate) order: WalkOrder,
    /// Whether nothing below a folder needs to be visited; the path ends with a slash.
    pub(crate) leaves_out: &'walk (dyn Fn(&[u8]) -> bool + Sync),
}

/// The order of a walk, as far as several threads have one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkOrder {
    /// The order in which the file system returns the entries.
    Any,
    /// The order of the paths' bytes.
    SmallestFirst,
}

/// The cost of a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visits {
    /// Only names are compared: not worth sharing the entries of one folder.
    Cheap,
    /// Files are read, so the threads share a large folder.
    Costly,
}

/// A folder of the walk, open for reading.
#[derive(Debug)]
pub(crate) struct WalkFolder {
    handle: OwnedFd,
    /// Relative to the granted folder, with a slash at its end unless empty.
    path: Vec<u8>,
    ignore: IgnoreRules,
    depth: usize,
    device: u64,
}

/// One entry, as passed to a visit.
pub(crate) struct WalkEntry<'walk> {
    pub(crate) folder: BorrowedFd<'walk>,
    pub(crate) name: &'walk OsStr,
    /// Relative to the granted folder.
    pub(crate) path: &'walk [u8],
    pub(crate) kind: EntryKind,
}

/// The states of the threads, and how many entries could not be read.
pub(crate) struct Walked<S> {
    pub(crate) states: Vec<S>,
    pub(crate) unreadable: u64,
}

/// A unit of work on the stack: a folder, or some files of one.
enum Piece {
    /// The folder that the walk begins with.
    Start(WalkFolder),
    /// A folder by its name, which is opened when its turn comes.
    Folder(Arc<WalkFolder>, OsString),
    /// Some files of a large folder.
    Files(Arc<WalkFolder>, Vec<OsString>),
}

/// Visits everything below `start`, or the one file that `start` is. Each thread has its own state.
pub(crate) fn walk<S: Send>(
    root: &ConfinedRoot,
    start: &Resolved<'_>,
    rules: &WalkRules<'_>,
    control: &SearchControl,
    make: impl Fn() -> S + Sync,
    visit: impl Fn(&mut S, &WalkEntry<'_>) + Sync,
) -> Result<Walked<S>, FileRefusal> {
    let walk = Walk {
        rules,
        control,
        hidden: root.hidden_now(),
        stack: WorkStack::new(first_piece(start, rules)?),
        unreadable: AtomicU64::new(0),
        visit,
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let run = || {
        let mut walker = Walker::new(&walk, make());
        walker.run();
        walker.state
    };
    let states = thread::scope(|scope| {
        let others: Vec<_> = (1..cores.min(MAX_THREADS)).map(|_| scope.spawn(run)).collect();
        let mut states = vec![run()];
        for other in others {
            match other.join() {
                Ok(state) => states.push(state),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        states
    });
    if control.is_cancelled() {
        return Err(FileRefusal::Cancelled);
    }
    Ok(Walked { states, unreadable: walk.unreadable.into_inner() })
}

/// Reads the ignore rules of the folders above the start, up to the granted folder.
fn first_piece(start: &Resolved<'_>, rules: &WalkRules<'_>) -> Result<Piece, FileRefusal> {
    let mut path = Vec::new();
    let mut ignore = rules.ignore.clone();
    let way = start.way().filter(|_| !matches!(start.leaf, Leaf::Root));
    for (name, folder) in way {
        push_folder(&mut path, name);
        ignore = ignore.enter(folder, path.len(), RuleFiles::ALL);
    }
    let (folder, file) = match &start.leaf {
        Leaf::Root => (start.parent(), None),
        Leaf::Absent(_) => return Err(FileRefusal::Missing),
        Leaf::Present(opened) => match opened.kind() {
            EntryKind::Folder => {
                push_folder(&mut path, &opened.name);
                (opened.handle.as_fd(), None)
            }
            EntryKind::File | EntryKind::Link => (start.parent(), Some(opened.name.clone())),
            EntryKind::Special => return Err(FileRefusal::Special),
        },
    };
    let handle = reopen_folder(folder)?;
    let device = fstat(&handle)?.st_dev;
    let folder = WalkFolder { handle, path, ignore, depth: 0, device };
    Ok(match file {
        None => Piece::Start(folder),
        Some(name) => Piece::Files(Arc::new(folder), vec![name]),
    })
}

fn push_folder(path: &mut Vec<u8>, name: &OsStr) {
    if !name.is_empty() {
        path.extend_from_slice(name.as_bytes());
        path.push(b'/');
    }
}

/// The state that all threads of a walk share.
struct Walk<'walk, V> {
    rules: &'walk WalkRules<'walk>,
    control: &'walk SearchControl,
    hidden: HiddenNow,
    stack: WorkStack<Piece>,
    unreadable: AtomicU64,
    visit: V,
}

/// One thread of a walk, with buffers that are reused for one folder after the other.
struct Walker<'walk, V, S> {
    walk: &'walk Walk<'walk, V>,
    state: S,
    reader: EntryReader,
    names: NameBuffer,
    path: Vec<u8>,
    pieces: Vec<Piece>,
}

impl<'walk, S, V: Fn(&mut S, &WalkEntry<'_>)> Walker<'walk, V, S> {
    fn new(walk: &'walk Walk<'walk, V>, state: S) -> Self {
        let (reader, names) = (EntryReader::new(), NameBuffer::default());
        Self { walk, state, reader, names, path: Vec::new(), pieces: Vec::new() }
    }

    fn run(&mut self) {
        while let Some((piece, _taken)) = self.walk.stack.take() {
            if self.walk.control.is_cancelled() {
                self.walk.stack.clear();
                continue;
            }
            let done = match piece {
                Piece::Start(folder) => self.entries(folder),
                Piece::Folder(above, name) => self.folder(&above, &name),
                Piece::Files(folder, names) => {
                    names.iter().for_each(|name| self.visit_file(&folder, name));
                    Ok(())
                }
            };
            if done.is_err() {
                self.walk.unreadable.fetch_add(1, Ordering::Relaxed);
            }
            if self.walk.rules.order == WalkOrder::SmallestFirst {
                // The stack pops the last element first.
                self.pieces.reverse();
            }
            self.walk.stack.add(&mut self.pieces);
        }
    }

    /// Opens a folder, visits it, and then its entries. A hidden folder is not visited.
    fn folder(&mut self, above: &WalkFolder, name: &OsStr) -> Result<(), FileRefusal> {
        self.set_path(above, name);
        self.path.push(b'/');
        let left_out = (self.walk.rules.leaves_out)(&self.path);
        self.path.pop();
        if left_out {
            self.visit_unopened(above, name);
            return Ok(());
        }
        let handle = match open_folder(above.handle.as_fd(), name) {
            Ok(handle) => handle,
            Err(refusal) => {
                // The folder cannot be read, but it exists.
                self.visit(above, name, EntryKind::Folder);
                return Err(refusal);
            }
        };
        let stat = fstat(&handle)?;
        if self.walk.hidden.has(&stat) {
            return Ok(());
        }
        self.visit(above, name, EntryKind::Folder);
        if stat.st_dev != above.device {
            refuse_kernel_file_system(&handle)?;
        }
        let mut path = Vec::with_capacity(self.path.len() + 1);
        path.extend_from_slice(&self.path);
        path.push(b'/');
        let (ignore, depth, device) = (above.ignore.clone(), above.depth + 1, stat.st_dev);
        self.entries(WalkFolder { handle, path, ignore, depth, device })
    }

    /// Visits the entries of a folder, and pushes its subfolders onto the stack.
    fn entries(&mut self, mut folder: WalkFolder) -> Result<(), FileRefusal> {
        let mut has = RuleFiles::default();
        self.names.clear();
        self.reader.read(&folder.handle, |name, kind| {
            has.note(name);
            self.names.push(name, kind);
            ControlFlow::Continue(())
        })?;
        if self.walk.rules.order == WalkOrder::SmallestFirst {
            self.names.sort();
        }
        folder.ignore = folder.ignore.enter(folder.handle.as_fd(), folder.path.len(), has);
        let folder = Arc::new(folder);
        let names = std::mem::take(&mut self.names);
        let mut files = Files { seen: 0, shared: Vec::new() };
        for (name, kind) in names.iter() {
            if self.walk.control.is_cancelled() {
                break;
            }
            self.one_entry(&folder, name, kind, &mut files);
        }
        self.names = names;
        if !files.shared.is_empty() {
            self.pieces.push(Piece::Files(folder, files.shared));
        }
        Ok(())
    }

    fn one_entry(
        &mut self,
        folder: &Arc<WalkFolder>,
        name: &OsStr,
        kind: Option<EntryKind>,
        files: &mut Files,
    ) {
        let Some(kind) = kind.or_else(|| look_at_kind(folder, name)) else { return };
        self.set_path(folder, name);
        if folder.ignore.skips(&self.path, name, kind) {
            return;
        }
        match kind {
            EntryKind::Folder => self.sub_folder(folder, name),
            EntryKind::File if self.walk.rules.visits == Visits::Costly => {
                files.seen += 1;
                if files.seen <= CHUNK {
                    self.visit(folder, name, kind);
                    return;
                }
                files.shared.push(name.to_owned());
                if files.shared.len() == CHUNK {
                    let shared = std::mem::take(&mut files.shared);
                    self.pieces.push(Piece::Files(folder.clone(), shared));
                }
            }
            EntryKind::File | EntryKind::Link | EntryKind::Special => {
                self.visit(folder, name, kind);
            }
        }
    }

    fn sub_folder(&mut self, folder: &Arc<WalkFolder>, name: &OsStr) {
        let depth = folder.depth + 1;
        if depth < self.walk.rules.depth.min(MAX_DEPTH) {
            self.pieces.push(Piece::Folder(folder.clone(), name.to_owned()));
            return;
        }
        self.visit_unopened(folder, name);
        if depth == MAX_DEPTH {
            self.walk.unreadable.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Visits a folder without opening it, after a check by `stat`. The caller has set the path.
    fn visit_unopened(&mut self, folder: &WalkFolder, name: &OsStr) {
        let seen = statat(&folder.handle, name, AtFlags::SYMLINK_NOFOLLOW);
        if seen.is_ok_and(|stat| !self.walk.hidden.has(&stat)) {
            self.visit(folder, name, EntryKind::Folder);
        }
    }

    fn visit_file(&mut self, folder: &WalkFolder, name: &OsStr) {
        if self.walk.control.is_cancelled() {
            return;
        }
        self.set_path(folder, name);
        self.visit(folder, name, EntryKind::File);
    }

    /// Visits an entry. The caller has set the path.
    fn visit(&mut self, folder: &WalkFolder, name: &OsStr, kind: EntryKind) {
        let entry = WalkEntry { folder: folder.handle.as_fd(), name, path: &self.path, kind };
        (self.walk.visit)(&mut self.state, &entry);
    }

    fn set_path(&mut self, folder: &WalkFolder, name: &OsStr) {
        self.path.clear();
        self.path.extend_from_slice(&folder.path);
        self.path.extend_from_slice(name.as_bytes());
    }
}

/// How many files of a folder were seen, and the files that another thread may take.
struct Files {
    seen: usize,
    shared: Vec<OsString>,
}

/// The names of one folder in one buffer, to save an allocation for each.
#[derive(Default)]
struct NameBuffer {
    bytes: Vec<u8>,
    /// The range of each name, and its kind if the file system reports it.
    places: Vec<(Range<usize>, Option<EntryKind>)>,
}

impl NameBuffer {
    fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }

    fn push(&mut self, name: &OsStr, kind: Option<EntryKind>) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(name.as_bytes());
        self.places.push((start..self.bytes.len(), kind));
    }

    fn sort(&mut self) {
        let Self { bytes, places } = self;
        places
            .sort_unstable_by(|(one, _), (other, _)| bytes[one.clone()].cmp(&bytes[other.clone()]));
    }

    fn iter(&self) -> impl Iterator<Item = (&OsStr, Option<EntryKind>)> {
        let name = |place: &Range<usize>| OsStr::from_bytes(&self.bytes[place.clone()]);
        self.places.iter().map(move |(place, kind)| (name(place), *kind))
    }
}

fn look_at_kind(folder: &WalkFolder, name: &OsStr) -> Option<EntryKind> {
    let stat = statat(&folder.handle, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(kind_of(&stat))
}
