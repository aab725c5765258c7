//! What a hub announces beside its socket: its build, and digests of its environment.
//!
//! The socket writes it, and `attach` reads it: a process attaches its client only to a hub of the
//! same build whose values for the variables in servers' entries are the same. What must stay true:
//! the file reveals no value; values can only be compared.

use crate::running_program::build;
use hobnob_config::{Digest, Places, Servers, process_environment};
use hobnob_disk::create_private;
use hobnob_mcp_engine::random_token;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// A larger file is not an announcement.
const MAX_BYTES: u64 = 4 << 20;

/// The contents of the file, as JSON.
#[derive(Debug, Serialize, Deserialize)]
struct HubAnnouncement {
    /// The build of its program: two builds of one release may use different messages.
    version: String,
    /// Makes the digests of two hubs differ.
    salt: String,
    /// The name of each environment variable, with a digest of its value.
    variables: BTreeMap<String, String>,
}

/// The file beside a socket. Dropping it removes the file.
pub(crate) struct AnnouncedHub(PathBuf);

impl AnnouncedHub {
    /// Writes the file for the socket at this path.
    pub(crate) fn write(socket: &Path) -> io::Result<Self> {
        let salt = random_token().map_err(io::Error::other)?;
        // Values that are not Unicode count as unset in entries, so they are left out here, too.
        let unicode = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        let variables = std::env::vars_os().filter_map(unicode).map(|(name, value)| {
            let digest = digest(&salt, &name, &value);
            (name, digest)
        });
        let variables = variables.collect();
        let version = build().to_owned();
        let text = serde_json::to_vec(&HubAnnouncement { version, salt: salt.into(), variables })?;
        let path = beside(socket);
        remove(&path);
        let mut file = create_private(&path)?;
        file.write_all(&text)?;
        Ok(Self(path))
    }
}

impl Drop for AnnouncedHub {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

/// Removes the announcement of a hub that is gone.
pub(crate) fn forget(socket: &Path) {
    remove(&beside(socket));
}

/// What a hub must have in common with this process.
pub(crate) struct HubTerms {
    /// The variables in servers' entries, with this process's values.
    variables: BTreeMap<String, Option<String>>,
}

impl HubTerms {
    /// Collects the variables from servers' entries.
    pub(crate) fn new(places: &Places) -> Self {
        let names = RefCell::new(BTreeSet::new());
        let lookup = |name: &str| {
            names.borrow_mut().insert(name.to_owned());
            process_environment(name)
        };
        drop(Servers::load(places, &lookup));
        let value = |name: String| {
            let value = process_environment(&name);
            (name, value)
        };
        Self { variables: names.into_inner().into_iter().map(value).collect() }
    }

    /// Whether the hub behind this socket would start the same servers as this process.
    pub(crate) fn fit(&self, socket: &Path) -> bool {
        let Some(hub) = read(&beside(socket)) else { return false };
        let same = |(name, value): (&String, &Option<String>)| {
            let ours = value.as_ref().map(|value| digest(&hub.salt, name, value));
            ours.as_ref() == hub.variables.get(name)
        };
        hub.version == build() && self.variables.iter().all(same)
    }
}

fn beside(socket: &Path) -> PathBuf {
    socket.with_extension("hub")
}

fn read(path: &Path) -> Option<HubAnnouncement> {
    let about = fs::metadata(path).ok()?;
    if !about.is_file() || MAX_BYTES < about.len() {
        return None;
    }
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

fn digest(salt: &str, name: &str, value: &str) -> String {
    Digest::of(format!("{salt}\0{name}\0{value}").as_bytes()).to_string()
}

fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::debug!(%error, path = %path.display(), "cannot remove what a hub said about itself");
    }
}

#[cfg(test)]
mod tests {
    use super::{AnnouncedHub, HubTerms, beside};
    use std::collections::BTreeMap;
    use std::fs;

    #[test]
    fn a_hub_of_another_build_is_not_shared() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("hub.sock");
        let _announced = AnnouncedHub::write(&socket).unwrap();
        let terms = HubTerms { variables: BTreeMap::new() };
        assert!(terms.fit(&socket));
        let text = fs::read_to_string(beside(&socket)).unwrap();
        let version = concat!("\"", env!("CARGO_PKG_VERSION"), "\"");
        assert!(text.contains(version), "{text}");
        let other = version.trim_end_matches('"').to_owned() + " (00000000 2026-01-01)\"";
        fs::write(beside(&socket), text.replace(version, &other)).unwrap();
        assert!(!terms.fit(&socket));
    }
}
