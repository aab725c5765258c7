//! The three `.mcp.json` files, and which of them a command changes.
//!
//! `add`, `remove`, `enable`, `disable` and `import` use it.

use clap::ValueEnum;
use hobnob_config::{Origin, Places, ServerName, servers_in};
use hobnob_hub::names::Names;
use hobnob_terminal::ended::Ended;
use hobnob_terminal::hub::no_server;
use serde::Serialize;
use std::path::PathBuf;

/// One of the three files, as `--scope` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ConfigScope {
    /// Hobnob's own mcp.json, which only Hobnob reads.
    Own,
    /// .mcp.json in your home folder, which other clients read too.
    User,
    /// .mcp.json of the project, which everyone who works on it gets.
    Project,
}

impl ConfigScope {
    /// In order of precedence.
    pub(crate) const ALL: [Self; 3] = [Self::Project, Self::Own, Self::User];

    /// The path of the file; an error for the project scope in the home folder.
    pub(crate) fn file(self, places: &Places) -> anyhow::Result<PathBuf> {
        match self {
            Self::Own => Ok(places.own_mcp_json()),
            Self::User => Ok(places.user_mcp_json()),
            Self::Project => places.project_mcp_json().ok_or_else(|| {
                let message = "the home folder is not a project; change to the project's folder, \
                               or name it with --project DIR";
                Ended::usage(message).into()
            }),
        }
    }

    /// As the command line spells it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

impl From<Origin> for ConfigScope {
    fn from(origin: Origin) -> Self {
        match origin {
            Origin::Own => Self::Own,
            Origin::User => Self::User,
            Origin::Project => Self::Project,
        }
    }
}

/// Parses a server's name from the command line.
pub(crate) fn typed_name(raw: &str) -> anyhow::Result<ServerName> {
    ServerName::parse(raw).map_err(|bad| Ended::usage(bad.to_string()).into())
}

/// The files that contain a server of this name, in order of precedence.
pub(crate) fn files_with(
    places: &Places,
    name: &ServerName,
) -> anyhow::Result<Vec<(ConfigScope, PathBuf)>> {
    let mut found = Vec::new();
    let mut broken = Vec::new();
    for scope in ConfigScope::ALL {
        let Ok(file) = scope.file(places) else { continue };
        match servers_in(&file) {
            Ok(servers) if servers.contains_key(name.as_str()) => found.push((scope, file)),
            Ok(_) => {}
            Err(problem) => broken.push(problem.to_string()),
        }
    }
    // A broken file may contain the server, so "not found" would be a guess.
    match broken.into_iter().next() {
        Some(problem) if found.is_empty() => anyhow::bail!("{problem}"),
        _ => Ok(found),
    }
}

/// The error for a server that is not configured; names those that are.
pub(crate) fn unknown(places: &Places, name: &str) -> anyhow::Error {
    no_server(&Names::load(places), name, []).into()
}
