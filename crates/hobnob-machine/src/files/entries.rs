//! The entries of an open folder from the kernel: names and kinds, without a `stat` for each.
//!
//! Lists, trees, the walk of a search and deletion read folders through here.

use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;

use hobnob_policy::EntryKind;
use rustix::fs::RawDir;
use rustix::io::Errno;

use super::kind::kind_of_type;
use super::problem::FileRefusal;

/// Size of the kernel's buffer; no entry is longer than 280 bytes.
const BUFFER_BYTES: usize = 32 * 1024;

/// A buffer for entries, reused for one folder after the other.
pub(crate) struct EntryReader {
    buffer: Vec<MaybeUninit<u8>>,
}

impl EntryReader {
    pub(crate) fn new() -> Self {
        Self { buffer: vec![MaybeUninit::uninit(); BUFFER_BYTES] }
    }

    /// Calls `each` for every entry but `.` and `..`, in the file system's order.
    ///
    /// The handle must be fresh, because it remembers how far it was read. The kind is `None` if
    /// the file system does not report it.
    pub(crate) fn read(
        &mut self,
        folder: impl AsFd,
        mut each: impl FnMut(&OsStr, Option<EntryKind>) -> ControlFlow<()>,
    ) -> Result<(), FileRefusal> {
        let mut entries = RawDir::new(folder, &mut self.buffer);
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(Errno::INTR) => continue,
                Err(errno) => return Err(errno.into()),
            };
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            let kind = kind_of_type(entry.file_type());
            if each(OsStr::from_bytes(name), kind).is_break() {
                break;
            }
        }
        Ok(())
    }
}
