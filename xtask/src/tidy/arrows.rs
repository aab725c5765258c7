//! The allowed dependencies between crates: the arrows of `ARCHITECTURE.md`, as a table.
//!
//! A crate that is not in the table is a finding, so a new crate gets its place before it is used.

use std::fs;
use std::path::Path;

use super::finding::Finding;
use crate::workspace::{Dependency, Package, Workspace};

/// One row: a crate and its allowed dependencies.
struct Allowed {
    name: &'static str,
    /// Crates of this workspace.
    uses: &'static [&'static str],
    outside: Outside,
}

/// The allowed external dependencies of a crate.
enum Outside {
    /// Anything that cargo-deny allows.
    Any,
    /// These and no others.
    Only(&'static [&'static str]),
    /// Anything that cargo-deny allows, except these.
    Not(&'static [&'static str]),
}

const TYPES: &str = "hobnob-mcp-types";
const SCHEMA: &str = "hobnob-mcp-schema";
const ENGINE: &str = "hobnob-mcp-engine";
const TRANSPORT: &str = "hobnob-mcp-transport";
const PROCESS: &str = "hobnob-mcp-process";
const TASKS: &str = "hobnob-mcp-tasks";
const TOOLBOX: &str = "hobnob-mcp-toolbox";
const SERVER: &str = "hobnob-mcp-server";
const HTTP: &str = "hobnob-mcp-http";
const CLIENT: &str = "hobnob-mcp-client";
const AUTH: &str = "hobnob-mcp-auth";
const CONFIG: &str = "hobnob-config";
const POLICY: &str = "hobnob-policy";
const GATEWAY: &str = "hobnob-gateway";
const STORE: &str = "hobnob-store";
const STORE_SQLITE: &str = "hobnob-store-sqlite";
const STORE_POSTGRES: &str = "hobnob-store-postgres";
const SECRETS: &str = "hobnob-secrets";
const EMBED: &str = "hobnob-embed";
const LLM: &str = "hobnob-llm";
const AGENT: &str = "hobnob-agent";
const MACHINE: &str = "hobnob-machine";
const MARKDOWN: &str = "hobnob-markdown";
const SERVICES: &str = "hobnob-services";
const RPC: &str = "hobnob-rpc";
const HUB: &str = "hobnob-hub";
const TELEMETRY: &str = "hobnob-telemetry";
const UI: &str = "hobnob-ui";
const TERMINAL: &str = "hobnob-terminal";
const CHAT: &str = "hobnob-chat";
const RANKING: &str = "hobnob-ranking";
const WORDS: &str = "hobnob-words";
const DISK: &str = "hobnob-disk";
const TEXT: &str = "hobnob-text";
const WEB_CLIENT: &str = "hobnob-web-client";
/// Crates that know neither the protocol nor the product; both families may depend on them.
const FOUNDATION: &[&str] = &[DISK, TEXT, WEB_CLIENT];
/// What tests of the protocol run against: its crates, and foundation crates that they name.
const PROTOCOL: &[&str] =
    &[TYPES, ENGINE, TRANSPORT, PROCESS, TOOLBOX, SERVER, HTTP, CLIENT, AUTH, WEB_CLIENT];
/// The name prefix of the crates that know the protocol and nothing about the product.
const PROTOCOL_PREFIX: &str = "hobnob-mcp";
/// Other implementations: peers in tests, never part of the product.
const OTHER_IMPLEMENTATIONS: &[&str] = &["rmcp"];

