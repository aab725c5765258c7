//! Makes folders, with their missing parents if wanted.

use hobnob_policy::{MissingParents, RelativePath};
use rustix::fs::{Mode, mkdirat};
use rustix::io::Errno;

use super::descend::{LastLink, Leaf};
use super::kind::must_be_folder;
use super::open::must_be_one_step;
use super::problem::{FileError, FileRefusal};
use super::root::ConfinedRoot;
use super::write::flush_folder;

/// Whether a folder existed before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderMade {
    /// The folder was made just now.
    New,
    /// The folder existed already, and is unchanged.
    Existing,
}

/// Makes a folder; an existing folder is no error, any other entry of that name is.
pub(crate) fn make_folder(
    root: &ConfinedRoot,
    path: &RelativePath,
    parents: MissingParents,
) -> Result<FolderMade, FileError> {
    let fail = |refusal| FileError::new(path, refusal);
    match parents {
        MissingParents::Refuse => make_one(root, path).map_err(fail),
        MissingParents::Make => {
            let mut made = FolderMade::Existing;
            for prefix in prefixes(path) {
                made = make_one(root, &prefix).map_err(fail)?;
            }
            Ok(made)
        }
    }
}

/// The path and its parents, shortest first.
fn prefixes(path: &RelativePath) -> Vec<RelativePath> {
    let longer = std::iter::successors(Some(path.clone()), RelativePath::parent);
    let mut prefixes: Vec<_> = longer.filter(|it| !it.is_root()).collect();
    prefixes.reverse();
    prefixes
}

fn make_one(root: &ConfinedRoot, path: &RelativePath) -> Result<FolderMade, FileRefusal> {
    let found = root.resolve(path, LastLink::Follow)?;
    let name = match &found.leaf {
        Leaf::Root => return Ok(FolderMade::Existing),
        Leaf::Present(opened) => {
            must_be_folder(opened.kind()).map_err(|_| FileRefusal::Exists)?;
            return Ok(FolderMade::Existing);
        }
        Leaf::Absent(name) => name,
    };
    must_be_one_step(name)?;
    match mkdirat(found.parent(), name, Mode::from_raw_mode(0o777)) {
        Ok(()) => {}
        // Another caller made the same folder meanwhile, or a hidden folder has this name.
        Err(Errno::EXIST) => {
            let again = root.resolve(path, LastLink::Follow)?;
            again.folder().map_err(|_| FileRefusal::Exists)?;
            return Ok(FolderMade::Existing);
        }
        Err(errno) => return Err(errno.into()),
    }
    flush_folder(found.parent())?;
    Ok(FolderMade::New)
}
