//! Reads from a stopped task: texts and bytes of its memory, and the folders that its paths start
//! from.

use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::Pid;
use std::ffi::OsStr;
use std::fs;
use std::io::IoSliceMut;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

/// The longest path that the system accepts.
const MAX_PATH: usize = 4096;
/// Memory is read in parts that end at a page boundary, because the next page may not exist.
const PAGE: usize = 4096;

/// Stands for the working folder in the place of a descriptor.
const WORKING_FOLDER: i32 = nix::libc::AT_FDCWD;

/// A task that is stopped.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tracee(pub(super) Pid);

impl Tracee {
    /// The absolute path that a call names: the text at this address, relative to this descriptor.
    /// `None` if there is no text, or if the folder is gone.
    pub(super) fn path(self, folder: u64, text: u64) -> Option<PathBuf> {
        // An empty text means the descriptor itself, whose opening was recorded before.
        let text = self.text(text).filter(|text| !text.is_empty())?;
        let text = Path::new(OsStr::from_bytes(&text));
        if text.is_absolute() {
            return Some(normal(text));
        }
        // Only the lower half of the register is the descriptor.
        let base = self.descriptor(folder as u32 as i32)?;
        let path = base.join(text);
        path.is_absolute().then(|| normal(&path))
    }

    /// The path of a descriptor, or of the working folder.
    pub(super) fn descriptor(self, number: i32) -> Option<PathBuf> {
        let link = match number {
            WORKING_FOLDER => format!("/proc/{}/cwd", self.0),
            number => format!("/proc/{}/fd/{number}", self.0),
        };
        fs::read_link(link).ok()
    }

    /// The text at an address, up to its NUL.
    fn text(self, address: u64) -> Option<Vec<u8>> {
        let mut address = usize::try_from(address).ok().filter(|it| *it != 0)?;
        let mut text = Vec::new();
        while text.len() < MAX_PATH {
            let part = self.bytes(address, PAGE - address % PAGE)?;
            match memchr::memchr(0, &part) {
                Some(end) => {
                    text.extend(part.get(..end)?);
                    return Some(text);
                }
                None => {
                    address += part.len();
                    text.extend(part);
                }
            }
        }
        None
    }

    /// Bytes of its memory; fewer if the memory ends before.
    pub(super) fn bytes(self, address: usize, count: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; count];
        let remote = [RemoteIoVec { base: address, len: count }];
        let read = process_vm_readv(self.0, &mut [IoSliceMut::new(&mut bytes)], &remote).ok()?;
        bytes.truncate(read);
        (0 < read).then_some(bytes)
    }
}

/// Removes `.` and `..` from a path. If a link comes before a `..`, the result names another file;
/// then either it does not exist later, or both are needed.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::normal;
    use std::path::Path;

    #[test]
    fn paths_have_one_form() {
        for (path, expected) in [("/a/./b/../c", "/a/c"), ("/../a", "/a"), ("/", "/")] {
            assert_eq!(normal(Path::new(path)), Path::new(expected));
        }
    }
}
