//! Finds a program's file by its name, in the child's own `PATH`.
//!
//! [`Child::spawn`](super::Child::spawn) and the code that makes sandboxes call this, so that an
//! error names what is missing and where it was looked for; the system only says "not found".

use super::spec::ChildSpec;
use crate::supervisor::ARGUMENT;
use crate::trace::TRACE;
use rustix::fs::{Access, access};
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

impl ChildSpec {
    /// The file to run. Errors say what was looked for, and where.
    pub fn find_program(&self) -> io::Result<PathBuf> {
        find(self)
    }

    /// Wraps the program in our own, which traces it and appends to the existing file `report`.
    /// `supervisor` is the program that acts as a supervisor when started with its argument.
    pub fn traced(mut self, supervisor: &Path, report: &Path) -> io::Result<Self> {
        let program = self.find_program()?;
        let before: [OsString; 4] = [ARGUMENT.into(), TRACE.into(), report.into(), program.into()];
        self.args.splice(..0, before);
        self.program = supervisor.into();
        Ok(self)
    }
}

fn find(spec: &ChildSpec) -> io::Result<PathBuf> {
    let here = match &spec.cwd {
        Some(cwd) if cwd.is_dir() => Cow::Borrowed(cwd.as_path()),
        Some(cwd) => {
            return not_found(format!("the working directory `{}` does not exist", cwd.display()));
        }
        None => Cow::Owned(std::env::current_dir()?),
    };
    let name = spec.program.as_os_str();
    if name.is_empty() {
        return not_found("the command is empty: name a program".into());
    }
    if name.as_bytes().contains(&b'/') {
        let path = here.join(name);
        return match judge(&path) {
            Lookup::Program => Ok(path),
            Lookup::NotExecutable => not_executable(&path),
            Lookup::Nothing => not_found(format!("there is no file `{}`", path.display())),
        };
    }
    search(name, path_of(spec), &here)
}

fn search(name: &OsStr, path: &OsStr, here: &Path) -> io::Result<PathBuf> {
    let mut unusable = None;
    for folder in std::env::split_paths(path) {
        let file = here.join(folder).join(name);
        match judge(&file) {
            Lookup::Program => return Ok(file),
            Lookup::NotExecutable => unusable = unusable.or(Some(file)),
            Lookup::Nothing => {}
        }
    }
    match unusable {
        Some(file) => not_executable(&file),
        None if path.is_empty() => not_found(format!(
            "`{}` cannot be looked up, because PATH is empty: give its full path",
            name.display()
        )),
        None => not_found(format!(
            "`{}` was not found in PATH ({}): install it or give its full path",
            name.display(),
            path.display()
        )),
    }
}

/// The last `PATH` counts, as it does for the child.
fn path_of(spec: &ChildSpec) -> &OsStr {
    let path = spec.env.iter().rev().find(|(name, _)| name == "PATH");
    path.map_or(OsStr::new(""), |(_, value)| value)
}

enum Lookup {
    Program,
    NotExecutable,
    Nothing,
}

fn judge(path: &Path) -> Lookup {
    match path.metadata() {
        Ok(file) if file.is_file() && access(path, Access::EXEC_OK).is_ok() => Lookup::Program,
        Ok(_) => Lookup::NotExecutable,
        Err(_) => Lookup::Nothing,
    }
}

fn not_found<T>(message: String) -> io::Result<T> {
    Err(io::Error::new(io::ErrorKind::NotFound, message))
}

fn not_executable<T>(path: &Path) -> io::Result<T> {
    let message = format!("`{}` is not an executable file", path.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
}
