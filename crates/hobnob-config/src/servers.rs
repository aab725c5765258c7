//! All servers of this user and project: three files, merged per name, the later wins wholly.
//!
//! A broken file costs only itself, a bad entry costs only its server.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::digest::Digest;
use crate::entry::{Entry, SpecProblem, Switch, switch_of};
use crate::expand::Lookup;
use crate::mcp_json::read_mcp_json;
use crate::name::ServerName;
use crate::places::Places;
use crate::prepare::{Base, prepare};
use crate::problem::Problem;
use crate::spec::{ServerSpec, written_digest};

/// Which file a server comes from; later ones win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// `~/.mcp.json`.
    User,
    /// Hobnob's own `mcp.json`.
    Own,
    /// The project's `.mcp.json`, whose servers need an approval.
    Project,
}

/// One configured server, usable or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Its key in the file.
    pub name: ServerName,
    /// Where it comes from.
    pub origin: Origin,
    /// The file.
    pub file: PathBuf,
    /// Whether it may be started at all.
    pub switch: Switch,
    /// What it is, or what is wrong with it.
    pub state: Result<ServerSpec, SpecProblem>,
    /// The digest of the entry as written.
    pub digest: Digest,
    /// The files in which a server of this name lost to this one.
    pub shadows: Vec<Origin>,
}

/// One of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Layer {
    origin: Origin,
    file: PathBuf,
    servers: Vec<Server>,
}

/// The merged view.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Servers {
    layers: Vec<Layer>,
    merged: BTreeMap<ServerName, Server>,
    problems: Vec<Problem>,
}

impl Servers {
    /// Reads all files. It always succeeds; what is wrong is in `problems` and in each server.
    pub fn load(places: &Places, lookup: &Lookup<'_>) -> Self {
        Self::default().reload(places, lookup)
    }

    /// Reads all files again. A file that is broken now keeps the servers it had before.
    pub fn reload(&self, places: &Places, lookup: &Lookup<'_>) -> Self {
        let mut files =
            vec![(Origin::User, places.user_mcp_json()), (Origin::Own, places.own_mcp_json())];
        files.extend(places.project_mcp_json().map(|file| (Origin::Project, file)));
        let mut layers = Vec::new();
        let mut problems = Vec::new();
        for (origin, file) in files {
            match read_layer(origin, &file, &places.home, lookup, &mut problems) {
                Ok(servers) => layers.push(Layer { origin, file, servers }),
                Err(problem) => {
                    problems.push(problem);
                    let same = |it: &&Layer| it.origin == origin && it.file == file;
                    layers.extend(self.layers.iter().find(same).cloned());
                }
            }
        }
        let merged = merge(&layers);
        Self { layers, merged, problems }
    }

    /// The server of this name.
    pub fn get(&self, name: &str) -> Option<&Server> {
        self.merged.get(name)
    }

    /// All servers, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Server> {
        self.merged.values()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.merged.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.merged.is_empty()
    }

    /// What is wrong with the files themselves, and with names of servers.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// What is wrong with single servers.
    pub fn misconfigured(&self) -> impl Iterator<Item = &SpecProblem> {
        self.iter().filter_map(|server| server.state.as_ref().err())
    }
}

fn read_layer(
    origin: Origin,
    file: &Path,
    home: &Path,
    lookup: &Lookup<'_>,
    problems: &mut Vec<Problem>,
) -> Result<Vec<Server>, Problem> {
    let entries = read_mcp_json(file)?.unwrap_or_default();
    let folder = match origin {
        // Nobody thinks of Hobnob's settings folder as the place to run things in.
        Origin::User | Origin::Own => home,
        Origin::Project => file.parent().unwrap_or(home),
    };
    let base = Base { folder, home };
    let mut servers = Vec::new();
    for (name, value) in &entries {
        match ServerName::parse(name) {
            Ok(name) => servers.push(read_server(name, origin, file, value, &base, lookup)),
            Err(bad) => problems.push(Problem::of_file(file, bad.to_string())),
        }
    }
    Ok(servers)
}

fn read_server(
    name: ServerName,
    origin: Origin,
    file: &Path,
    value: &Value,
    base: &Base<'_>,
    lookup: &Lookup<'_>,
) -> Server {
    let state = Entry::read(&name, value).and_then(|entry| prepare(&name, entry, base, lookup));
    Server {
        switch: switch_of(&name, value),
        digest: written_digest(value),
        name,
        origin,
        file: file.into(),
        state,
        shadows: Vec::new(),
    }
}

fn merge(layers: &[Layer]) -> BTreeMap<ServerName, Server> {
    let mut merged: BTreeMap<ServerName, Server> = BTreeMap::new();
    for server in layers.iter().flat_map(|layer| &layer.servers) {
        let mut server = server.clone();
        if let Some(lost) = merged.remove(&server.name) {
            server.shadows = lost.shadows;
            server.shadows.push(lost.origin);
        }
        merged.insert(server.name.clone(), server);
    }
    merged
}