const TABLE: &[Allowed] = &[
    // Pure, and used by the smallest crates, so it has no dependencies of its own.
    Allowed { name: TEXT, uses: &[], outside: Outside::Only(&[]) },
    Allowed { name: DISK, uses: &[], outside: Outside::Not(&["tokio"]) },
    // Its feature `client` is an HTTP client; without it, it is a codec for server-sent events.
    Allowed { name: WEB_CLIENT, uses: &[TEXT], outside: Outside::Not(&["tokio"]) },
    Allowed {
        name: TYPES,
        uses: &[],
        outside: Outside::Only(&["safe_arch", "serde", "serde_json", "simdutf8"]),
    },
    Allowed { name: SCHEMA, uses: &[TEXT], outside: Outside::Only(&["jsonschema", "serde_json"]) },
    Allowed { name: ENGINE, uses: &[TYPES], outside: Outside::Not(&["tokio"]) },
    Allowed { name: TRANSPORT, uses: &[TYPES], outside: Outside::Any },
    Allowed { name: PROCESS, uses: &[TEXT], outside: Outside::Any },
    Allowed { name: TASKS, uses: &[TYPES, ENGINE], outside: Outside::Any },
    Allowed { name: TOOLBOX, uses: &[TYPES, SCHEMA, ENGINE, TASKS], outside: Outside::Any },
    Allowed {
        name: SERVER,
        uses: &[TYPES, ENGINE, TRANSPORT, TASKS, TOOLBOX],
        outside: Outside::Any,
    },
    Allowed {
        name: HTTP,
        uses: &[TYPES, ENGINE, TRANSPORT, SERVER, TEXT, WEB_CLIENT],
        outside: Outside::Any,
    },
    // Only the client half of HTTP, which has no arrow back.
    Allowed {
        name: CLIENT,
        uses: &[TYPES, ENGINE, TRANSPORT, PROCESS, HTTP],
        outside: Outside::Any,
    },
    // The client half of HTTP, whose port for authorization it implements. Its feature `server`
    // implements the ports of the server half.
    Allowed {
        name: AUTH,
        uses: &[TYPES, ENGINE, HTTP, DISK, TEXT, WEB_CLIENT],
        outside: Outside::Any,
    },
    Allowed { name: "hobnob-mcp-testkit", uses: PROTOCOL, outside: Outside::Any },
    Allowed { name: "hobnob-mcp-fixtures", uses: PROTOCOL, outside: Outside::Any },
    // The crate that authors depend on: re-exports of the others, and no code of its own.
    Allowed {
        name: "hobnob-mcp",
        uses: &[TYPES, ENGINE, TOOLBOX, SERVER, HTTP, CLIENT, AUTH, "hobnob-mcp-testkit"],
        outside: Outside::Any,
    },
    Allowed { name: CONFIG, uses: &[TYPES, DISK, TEXT], outside: Outside::Not(&["tokio"]) },
    Allowed { name: POLICY, uses: &[TYPES, DISK, TEXT], outside: Outside::Not(&["tokio"]) },
    Allowed {
        name: GATEWAY,
        uses: &[
            TYPES, ENGINE, TRANSPORT, PROCESS, TASKS, TOOLBOX, CLIENT, AUTH, CONFIG, POLICY,
            RANKING, DISK, TEXT,
        ],
        outside: Outside::Any,
    },
    Allowed { name: WORDS, uses: &[], outside: Outside::Only(&[]) },
    // Independent of any backend.
    Allowed { name: STORE, uses: &[WORDS, DISK, TEXT], outside: Outside::Not(&["rusqlite"]) },
    Allowed { name: STORE_SQLITE, uses: &[STORE, DISK], outside: Outside::Any },
    Allowed { name: STORE_POSTGRES, uses: &[STORE, DISK], outside: Outside::Any },
    Allowed { name: SECRETS, uses: &[], outside: Outside::Not(&["tokio"]) },
    Allowed { name: EMBED, uses: &[DISK, TEXT, WEB_CLIENT], outside: Outside::Any },
    Allowed { name: LLM, uses: &[TRANSPORT, PROCESS, WEB_CLIENT], outside: Outside::Any },
    // Pure: the caller passes in vectors and counts.
    Allowed { name: RANKING, uses: &[WORDS], outside: Outside::Only(&["serde_json"]) },
    Allowed {
        name: MARKDOWN,
        uses: &[TEXT],
        outside: Outside::Only(&["similar", "unicode-width"]),
    },
    Allowed { name: MACHINE, uses: &[POLICY, TEXT], outside: Outside::Not(&["tokio"]) },
    Allowed { name: AGENT, uses: &[STORE, SECRETS, LLM], outside: Outside::Any },
    Allowed {
        name: SERVICES,
        uses: &[
            TYPES, ENGINE, PROCESS, TOOLBOX, STORE, SECRETS, EMBED, LLM, AGENT, POLICY, MACHINE,
            DISK, TEXT,
        ],
        outside: Outside::Any,
    },
    Allowed {
        name: RPC,
        uses: &[TYPES, ENGINE, TRANSPORT, SERVER, GATEWAY, TEXT],
        outside: Outside::Any,
    },
    // Knows no gateway: its caller passes in what happened.
    Allowed { name: TELEMETRY, uses: &[TEXT, WEB_CLIENT], outside: Outside::Any },
    Allowed {
        name: UI,
        uses: &[TYPES, ENGINE, HTTP, POLICY, GATEWAY, STORE, TEXT],
        outside: Outside::Any,
    },
    Allowed {
        name: HUB,
        uses: &[
            TYPES,
            ENGINE,
            TRANSPORT,
            PROCESS,
            TASKS,
            SERVER,
            HTTP,
            AUTH,
            CONFIG,
            POLICY,
            GATEWAY,
            STORE,
            STORE_SQLITE,
            STORE_POSTGRES,
            SECRETS,
            EMBED,
            LLM,
            MACHINE,
            SERVICES,
            RPC,
            TELEMETRY,
            UI,
            DISK,
            TEXT,
        ],
        outside: Outside::Not(&["clap", "comfy-table", "dialoguer", "indicatif", "rustyline"]),
    },
    Allowed {
        name: TERMINAL,
        uses: &[TYPES, ENGINE, CLIENT, CONFIG, GATEWAY, MARKDOWN, HUB, TEXT],
        outside: Outside::Not(&["clap"]),
    },
    Allowed {
        name: CHAT,
        uses: &[
            TYPES, ENGINE, PROCESS, CLIENT, CONFIG, POLICY, STORE, LLM, AGENT, MARKDOWN, RANKING,
            HUB, TERMINAL, DISK, TEXT,
        ],
        outside: Outside::Not(&["clap"]),
    },
    Allowed {
        name: "hobnob",
        uses: &[
            TYPES, ENGINE, PROCESS, SERVER, HTTP, CLIENT, AUTH, CONFIG, POLICY, GATEWAY, STORE,
            SECRETS, EMBED, LLM, MACHINE, RANKING, SERVICES, HUB, TERMINAL, CHAT, DISK, TEXT,
        ],
        outside: Outside::Any,
    },
    Allowed { name: "xtask", uses: &[], outside: Outside::Any },
];

