//! Which program is `reg` here, in which environment it runs, and how to make Wine save.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variables of our environment that Wine gets; no others are passed on.
const PASSED_VARIABLES: [&str; 5] = ["HOME", "LOGNAME", "USER", "XDG_RUNTIME_DIR", "SystemRoot"];

/// A program that accepts the arguments of `reg`.
#[derive(Debug, Clone)]
pub(super) enum RegistryProgram {
    /// The `reg.exe` of Windows, by its absolute path.
    System(PathBuf),
    /// Wine's own `reg.exe`, for one Wine prefix.
    Wine {
        /// The program `wine`, by its absolute path.
        wine: PathBuf,
        /// The prefix whose registry is meant.
        prefix: PathBuf,
    },
}

impl RegistryProgram {
    /// A run of `reg` with these arguments.
    pub(super) fn command(&self, words: &[String]) -> Command {
        let mut command = match self {
            Self::System(program) => clean(program),
            Self::Wine { wine, prefix } => {
                let mut command = of_wine(wine, wine, prefix);
                // By its full path: Wine would look for a plain name in the current folder first.
                command.arg(r"C:\windows\system32\reg.exe");
                command
            }
        };
        command.args(words);
        command
    }

    /// A command that waits until changes are on the disk; `None` if the system saves by itself.
    pub(super) fn save(&self) -> Option<Command> {
        match self {
            Self::System(_) => None,
            Self::Wine { wine, prefix } => {
                let mut command = of_wine(&wine.with_file_name("wineserver"), wine, prefix);
                command.arg("-w");
                Some(command)
            }
        }
    }

    /// A file of ours, in the program's notation; `None` if it has none.
    pub(super) fn file_name(&self, file: &Path) -> Option<String> {
        let file = file.to_str()?;
        match self {
            Self::System(_) => Some(file.to_owned()),
            // A prefix need not have a drive for the whole disk; this form needs none.
            Self::Wine { .. } if !file.contains('\\') => {
                Some(format!(r"\\?\unix{}", file.replace('/', r"\")))
            }
            Self::Wine { .. } => None,
        }
    }
}

fn of_wine(program: &Path, wine: &Path, prefix: &Path) -> Command {
    let mut command = clean(program);
    let mut path = OsString::from(wine.parent().unwrap_or(Path::new("/usr/bin")));
    path.push(":/usr/bin:/bin");
    command
        .env("PATH", path)
        .env("WINEPREFIX", prefix)
        .env("WINEDEBUG", "-all")
        // Arguments are UTF-8 in any language of the user.
        .env("LC_ALL", "C.UTF-8")
        // Wine would offer to download these two when it updates a prefix.
        .env("WINEDLLOVERRIDES", "mscoree,mshtml=")
        .current_dir("/");
    command
}

fn clean(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command.envs(PASSED_VARIABLES.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    command
}
