//! The environment of a command: a few variables that programs need, and those that the grant lets
//! the caller set. Hobnob's own environment, which may hold secrets, is not inherited.

use super::launch_options::SearchPath;
use hobnob_policy::RunCommand;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The default search path for programs.
const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";
/// Prefixes of variables that make the loader or the C library run other code, and of Hobnob's own
/// variables. No grant can allow them.
const FORBIDDEN: [&str; 6] = ["LD_", "DYLD_", "GCONV_", "GLIBC_", "MALLOC_", "HOBNOB_"];
/// Variables that are inherited from Hobnob's environment: language, time zone and user. They hold
/// no secrets.
const INHERITED: [&str; 6] = ["LANG", "LC_ALL", "LC_CTYPE", "TZ", "USER", "LOGNAME"];

/// A variable that no command ever gets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the variable `{0}` is never set for a command, and no grant can allow it: leave it out")]
pub(crate) struct ForbiddenVariable(String);

/// Fails if the caller sets a variable that no command ever gets.
pub(crate) fn check(command: &RunCommand) -> Result<(), ForbiddenVariable> {
    let names = command.environment().iter().map(|(name, _)| name.to_string_lossy());
    let mut forbidden = names.filter(|name| FORBIDDEN.iter().any(|it| name.starts_with(it)));
    forbidden.next().map_or(Ok(()), |name| Err(ForbiddenVariable(name.into_owned())))
}

/// A command's home folder, where programs look for their settings.
#[derive(Debug, Clone)]
pub(crate) enum CommandHome<'a> {
    /// The home of the user.
    Own(PathBuf),
    /// An empty folder, which is also the only place for temporary files.
    Scratch(&'a Path),
}

/// All variables of a command. `markers` are empty variables that tell programs who started them;
/// `own` reads a variable of this process.
pub(crate) fn environment_of(
    command: &RunCommand,
    home: CommandHome<'_>,
    markers: &[String],
    search: SearchPath,
    own: impl Fn(&str) -> Option<OsString>,
) -> Vec<(OsString, OsString)> {
    let folders = match search {
        SearchPath::System => SYSTEM_PATH.into(),
        SearchPath::Own => own("PATH").map_or_else(|| SYSTEM_PATH.into(), |path| absolute(&path)),
    };
    let mut all: BTreeMap<OsString, OsString> = BTreeMap::new();
    for name in INHERITED {
        if let Some(value) = own(name) {
            all.insert(name.into(), value);
        }
    }
    all.entry("LANG".into()).or_insert_with(|| "C.UTF-8".into());
    all.insert("PATH".into(), search_path(command.program(), &folders));
    let (home, temporary) = match home {
        CommandHome::Own(home) => (home.into_os_string(), None),
        CommandHome::Scratch(folder) => (folder.into(), Some(folder)),
    };
    all.insert("HOME".into(), home);
    all.insert("SHELL".into(), "/bin/sh".into());
    all.insert("TERM".into(), "dumb".into());
    all.extend(command.environment().iter().cloned());
    // The command can write temporary files nowhere else.
    all.extend(temporary.map(|folder| ("TMPDIR".into(), folder.into())));
    all.extend(markers.iter().map(|name| (name.into(), OsString::new())));
    all.into_iter().collect()
}

/// These folders after the program's own folder, so that the programs next to it are found first.
fn search_path(program: &Path, folders: &OsStr) -> OsString {
    let folder = program.parent().map(Path::as_os_str).unwrap_or_default();
    let known = std::env::split_paths(folders).any(|it| it.as_os_str() == folder);
    // A folder with a colon in its name would be two folders.
    if known || folder.is_empty() || folder.to_string_lossy().contains(':') {
        return folders.into();
    }
    let mut path = folder.to_owned();
    path.push(":");
    path.push(folders);
    path
}

/// The absolute folders of a search path: relative ones depend on where a program runs.
fn absolute(path: &OsStr) -> OsString {
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    std::env::join_paths(folders).unwrap_or_else(|_| SYSTEM_PATH.into())
}

#[cfg(test)]
mod tests;
