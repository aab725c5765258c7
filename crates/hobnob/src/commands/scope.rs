//! Which of the three files of servers a verb is about.

use crate::exit::{Code, Ended};
use clap::ValueEnum;
use hobnob_config::{Origin, Places, ServerName, Servers, process_environment, servers_in};
use serde::Serialize;
use std::path::PathBuf;

/// One of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    /// Hobnob's own mcp.json.
    Own,
    /// .mcp.json in your home, which other clients read too.
    User,
    /// .mcp.json of the project, which others who work on it get too.
    Project,
}

impl Scope {
    /// In the order in which they win.
    pub(crate) const ALL: [Self; 3] = [Self::Project, Self::Own, Self::User];

    /// The file.
    pub(crate) fn file(self, places: &Places) -> anyhow::Result<PathBuf> {
        match self {
            Self::Own => Ok(places.own_mcp_json()),
            Self::User => Ok(places.user_mcp_json()),
            Self::Project => places.project_mcp_json().ok_or_else(|| {
                let message = "the home folder is no project: change to the project's folder, \
                               or name it with --project DIR";
                Ended::new(Code::Usage, message).into()
            }),
        }
    }

    /// As the command line spells it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

impl From<Origin> for Scope {
    fn from(origin: Origin) -> Self {
        match origin {
            Origin::Own => Self::Own,
            Origin::User => Self::User,
            Origin::Project => Self::Project,
        }
    }
}

/// A name that was typed.
pub(crate) fn typed_name(raw: &str) -> anyhow::Result<ServerName> {
    ServerName::parse(raw).map_err(|bad| Ended::new(Code::Usage, bad.to_string()).into())
}

/// The files that have a server of this name, the one that wins first.
pub(crate) fn files_with(
    places: &Places,
    name: &ServerName,
) -> anyhow::Result<Vec<(Scope, PathBuf)>> {
    let mut found = Vec::new();
    let mut broken = Vec::new();
    for scope in Scope::ALL {
        let Ok(file) = scope.file(places) else { continue };
        match servers_in(&file) {
            Ok(servers) if servers.contains_key(name.as_str()) => found.push((scope, file)),
            Ok(_) => {}
            Err(problem) => broken.push(problem.to_string()),
        }
    }
    // What is in a file that cannot be read is unknown, so "there is none" would be a guess.
    match broken.into_iter().next() {
        Some(problem) if found.is_empty() => anyhow::bail!("{problem}"),
        _ => Ok(found),
    }
}

/// There is no such server; names those there are.
pub(crate) fn unknown(places: &Places, name: &str) -> anyhow::Error {
    let servers = Servers::load(places, &process_environment);
    let known: Vec<&str> = servers.iter().map(|server| server.name.as_str()).collect();
    if known.is_empty() {
        return anyhow::anyhow!("there is no server `{name}`; none is configured yet: hobnob add");
    }
    anyhow::anyhow!("there is no server `{name}`; there is: {}", known.join(", "))
}
