//! All servers of this user and project: the files merged by name; the later file wins.
//!
//! The gateway and most commands load them here. A broken file affects only its own servers, a bad
//! entry affects only its server, and a project's entry without an approval does not replace an
//! entry of the user.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::approvals::{Approvals, ServerKey, project_key};
use crate::digest::Digest;
use crate::entry::{ServerEntry, SpecProblem, Switch, switch_of};
use crate::expand::Lookup;
use crate::mcp_json::{read_mcp_json, read_trusted_mcp_json};
use crate::name::ServerName;
use crate::places::Places;
use crate::prepare::{Base, prepare};
use crate::problem::Problem;
use crate::spec::{ServerSpec, written_digest};

/// The variable with the project's folder, in entries and in the servers that Hobnob starts.
pub const PROJECT_VARIABLE: &str = "CLAUDE_PROJECT_DIR";

/// The file that a server comes from; a later one wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// `~/.mcp.json`, which other hosts read too.
    User,
    /// `mcp.json` in Hobnob's settings folder.
    Own,
    /// The project's `.mcp.json`, or one above it; its servers need an approval.
    Project,
}

/// One configured server, usable or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfiguredServer {
    /// Its key in the file.
    pub name: ServerName,
    /// The kind of file it comes from.
    pub origin: Origin,
    /// The file that has the entry, for messages.
    pub file: PathBuf,
    /// Whether it may be started at all.
    pub switch: Switch,
    /// Its spec, or what is wrong with its entry.
    pub state: Result<ServerSpec, SpecProblem>,
    /// The digest of the entry as written: a person approves this digest.
    pub digest: Digest,
    /// The key of its catalogue and its pins. Two projects with the same entry have two servers,
    /// because the same command may start different programs in different folders.
    pub identity: Digest,
    /// The files with an entry of the same name that this one hides.
    pub hides: Vec<Origin>,
    /// The project's entry of this name, which would replace this one if it were approved.
    pub waiting: Option<Box<ConfiguredServer>>,
}

impl ConfiguredServer {
    /// The key of its pins and accepted definitions.
    pub fn key(&self) -> ServerKey {
        ServerKey::new(&self.name, self.identity)
    }

    /// Whether it needs no approval, or has one.
    pub fn is_approved(&self, project: &Path, approvals: &Approvals) -> bool {
        self.origin != Origin::Project || approvals.is_approved(project, &self.name, &self.digest)
    }
}

/// The servers of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Layer {
    origin: Origin,
    file: PathBuf,
    servers: Vec<ConfiguredServer>,
}

/// The servers of all files, merged by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Servers {
    layers: Vec<Layer>,
    merged: BTreeMap<ServerName, ConfiguredServer>,
    problems: Vec<Problem>,
}

impl Servers {
    /// Reads all files. It always succeeds; problems are in `problems` and in each server.
    pub fn load(places: &Places, lookup: &Lookup<'_>) -> Self {
        // If approvals cannot be read, no entry of a project counts as approved.
        let approvals = Approvals::load(&places.approvals()).ok();
        Self::default().reload(places, lookup, approvals.as_ref())
    }

    /// Reads all files again. A file that is broken now keeps the servers it had before.
    pub fn reload(
        &self,
        places: &Places,
        lookup: &Lookup<'_>,
        approvals: Option<&Approvals>,
    ) -> Self {
        let mut files =
            vec![(Origin::User, places.user_mcp_json()), (Origin::Own, places.own_mcp_json())];
        files.extend(places.project_mcp_jsons().into_iter().map(|file| (Origin::Project, file)));
        let lookup: &Lookup<'_> = &|name| match name {
            PROJECT_VARIABLE => places.project.to_str().map(String::from),
            other => lookup(other),
        };
        let mut layers = Vec::new();
        let mut problems = Vec::new();
        for (origin, file) in files {
            match read_layer(origin, &file, places, lookup, &mut problems) {
                Ok(servers) => layers.push(Layer { origin, file, servers }),
                Err(problem) => {
                    problems.push(problem);
                    let same = |it: &&Layer| it.origin == origin && it.file == file;
                    layers.extend(self.layers.iter().find(same).cloned());
                }
            }
        }
        let is_approved = |server: &ConfiguredServer| {
            let project = &places.project;
            approvals.is_some_and(|it| it.is_approved(project, &server.name, &server.digest))
        };
        let merged = merge(&layers, is_approved);
        Self { layers, merged, problems }
    }

    /// The server of this name.
    pub fn get(&self, name: &str) -> Option<&ConfiguredServer> {
        self.merged.get(name)
    }

    /// All servers, by name.
    pub fn iter(&self) -> impl Iterator<Item = &ConfiguredServer> {
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

    /// Problems of the files themselves, and of names of servers.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Problems of single servers.
    pub fn misconfigured(&self) -> impl Iterator<Item = &SpecProblem> {
        self.iter().filter_map(|server| server.state.as_ref().err())
    }
}

