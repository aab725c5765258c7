//! A folder and its subfolders as rows of a tree: sorted, limited, without ignored entries.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;

use hobnob_policy::{EntryKind, RelativePath, TreeWish};
use rustix::fs::{AtFlags, fstat, statat};

use super::descend::{LastLink, Leaf};
use super::hidden::HiddenNow;
use super::ignored::{IgnoreRules, RuleFiles};
use super::kind::{kind_of, refuse_kernel_file_system};
use super::list::visible_names;
use super::open::open_folder;
use super::problem::{FileError, FileRefusal};
use super::root::ConfinedRoot;

/// How many nested folders are held open at once.
const MAX_DEPTH: usize = 256;

/// One row of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeRow {
    /// The indentation; the entries of the folder itself have 0.
    pub depth: usize,
    /// Its name, with replacement characters if it is not UTF-8.
    pub name: String,
    /// Its kind; links are not followed.
    pub kind: EntryKind,
}

/// The rows of a tree: each folder is followed by its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderTree {
    /// The rows, at most as many as requested.
    pub rows: Vec<TreeRow>,
    /// Whether there are more rows than requested.
    pub cut: bool,
    /// Folders that could not be read; they have a row but no entries.
    pub unreadable: usize,
}

/// Reads the tree of a folder.
pub(crate) fn tree(
    root: &ConfinedRoot,
    path: &RelativePath,
    wish: &TreeWish,
) -> Result<FolderTree, FileError> {
    draw(root, path, wish).map_err(|refusal| FileError::new(path, refusal))
}

fn draw(
    root: &ConfinedRoot,
    path: &RelativePath,
    wish: &TreeWish,
) -> Result<FolderTree, FileRefusal> {
    let start = root.resolve(path, LastLink::Follow)?;
    let folder = start.folder()?;
    let mut rules = IgnoreRules::new(wish.ignore_files, wish.dot_files);
    let mut prefix = Vec::new();
    for (name, above) in start.way() {
        push_name(&mut prefix, name);
        rules = rules.enter(above, prefix.len(), RuleFiles::ALL);
    }
    if let Leaf::Present(opened) = &start.leaf {
        push_name(&mut prefix, &opened.name);
        rules = rules.enter(folder, prefix.len(), RuleFiles::ALL);
    }
    let tree = FolderTree { rows: Vec::new(), cut: false, unreadable: 0 };
    let mut drawing = Drawing { wish, hidden: root.hidden_now(), path: prefix, tree };
    drawing.entries(folder, &rules, 0)?;
    Ok(drawing.tree)
}

fn push_name(path: &mut Vec<u8>, name: &OsStr) {
    if !name.is_empty() {
        path.extend_from_slice(name.as_bytes());
        path.push(b'/');
    }
}

struct Drawing<'wish> {
    wish: &'wish TreeWish,
    hidden: HiddenNow,
    /// The path of the folder whose entries are drawn, with a slash at its end unless empty.
    path: Vec<u8>,
    tree: FolderTree,
}

impl Drawing<'_> {
    fn entries(
        &mut self,
        folder: BorrowedFd<'_>,
        rules: &IgnoreRules,
        depth: usize,
    ) -> Result<(), FileRefusal> {
        let length = self.path.len();
        for (name, kind) in visible_names(folder, &self.hidden)? {
            let kind = match kind {
                Some(kind) => kind,
                None => kind_of(&statat(folder, &name, AtFlags::SYMLINK_NOFOLLOW)?),
            };
            self.path.truncate(length);
            self.path.extend_from_slice(name.as_bytes());
            if rules.skips(&self.path, &name, kind) {
                continue;
            }
            if self.wish.rows <= self.tree.rows.len() {
                self.tree.cut = true;
                break;
            }
            let shown = name.to_string_lossy().into_owned();
            self.tree.rows.push(TreeRow { depth, name: shown, kind });
            let deeper = depth + 1;
            if kind == EntryKind::Folder && deeper < self.wish.depth.min(MAX_DEPTH) {
                self.path.push(b'/');
                if self.below(folder, &name, rules, deeper).is_err() {
                    self.tree.unreadable += 1;
                }
            }
        }
        self.path.truncate(length);
        Ok(())
    }

    fn below(
        &mut self,
        above: BorrowedFd<'_>,
        name: &OsStr,
        rules: &IgnoreRules,
        depth: usize,
    ) -> Result<(), FileRefusal> {
        let folder = open_folder(above, name)?;
        let stat = fstat(&folder)?;
        if self.hidden.has(&stat) {
            return Ok(());
        }
        if stat.st_dev != fstat(above)?.st_dev {
            refuse_kernel_file_system(&folder)?;
        }
        let rules = rules.enter(folder.as_fd(), self.path.len(), RuleFiles::ALL);
        self.entries(folder.as_fd(), &rules, depth)
    }
}
