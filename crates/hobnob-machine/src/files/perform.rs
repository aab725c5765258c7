//! The entry point for services: takes a permit, opens the granted folder, and returns the outcome.
//!
//! An action is done exactly as the permit carries it. Folders are kept open while the same grant
//! exists and their paths lead to them.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use hobnob_policy::{FileAction, FileOperation, FileRoot, GrantedPath, Permit, RootAccess};

use super::control::SearchControl;
use super::descend::LastLink;
use super::edit::{EditedFile, edit};
use super::hidden::HiddenFolders;
use super::list::{FolderPage, list};
use super::make_folder::{FolderMade, make_folder};
use super::problem::{FileError, FileRefusal};
use super::read::{FilePart, read};
use super::rename::rename;
use super::root::ConfinedRoot;
use super::search::{SearchError, SearchPage, search};
use super::stat::{FileStat, stat};
use super::trash::{Deleted, TrashLimits, clean_trash, delete};
use super::tree::{FolderTree, tree};
use super::watch_place::WatchPlace;
use super::write::{WrittenFile, write};

/// The granted folders that were used so far, held open, and the folders to hide in them.
pub struct GrantedFolders {
    hidden: Arc<HiddenFolders>,
    open: Mutex<HashMap<Arc<FileRoot>, Arc<ConfinedRoot>>>,
}

/// The result of an action, one variant for each operation.
#[derive(Debug)]
pub enum FileOutcome {
    /// The metadata of an entry.
    Stat(FileStat),
    /// The bytes or lines of the requested window.
    Read(FilePart),
    /// A page of a folder's entries.
    List(FolderPage),
    /// The rows of a tree; each folder comes before its entries.
    Tree(FolderTree),
    /// A page of hits in the order of their paths, with the totals.
    Search(SearchPage),
    /// The file as it was written.
    Written(WrittenFile),
    /// The changes of the edits, made or previewed.
    Edited(EditedFile),
    /// The entry was moved.
    Moved,
    /// Whether the folder existed before.
    FolderMade(FolderMade),
    /// The entry's place in the trash, unless it is gone for good.
    Deleted(Deleted),
}

impl GrantedFolders {
    /// Opens nothing yet. `hidden` stays invisible in all granted folders.
    pub fn new(hidden: HiddenFolders) -> Self {
        Self { hidden: Arc::new(hidden), open: Mutex::new(HashMap::new()) }
    }

    /// Closes the folders that no grant names any more.
    pub fn keep(&self, granted: &[Arc<FileRoot>]) {
        let mut open = self.open.lock();
        open.retain(|root, _| granted.contains(root));
    }

    /// Performs the permit's action. It blocks: a search may take seconds, and `control` ends it.
    pub fn perform(
        &self,
        permit: &Permit<FileAction>,
        control: &SearchControl,
    ) -> Result<FileOutcome, SearchError> {
        let action = permit.request();
        let (root, path) = (self.root(action.path())?, action.path().below());
        Ok(match action.operation() {
            FileOperation::Stat => FileOutcome::Stat(stat(&root, path)?),
            FileOperation::Read { window, limit } => {
                FileOutcome::Read(read(&root, path, *window, *limit)?)
            }
            FileOperation::List { after, limit } => {
                FileOutcome::List(list(&root, path, after.as_deref(), *limit)?)
            }
            FileOperation::Tree(wish) => FileOutcome::Tree(tree(&root, path, wish)?),
            FileOperation::Search { wish, after, limit } => {
                let after = after.as_deref().map(str::parse).transpose()?;
                FileOutcome::Search(search(&root, path, wish, after.as_ref(), *limit, control)?)
            }
            FileOperation::Write { bytes, mode } => {
                FileOutcome::Written(write(&root, path, bytes, *mode)?)
            }
            FileOperation::Edit { edits, run } => {
                FileOutcome::Edited(edit(&root, path, edits, *run)?)
            }
            FileOperation::Move { to, mode } => {
                let target = self.root(to)?;
                rename((&root, path), (&target, to.below()), *mode)?;
                FileOutcome::Moved
            }
            FileOperation::MakeFolder(parents) => {
                FileOutcome::FolderMade(make_folder(&root, path, *parents)?)
            }
            FileOperation::Delete(deletion) => {
                FileOutcome::Deleted(delete(&root, path, *deletion)?)
            }
        })
    }

    /// Removes old deletions, and the oldest ones above the size limit, from the trash of all open
    /// writable folders; returns how many were removed. A trash that cannot be read is kept.
    pub fn clean_trash(&self, limits: TrashLimits, now: SystemTime) -> usize {
        let open = self.open.lock();
        let writable = open.iter().filter(|(granted, _)| granted.access() == RootAccess::Write);
        let roots: Vec<_> = writable.map(|(_, root)| Arc::clone(root)).collect();
        // Other threads may use the folders meanwhile.
        drop(open);
        roots.iter().map(|root| clean_trash(root, limits, now).unwrap_or(0)).sum()
    }

    /// The place to watch for a permit: a folder itself, or a file in its folder.
    pub(crate) fn place_to_watch(
        &self,
        permit: &Permit<FileAction>,
    ) -> Result<WatchPlace, FileError> {
        let place = permit.request().path();
        let root = self.root(place)?;
        let found = root.resolve(place.below(), LastLink::Follow);
        let found = found.and_then(|found| WatchPlace::of(&found));
        found.map_err(|refusal| FileError::new(place.below(), refusal))
    }

    fn root(&self, place: &GrantedPath) -> Result<Arc<ConfinedRoot>, FileError> {
        self.open(place.root())
    }

    /// The folder of a grant, opened at its first use. The caller got the grant from a permit.
    pub(crate) fn open(&self, granted: &Arc<FileRoot>) -> Result<Arc<ConfinedRoot>, FileError> {
        let mut open = self.open.lock();
        match open.get(granted).filter(|root| root.is_in_place()) {
            Some(root) => return Ok(Arc::clone(root)),
            None => drop(open.remove(granted)),
        }
        // An identity that cannot be parsed is not the identity of this folder.
        let replaced = |_| FileError::of_root(granted.path(), FileRefusal::RootReplaced);
        let identity = granted.identity().parse().map_err(replaced)?;
        let hidden = Arc::clone(&self.hidden);
        let root = ConfinedRoot::open(granted.path(), &identity, hidden, granted.hard_links())?;
        let root = Arc::new(root);
        open.insert(Arc::clone(granted), Arc::clone(&root));
        Ok(root)
    }
}

impl fmt::Debug for GrantedFolders {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("GrantedFolders").finish_non_exhaustive()
    }
}
