//! Finds the program of a granted command, once, when it is granted; calls use the stored path.

use anyhow::Context as _;
use hobnob_terminal::ended::Ended;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The name by which callers run it, and the file.
pub(super) struct FoundProgram {
    pub(super) name: String,
    pub(super) file: PathBuf,
}

/// Finds a program by its name in the search path, or by its path.
pub(super) fn find_program(typed: &str) -> anyhow::Result<FoundProgram> {
    let path = Path::new(typed);
    let file = match path.components().count() {
        1 if !typed.contains('/') => in_search_path(typed).ok_or_else(|| {
            Ended::usage(format!("there is no program `{typed}` in the search path"))
        })?,
        _ => plain(&std::path::absolute(path).with_context(|| format!("the program {typed}"))?),
    };
    if !is_program(&file) {
        return Err(Ended::usage(format!("{typed} is not a program that can be run")).into());
    }
    if is_ourselves(&file) {
        let message = "Hobnob itself cannot be granted: it could grant itself anything";
        return Err(Ended::usage(message).into());
    }
    let name = file.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let name = name.ok_or_else(|| Ended::usage(format!("the name of {typed} is not UTF-8")))?;
    Ok(FoundProgram { name, file })
}

/// The program as `revoke` compares it: its path if it is found, else the text as typed.
pub(in crate::commands) fn shown_program(typed: &str) -> String {
    match find_program(typed) {
        Ok(found) => found.file.display().to_string(),
        Err(_) => typed.to_owned(),
    }
}

fn in_search_path(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let mut files = env::split_paths(&folders).filter(|it| it.is_absolute());
    files.find_map(|folder| Some(plain(&folder.join(name))).filter(|file| is_program(file)))
}

/// Normalises the path, but keeps links: a program may depend on the name by which it is run.
fn plain(path: &Path) -> PathBuf {
    let has_parents = path.components().any(|part| part.as_os_str() == "..");
    match (has_parents, path.parent().map(Path::canonicalize), path.file_name()) {
        (true, Some(Ok(folder)), Some(name)) => folder.join(name),
        _ => path.components().collect(),
    }
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(file).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|it| it.is_file())
}

fn is_ourselves(file: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    env::current_exe().is_ok_and(|own| real(&own).is_some() && real(&own) == real(file))
}
