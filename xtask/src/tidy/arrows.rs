//! Which crate may use which: the arrows that `ARCHITECTURE.md` draws, as a table.
//!
//! A crate that is not in the table is a finding, so a new room is placed before it is entered.

use std::fs;
use std::path::Path;

use super::finding::Finding;
use crate::workspace::{Dependency, Package, Workspace};

/// One crate and what it may use.
struct Room {
    name: &'static str,
    /// Crates of this workspace.
    uses: &'static [&'static str],
    outside: Outside,
}

/// What a crate may use from elsewhere.
enum Outside {
    /// Anything that cargo-deny lets in.
    Any,
    /// These and no others.
    Only(&'static [&'static str]),
    /// Anything but these.
    Not(&'static [&'static str]),
}

const TYPES: &str = "hobnob-mcp-types";
const ENGINE: &str = "hobnob-mcp-engine";
const TRANSPORT: &str = "hobnob-mcp-transport";
const SERVER: &str = "hobnob-mcp-server";
const HTTP: &str = "hobnob-mcp-http";
const CLIENT: &str = "hobnob-mcp-client";
const CONFIG: &str = "hobnob-config";
const POLICY: &str = "hobnob-policy";
const GATEWAY: &str = "hobnob-gateway";
const STORE: &str = "hobnob-store";
const SECRETS: &str = "hobnob-secrets";
const EMBED: &str = "hobnob-embed";
const SERVICES: &str = "hobnob-services";
const PROTOCOL: &[&str] = &[TYPES, ENGINE, TRANSPORT, SERVER, HTTP, CLIENT];
/// The family that knows the protocol and nothing of the product.
const FAMILY: &str = "hobnob-mcp-";
/// Other people's implementations: peers in tests, never part of the product.
const RIVALS: &[&str] = &["rmcp"];

const ROOMS: &[Room] = &[
    Room { name: TYPES, uses: &[], outside: Outside::Only(&["serde", "serde_json", "simdutf8"]) },
    Room { name: ENGINE, uses: &[TYPES], outside: Outside::Not(&["tokio"]) },
    Room { name: TRANSPORT, uses: &[TYPES], outside: Outside::Any },
    Room { name: SERVER, uses: &[TYPES, ENGINE, TRANSPORT], outside: Outside::Any },
    Room { name: HTTP, uses: &[TYPES, ENGINE, TRANSPORT, SERVER], outside: Outside::Any },
    // Only the client half of HTTP, which has no arrow back.
    Room { name: CLIENT, uses: &[TYPES, ENGINE, TRANSPORT, HTTP], outside: Outside::Any },
    Room { name: "hobnob-mcp-testkit", uses: PROTOCOL, outside: Outside::Any },
    Room { name: "hobnob-mcp-fixtures", uses: PROTOCOL, outside: Outside::Any },
    Room { name: CONFIG, uses: &[TYPES], outside: Outside::Not(&["tokio"]) },
    Room { name: POLICY, uses: &[TYPES], outside: Outside::Not(&["tokio"]) },
    Room {
        name: GATEWAY,
        uses: &[TYPES, ENGINE, TRANSPORT, SERVER, CLIENT, CONFIG, POLICY],
        outside: Outside::Any,
    },
    Room { name: STORE, uses: &[], outside: Outside::Any },
    Room { name: SECRETS, uses: &[], outside: Outside::Not(&["tokio"]) },
    Room { name: EMBED, uses: &[], outside: Outside::Any },
    Room {
        name: SERVICES,
        uses: &[TYPES, ENGINE, SERVER, STORE, SECRETS, EMBED],
        outside: Outside::Any,
    },
    Room {
        name: "hobnob",
        uses: &[
            TYPES, ENGINE, TRANSPORT, SERVER, HTTP, CLIENT, CONFIG, POLICY, GATEWAY, STORE,
            SECRETS, EMBED, SERVICES,
        ],
        outside: Outside::Any,
    },
    Room { name: "xtask", uses: &[], outside: Outside::Any },
];

/// Every arrow of the workspace that the table does not have.
pub(crate) fn check(workspace: &Workspace) -> anyhow::Result<Vec<Finding>> {
    let members: Vec<_> = workspace.packages.iter().map(|it| it.name.as_str()).collect();
    let mut findings = Vec::new();
    for package in &workspace.packages {
        let manifest = fs::read_to_string(&package.manifest_path)?;
        let path = package.manifest_path.strip_prefix(&workspace.root)?;
        findings.extend(check_package(package, path, &manifest, &members));
    }
    Ok(findings)
}

pub(crate) fn check_package(
    package: &Package,
    path: &Path,
    manifest: &str,
    members: &[&str],
) -> Vec<Finding> {
    let Some(room) = ROOMS.iter().find(|room| room.name == package.name) else {
        let message = format!("`{}` is not in the table of xtask/src/tidy/arrows.rs", package.name);
        return vec![Finding::new(path, 1, message)];
    };
    let wrong = package.dependencies.iter().filter_map(|dependency| {
        let why = complaint(room, dependency, members)?;
        let message = format!("`{}` may not use `{}`: {why}", package.name, dependency.name);
        Some(Finding::new(path, line_of(manifest, dependency), message))
    });
    wrong.collect()
}

fn complaint(room: &Room, dependency: &Dependency, members: &[&str]) -> Option<&'static str> {
    let name = dependency.name.as_str();
    let ours = members.contains(&name);
    if dependency.is_dev() {
        let upward = room.name.starts_with(FAMILY) && ours && !name.starts_with(FAMILY);
        return upward.then_some("the protocol's crates do not know the product, even in tests");
    }
    if ours {
        return (!room.uses.contains(&name)).then_some("arrows point one way");
    }
    if RIVALS.contains(&name) {
        return Some("another implementation may only be a dev-dependency");
    }
    let allowed = match room.outside {
        Outside::Any => true,
        Outside::Only(names) => names.contains(&name),
        Outside::Not(names) => !names.contains(&name),
    };
    (!allowed).then_some("this room keeps it out")
}

/// The line of a manifest that names the dependency, as well as it can be told.
fn line_of(manifest: &str, dependency: &Dependency) -> usize {
    let key = dependency.rename.as_ref().unwrap_or(&dependency.name);
    let names = |line: &str| {
        let rest = line.trim_start().trim_start_matches('"').strip_prefix(key.as_str());
        rest.is_some_and(|rest| rest.starts_with(['.', ' ', '=', '"']))
    };
    manifest.lines().position(names).map_or(1, |at| at + 1)
}
