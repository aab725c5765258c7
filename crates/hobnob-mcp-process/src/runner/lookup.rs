//! Finds the file of a command's program by its name, in the command's own `PATH`.
//!
//! Only folders with an absolute path are searched: a relative one would mean the working folder,
//! in which any user may have put a program.

use super::spec::ProgramStart;
use rustix::fs::{Access, access};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The file to run. A path is kept unchanged: the working folder may be one that has no name here.
pub(super) fn find(start: &ProgramStart) -> io::Result<PathBuf> {
    let name = start.program.as_os_str();
    if name.is_empty() {
        let message = "the command is empty: name a program";
        return Err(io::Error::new(io::ErrorKind::NotFound, message));
    }
    if name.as_bytes().contains(&b'/') {
        return Ok(name.into());
    }
    // The last `PATH` counts, as it does for the program.
    let path = start.environment.iter().rev().find(|(name, _)| name == "PATH");
    let path = path.map_or(OsStr::new(""), |(_, value)| value);
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    let mut files = folders.map(|folder| folder.join(name));
    let runs = |file: &PathBuf| file.is_file() && access(file, Access::EXEC_OK).is_ok();
    files.find(runs).ok_or_else(|| {
        let message = format!(
            "`{}` was not found in the command's PATH: install it or give its full path",
            name.display()
        );
        io::Error::new(io::ErrorKind::NotFound, message)
    })
}
