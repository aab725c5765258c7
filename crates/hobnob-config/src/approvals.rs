//! What a person approved: servers of a project, and the tool definitions they had then.
//!
//! The gateway and `hobnob approve` read and write it. A missing file means that nothing is
//! approved; a file that cannot be read is an error, and the caller then starts none of a project's
//! servers. Changes by several processes are merged under a lock.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use hobnob_disk::{FileMode, Lock, LockError, check_folder, write_atomic};
use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::disk::read_trusted_text;
use crate::json::parse_strict;
use crate::name::ServerName;
use crate::pin::{Pin, Pins};
use crate::problem::Problem;

/// A larger file is neither read nor written.
const MAX_BYTES: u64 = 32 * 1024 * 1024;
/// How many commands of one server stay approved, so that switching branches does not ask again.
const MAX_DIGESTS: usize = 16;

/// The file exists, but cannot be trusted or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}; nothing counts as approved until it {remedy}", remedy = .0.remedy())]
pub struct Broken(pub Problem);

/// Why approvals were not saved. They are kept in memory, and a later save can succeed.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The existing file cannot be trusted, and is left unchanged.
    #[error(transparent)]
    Broken(#[from] Broken),
    /// Another process is writing.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The system reported an error while the file was written.
    #[error("cannot write {}", .0.display())]
    Io(PathBuf, #[source] io::Error),
}

/// A server as its pins know it: its name, and what is started for it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServerKey(String);

impl ServerKey {
    /// The key of a server with this identity.
    pub fn new(name: &ServerName, identity: Digest) -> Self {
        // No name holds a `/`, so no two servers share a key.
        Self(format!("{name}/{identity}"))
    }
}

impl fmt::Display for ServerKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Approvals as last read, with the changes made since.
#[derive(Debug)]
pub struct Approvals {
    path: PathBuf,
    state: State,
    /// Changes to apply again to the content of the file when it is saved.
    unsaved: Vec<Change>,
}

/// The content of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct State {
    /// By project, then by server: what was approved, the newest last.
    projects: BTreeMap<String, BTreeMap<ServerName, Vec<Digest>>>,
    pins: BTreeMap<ServerKey, Pins>,
    /// Servers whose tools may change without a question to the person.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    trusted: BTreeSet<ServerKey>,
}

#[derive(Debug, Clone)]
enum Change {
    Approve { project: String, name: ServerName, digest: Digest },
    Revoke { project: String, name: ServerName },
    SetPins { key: ServerKey, pins: Pins },
    SetPin { key: ServerKey, tool: String, pin: Pin },
    ReplacePin { key: ServerKey, tool: String, from: Pin, to: Pin },
    Trust { key: ServerKey },
    Distrust { key: ServerKey },
}

impl Approvals {
    /// Reads the file; if there is none, nothing is approved.
    pub fn load(path: &Path) -> Result<Self, Broken> {
        Ok(Self { path: path.into(), state: read_state(path)?, unsaved: Vec::new() })
    }

    /// Whether this very entry was approved for this project.
    pub fn is_approved(&self, project: &Path, name: &ServerName, digest: &Digest) -> bool {
        let servers = self.state.projects.get(&project_key(project));
        servers.and_then(|it| it.get(name)).is_some_and(|it| it.contains(digest))
    }

    /// Approves this entry for this project, in addition to earlier ones of the same server.
    pub fn approve(&mut self, project: &Path, name: &ServerName, digest: Digest) {
        let project = project_key(project);
        self.make(Change::Approve { project, name: name.clone(), digest });
    }

    /// Withdraws every approval of a server.
    pub fn revoke(&mut self, project: &Path, name: &ServerName) {
        self.make(Change::Revoke { project: project_key(project), name: name.clone() });
    }

    /// The tool definitions that were accepted for a server; `None` if it was never seen.
    pub fn pins(&self, key: &ServerKey) -> Option<&Pins> {
        self.state.pins.get(key)
    }

    /// Accepts all definitions of a server.
    pub fn set_pins(&mut self, key: ServerKey, pins: Pins) {
        self.make(Change::SetPins { key, pins });
    }

    /// Accepts the definition of one tool.
    pub fn set_pin(&mut self, key: ServerKey, tool: &str, pin: Pin) {
        self.make(Change::SetPin { key, tool: tool.into(), pin });
    }

