//! The sandbox of one server, from its entry or `[servers.NAME]`: what it may read and write,
//! whether it has the network, and how well the machine must enforce that.
//!
//! `entry` and `settings` parse it, the gateway starts servers by it. The start checks whether the
//! paths exist, because that may change at any time.

use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::expand::{Lookup, Secret, expand};
use crate::printable::printable;

/// The members of `sandbox`.
const MEMBERS: [&str; 4] = ["read", "write", "network", "accept"];

/// What a server can reach besides the system's programs, libraries and settings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "SandboxEntry")]
pub struct ServerSandbox {
    /// Folders and files that it may read; absolute, or beginning with `~`.
    pub read: Vec<Secret>,
    /// Folders and files that it may read and change.
    pub write: Vec<Secret>,
    /// Whether it has the network of the machine.
    pub network: bool,
    /// The weakest sandbox in which the server is started.
    pub accept: AcceptedSandbox,
}

/// The weakest sandbox in which a server is started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AcceptedSandbox {
    /// Only a sandbox with a root and namespaces of its own.
    #[default]
    Full,
    /// A full or partial sandbox.
    Partial,
    /// The best sandbox that the machine has, even a weak one.
    Any,
}

/// The sandbox as written, with its variables not yet expanded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SandboxEntry {
    read: Vec<String>,
    write: Vec<String>,
    network: bool,
    accept: AcceptedSandbox,
}

/// A wrong member, such as `read[0]`, and what is wrong with it.
pub(crate) type SandboxProblem = (String, String);

impl SandboxEntry {
    /// Parses the member `sandbox` of an entry in a `.mcp.json`.
    pub(crate) fn read(value: &Value) -> Result<Self, SandboxProblem> {
        let wrong = |member: &str, message: &str| (member.to_owned(), message.to_owned());
        let Value::Object(members) = value else {
            return Err(wrong("", "is not an object: write {\"read\": [], \"write\": []}"));
        };
        if let Some(unknown) = members.keys().find(|it| !MEMBERS.contains(&it.as_str())) {
            let message = format!(
                "is unknown: a sandbox has {}",
                MEMBERS.map(|it| format!("`{it}`")).join(", ")
            );
            return Err((unknown.clone(), message));
        }
        let accept = match members.get("accept") {
            None | Some(Value::Null) => AcceptedSandbox::Full,
            Some(value) => match value.as_str() {
                Some("full") => AcceptedSandbox::Full,
                Some("partial") => AcceptedSandbox::Partial,
                Some("any") => AcceptedSandbox::Any,
                _ => {
                    return Err(wrong("accept", "is neither \"full\" nor \"partial\" nor \"any\""));
                }
            },
        };
        let network = match members.get("network") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(network)) => *network,
            Some(_) => return Err(wrong("network", "is neither true nor false")),
        };
        let (read, write) = (texts(members, "read")?, texts(members, "write")?);
        Ok(Self { read, write, network, accept })
    }

    /// Expands variables and checks the paths.
    pub(crate) fn expand(&self, lookup: &Lookup<'_>) -> Result<ServerSandbox, SandboxProblem> {
        let paths = |member: &str, written: &[String]| {
            let one = |(at, text): (usize, &String)| {
                let path = expand(text, lookup).map_err(|unset| unset.to_string());
                let checked = path.and_then(|path| check_path(path.expose()).map(|()| path));
                checked.map_err(|why| (format!("{member}[{at}]"), why))
            };
            written.iter().enumerate().map(one).collect::<Result<Vec<_>, _>>()
        };
        Ok(ServerSandbox {
            read: paths("read", &self.read)?,
            write: paths("write", &self.write)?,
            network: self.network,
            accept: self.accept,
        })
    }
}

/// A sandbox of `config.toml`, which has no variables.
impl TryFrom<SandboxEntry> for ServerSandbox {
    type Error = String;

    fn try_from(entry: SandboxEntry) -> Result<Self, String> {
        entry.expand(&|_| None).map_err(|(member, why)| format!("`{member}` {why}"))
    }
}

impl ServerSandbox {
    /// A path of the sandbox, with this folder for `~`.
    pub fn path(home: &Path, written: &Secret) -> PathBuf {
        match written.expose().strip_prefix('~') {
            Some(rest) => home.join(rest.trim_start_matches('/')),
            None => written.expose().into(),
        }
    }

    /// The parts that distinguish it from others, for the key of a running server.
    pub(crate) fn key_parts(&self) -> Vec<String> {
        let mut parts = vec![format!("sandbox {} {:?}", self.network, self.accept)];
        for (word, paths) in [("read", &self.read), ("write", &self.write)] {
            parts.push(format!("{word} {}", paths.len()));
            parts.extend(paths.iter().map(|path| path.expose().to_owned()));
        }
        parts
    }

    /// What a person approves or sees, one item a line.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![match (self.network, self.read.len() + self.write.len()) {
            (false, 0) => "in a sandbox, without network and without files of yours".to_owned(),
            (false, _) => "in a sandbox, without network".to_owned(),
            (true, _) => "in a sandbox, with network".to_owned(),
        }];
        for (word, paths) in [("reads", &self.read), ("writes", &self.write)] {
            let line = |path: &Secret| format!("{word} {}", printable(path.written()));
            lines.extend(paths.iter().map(line));
        }
        match self.accept {
            AcceptedSandbox::Full => {}
            AcceptedSandbox::Partial => lines.push("accepts a partial sandbox".into()),
            AcceptedSandbox::Any => lines.push("accepts any sandbox, even a weak one".into()),
        }
        lines
    }
}

fn texts(members: &Map<String, Value>, key: &str) -> Result<Vec<String>, SandboxProblem> {
    let items = match members.get(key) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => return Err((key.into(), "is not a list of paths".into())),
    };
    let item = |(at, item): (usize, &Value)| match item {
        Value::String(text) => Ok(text.clone()),
        _ => Err((format!("{key}[{at}]"), "is not a string".into())),
    };
    items.iter().enumerate().map(item).collect()
}

fn check_path(path: &str) -> Result<(), String> {
    let beneath_home = path == "~" || path.starts_with("~/");
    let parts = || Path::new(path).components();
    let why = if path.contains('\0') {
        "contains a NUL character"
    } else if !beneath_home && !path.starts_with('/') {
        "is not an absolute path: begin it with `/` or `~/`"
    } else if parts().any(|it| it == Component::ParentDir) {
        "contains `..`: write the path without it"
    } else if !beneath_home && parts().count() == 1 {
        "is the whole file system: name the folders that the server needs"
    } else {
        return Ok(());
    };
    Err(why.into())
}
