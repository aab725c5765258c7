//! The names of this machine and of its people, which an anonymiser replaces in logs.
//!
//! Nothing here fails: a name that cannot be read is not known.

use std::fs;
use std::path::Path;

/// The list of accounts on Linux.
const ACCOUNTS: &str = "/etc/passwd";
/// Ids of people's accounts in it; lower ids are system accounts.
const PERSON_IDS: std::ops::Range<u32> = 1000..60_000;
/// The folder with people's home folders on the other systems.
const HOMES: &str = if cfg!(windows) { r"C:\Users" } else { "/Users" };
/// Folders in it that are no person's.
const SHARED_HOMES: [&str; 6] =
    ["All Users", "Default", "Default User", "Guest", "Public", "Shared"];

/// The names of people's accounts.
pub fn people() -> Vec<String> {
    match cfg!(target_os = "linux") {
        true => listed(&fs::read_to_string(ACCOUNTS).unwrap_or_default()),
        false => with_homes(Path::new(HOMES)),
    }
}

fn listed(accounts: &str) -> Vec<String> {
    let person = |line: &str| {
        let mut fields = line.split(':');
        let (name, number) = (fields.next()?, fields.nth(1)?.parse().ok()?);
        PERSON_IDS.contains(&number).then(|| name.to_owned())
    };
    accounts.lines().filter_map(person).collect()
}

fn with_homes(homes: &Path) -> Vec<String> {
    let folders = fs::read_dir(homes).into_iter().flatten().flatten();
    let folders = folders.filter(|entry| entry.file_type().is_ok_and(|it| it.is_dir()));
    let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| !name.starts_with('.') && !SHARED_HOMES.contains(&&**name)).collect()
}

/// The name of this machine, with and without its domain.
pub fn host_names() -> Vec<String> {
    let name = host_name();
    let short = name.split('.').next().filter(|short| *short != name).map(str::to_owned);
    std::iter::once(name).chain(short).collect()
}

#[cfg(unix)]
fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn host_name() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

#[cfg(test)]
mod tests;
