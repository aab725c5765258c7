//! Installs the program that tests use to make journal files, from Debian's packages.
//!
//! `cargo xtask test` and `ci` install it; if that is impossible, the end of the run says so.

use std::path::Path;
use std::process::Command;

use crate::process::step;

/// The variable that forbids tests to skip the journal, and its value.
pub(crate) const REQUIRED: (&str, &str) = ("HOBNOB_JOURNAL", "required");

/// Whether tests can make journal files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Journal {
    /// Both programs are installed.
    Installed,
    /// The programs are missing and cannot be installed.
    LeftOut,
}

/// Package lists may be missing or outdated; a user who is not root may have `sudo`.
const INSTALL: &str = "\
    as_root=; test \"$(id -u)\" = 0 || as_root='sudo -n'
    install() { $as_root apt-get install --yes --no-install-recommends systemd-journal-remote; }
    install || { $as_root apt-get update && install; }";

/// Installs what is missing, if possible.
pub(crate) fn ensure() -> Journal {
    if is_there() {
        return Journal::Installed;
    }
    let mut install = Command::new("sh");
    install.args(["-c", INSTALL]);
    if let Err(error) = step("systemd-journal-remote is missing: installing it", &mut install) {
        eprintln!("!! {error:#}");
    }
    if is_there() { Journal::Installed } else { Journal::LeftOut }
}

fn is_there() -> bool {
    let any = |paths: [&str; 2]| paths.iter().any(|path| Path::new(path).is_file());
    any(["/usr/lib/systemd/systemd-journal-remote", "/lib/systemd/systemd-journal-remote"])
        && any(["/usr/bin/journalctl", "/bin/journalctl"])
}
