//! All names of one folder, sorted by their bytes.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::os::fd::BorrowedFd;

use hobnob_policy::EntryKind;

use super::entries::EntryReader;
use super::open::reopen_folder;
use super::problem::FileRefusal;

/// The names of a folder with their kinds, if the file system reports them.
pub(crate) fn sorted_names(
    folder: BorrowedFd<'_>,
) -> Result<Vec<(OsString, Option<EntryKind>)>, FileRefusal> {
    let mut names = Vec::new();
    EntryReader::new().read(reopen_folder(folder)?, |name, kind| {
        names.push((name.to_owned(), kind));
        ControlFlow::Continue(())
    })?;
    names.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    Ok(names)
}