/// Every dependency of the workspace that the table does not allow.
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
    let Some(row) = TABLE.iter().find(|row| row.name == package.name) else {
        let message = format!("`{}` is not in the table of xtask/src/tidy/arrows.rs", package.name);
        return vec![Finding::new(path, 1, message)];
    };
    let wrong = package.dependencies.iter().filter_map(|dependency| {
        let why = complaint(row, dependency, members)?;
        let message = format!("`{}` may not use `{}`: {why}", package.name, dependency.name);
        Some(Finding::new(path, line_of(manifest, dependency), message))
    });
    wrong.collect()
}

fn complaint(row: &Allowed, dependency: &Dependency, members: &[&str]) -> Option<&'static str> {
    let name = dependency.name.as_str();
    let ours = members.contains(&name);
    if dependency.is_dev() {
        let product = ours && !name.starts_with(PROTOCOL_PREFIX) && !FOUNDATION.contains(&name);
        let upward = row.name.starts_with(PROTOCOL_PREFIX) && product;
        return upward.then_some("the protocol's crates do not know the product, even in tests");
    }
    if ours {
        return (!row.uses.contains(&name)).then_some("arrows point one way");
    }
    if OTHER_IMPLEMENTATIONS.contains(&name) {
        return Some("another implementation may only be a dev-dependency");
    }
    let allowed = match row.outside {
        Outside::Any => true,
        Outside::Only(names) => names.contains(&name),
        Outside::Not(names) => !names.contains(&name),
    };
    (!allowed).then_some("this crate keeps it out")
}

/// The line of a manifest that names the dependency, or 1 if it cannot be found.
fn line_of(manifest: &str, dependency: &Dependency) -> usize {
    let key = dependency.rename.as_ref().unwrap_or(&dependency.name);
    let names = |line: &str| {
        let rest = line.trim_start().trim_start_matches('"').strip_prefix(key.as_str());
        rest.is_some_and(|rest| rest.starts_with(['.', ' ', '=', '"']))
    };
    manifest.lines().position(names).map_or(1, |at| at + 1)
}