fn read_layer(
    origin: Origin,
    file: &Path,
    places: &Places,
    lookup: &Lookup<'_>,
    problems: &mut Vec<Problem>,
) -> Result<Vec<ConfiguredServer>, Problem> {
    let home = places.home.as_path();
    let (entries, folder) = match origin {
        // Users do not expect programs to run in Hobnob's settings folder: use the home folder.
        Origin::User | Origin::Own => (read_trusted_mcp_json(file)?, home),
        Origin::Project => (read_mcp_json(file)?, file.parent().unwrap_or(home)),
    };
    let entries = entries.unwrap_or_default();
    let base = Base { folder, home };
    let mut servers = Vec::new();
    for (name, value) in &entries {
        match ServerName::parse(name) {
            Ok(name) => servers.push(read_server(name, origin, file, value, &base, lookup)),
            Err(bad) => problems.push(Problem::of_file(file, bad.to_string())),
        }
    }
    if origin == Origin::Project {
        for server in &mut servers {
            server.identity = identity_in(&places.project, &server.digest);
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
) -> ConfiguredServer {
    let state =
        ServerEntry::read(&name, value).and_then(|entry| prepare(&name, entry, base, lookup));
    let digest = written_digest(value);
    ConfiguredServer {
        switch: switch_of(&name, value),
        digest,
        identity: digest,
        name,
        origin,
        file: file.into(),
        state,
        hides: Vec::new(),
        waiting: None,
    }
}

/// The spec of an entry as it would be in Hobnob's own file, before it is written there.
pub fn prepare_own(
    name: &ServerName,
    value: &Value,
    places: &Places,
    lookup: &Lookup<'_>,
) -> Result<ServerSpec, SpecProblem> {
    let home = places.home.as_path();
    let entry = ServerEntry::read(name, value)?;
    prepare(name, entry, &Base { folder: home, home }, lookup)
}

/// Distinguishes a server of a project from the same entry in another project.
fn identity_in(project: &Path, digest: &Digest) -> Digest {
    let project = project_key(project);
    Digest::of_parts(["hobnob project server 1", &project, &digest.to_string()])
}

fn merge(
    layers: &[Layer],
    is_approved: impl Fn(&ConfiguredServer) -> bool,
) -> BTreeMap<ServerName, ConfiguredServer> {
    let mut merged: BTreeMap<ServerName, ConfiguredServer> = BTreeMap::new();
    for server in layers.iter().flat_map(|layer| &layer.servers) {
        let mut server = server.clone();
        let counts = server.origin != Origin::Project || is_approved(&server);
        match merged.remove(&server.name) {
            // Of two entries without an approval, the person is asked about the nearer one.
            Some(own) if !counts && own.origin == Origin::Project && !is_approved(&own) => {
                server.hides = own.hides;
                server.hides.push(own.origin);
            }
            Some(mut own) if !counts => {
                own.waiting = Some(Box::new(server));
                server = own;
            }
            Some(hidden) => {
                server.hides = hidden.hides;
                server.hides.push(hidden.origin);
            }
            None => {}
        }
        merged.insert(server.name.clone(), server);
    }
    merged
}