    /// Writes the pin of one tool in another form, unless another process has changed it.
    pub fn replace_pin(&mut self, key: ServerKey, tool: &str, from: Pin, to: Pin) {
        self.make(Change::ReplacePin { key, tool: tool.into(), from, to });
    }

    /// Whether a person said that this server's tools may change.
    pub fn is_trusted(&self, key: &ServerKey) -> bool {
        self.state.trusted.contains(key)
    }

    /// Lets a server's tools change. Its pins are kept, in case the trust is withdrawn.
    pub fn trust(&mut self, key: ServerKey) {
        self.make(Change::Trust { key });
    }

    /// Withdraws the trust in a server's later changes; its pins stay.
    pub fn distrust(&mut self, key: ServerKey) {
        self.make(Change::Distrust { key });
    }

    /// Saves the changes on top of what other processes have written meanwhile.
    pub fn save(&mut self) -> Result<(), SaveError> {
        let _lock = Lock::acquire(&self.path.with_extension("lock"))?;
        let mut state = read_state(&self.path)?;
        for change in &self.unsaved {
            state.apply(change);
        }
        let failed = |error| SaveError::Io(self.path.clone(), error);
        let mut text = serde_json::to_string_pretty(&state)
            .map_err(|error| failed(io::Error::other(error)))?;
        text.push('\n');
        if MAX_BYTES < text.len() as u64 {
            return Err(failed(io::Error::other(
                "it would have more bytes than Hobnob reads again",
            )));
        }
        write_atomic(&self.path, text.as_bytes(), FileMode::Private).map_err(failed)?;
        self.state = state;
        self.unsaved.clear();
        Ok(())
    }

    /// Checks whether `save` could work, without changing anything.
    pub fn check_writable(path: &Path) -> Result<(), SaveError> {
        let lock = path.with_extension("lock");
        let _lock = if lock.exists() { Some(Lock::acquire(&lock)?) } else { None };
        check_folder(path).map_err(|error| SaveError::Io(path.into(), error))
    }

    /// Reads the file again; unsaved changes are kept.
    pub fn refresh(&mut self) -> Result<(), Broken> {
        let mut state = read_state(&self.path)?;
        for change in &self.unsaved {
            state.apply(change);
        }
        self.state = state;
        Ok(())
    }

    fn make(&mut self, change: Change) {
        self.state.apply(&change);
        self.unsaved.push(change);
    }
}

impl State {
    fn apply(&mut self, change: &Change) {
        match change {
            Change::Approve { project, name, digest } => {
                let servers = self.projects.entry(project.clone()).or_default();
                let digests = servers.entry(name.clone()).or_default();
                digests.retain(|it| it != digest);
                digests.push(*digest);
                let surplus = digests.len().saturating_sub(MAX_DIGESTS);
                digests.drain(..surplus);
            }
            Change::Revoke { project, name } => {
                if let Some(servers) = self.projects.get_mut(project) {
                    servers.remove(name);
                }
                self.projects.retain(|_, servers| !servers.is_empty());
            }
            Change::SetPins { key, pins } => {
                self.pins.insert(key.clone(), pins.clone());
            }
            Change::SetPin { key, tool, pin } => {
                self.pins.entry(key.clone()).or_default().insert(tool.clone(), *pin);
            }
            Change::ReplacePin { key, tool, from, to } => {
                let pin = self.pins.get_mut(key).and_then(|pins| pins.get_mut(tool));
                if let Some(pin) = pin.filter(|pin| **pin == *from) {
                    *pin = *to;
                }
            }
            Change::Trust { key } => {
                self.trusted.insert(key.clone());
            }
            Change::Distrust { key } => {
                self.trusted.remove(key);
            }
        }
    }
}

fn read_state(path: &Path) -> Result<State, Broken> {
    let Some(text) = read_trusted_text(path, MAX_BYTES).map_err(Broken)? else {
        return Ok(State::default());
    };
    let broken = |error| Broken(Problem::of_json(path, &error));
    // The second pass checks the types. The first refuses equal keys, which would hide each other,
    // and a list, which would pass for a structure whose fields are all missing.
    if !parse_strict(&text).map_err(broken)?.is_object() {
        return Err(Broken(Problem::of_file(path, "is not a JSON object")));
    }
    serde_json::from_str(&text).map_err(broken)
}

/// A path that is not Unicode is written in quotes with escapes: no absolute path begins so.
pub(crate) fn project_key(project: &Path) -> String {
    project.to_str().map_or_else(|| format!("{project:?}"), String::from)
}
