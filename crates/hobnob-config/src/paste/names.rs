//! Suggests the name of a server from its package, its image, its script or its host.
//!
//! What must stay true: a suggestion has only letters, digits, `_`, `.` and `-`, and is never empty.

use super::words::is_assignment;
use serde_json::Value;
use std::path::Path;

/// Words that say nothing about a server.
const EMPTY_WORDS: [&str; 9] =
    ["mcp", "server", "servers", "mcp-server", "index", "main", "latest", "dist", "src"];

/// Runners of packages, and their options that have a value.
const RUNNERS: [&str; 9] = ["npx", "bunx", "pnpx", "uvx", "docker", "podman", "uv", "pipx", "deno"];

/// The name for an entry.
pub(super) fn suggest(entry: &Value) -> String {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let found = match (text("url"), text("command")) {
        (Some(url), _) => of_url(url),
        (None, Some(command)) => {
            let arguments = entry.get("args").and_then(Value::as_array).into_iter().flatten();
            of_command(command, &arguments.filter_map(Value::as_str).collect::<Vec<_>>())
        }
        (None, None) => None,
    };
    found.unwrap_or_else(|| "server".into())
}

fn of_url(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = authority.rsplit('@').next()?;
    let host = host.split(':').next()?;
    let labels: Vec<&str> = host.split('.').collect();
    let is_address = host.chars().all(|it| it.is_ascii_digit() || it == '.');
    let known = match labels.as_slice() {
        _ if is_address => None,
        [.., domain, _top] => cleaned(domain),
        _ => None,
    };
    // A server on this machine is named by its path.
    known.or_else(|| path.split(['/', '?']).find_map(cleaned)).or_else(|| Some("local".into()))
}

fn of_command(command: &str, arguments: &[&str]) -> Option<String> {
    let program = Path::new(command).file_stem()?.to_str()?;
    let is_runner = RUNNERS.contains(&program);
    let mut candidates: Vec<&str> = arguments
        .iter()
        .copied()
        .filter(|word| !word.starts_with("-") && !is_assignment(word) && !word.contains("${"))
        .filter(|word| !["run", "exec", "tool"].contains(word))
        .collect();
    let interpreter = ["node", "python", "python3", "bun", "ruby", "sh", "bash", "java", "php"];
    if !is_runner && !interpreter.contains(&program) {
        candidates.insert(0, program);
    }
    candidates.iter().find_map(|word| of_package(word)).or_else(|| cleaned(program))
}

/// From `@scope/server-name@1.2`, `host/owner/image:tag`, `name==1.0` or a path of a script.
fn of_package(word: &str) -> Option<String> {
    let (scope, rest) = match word.strip_prefix('@').and_then(|it| it.split_once('/')) {
        Some((scope, rest)) => (Some(scope), rest),
        None => (None, word),
    };
    let bare = rest.split("==").next()?;
    let bare = bare.split_once('@').map_or(bare, |(name, _)| name);
    let parts: Vec<&str> = bare.split(['/', '\\']).filter(|it| !it.is_empty()).collect();
    let last = parts.last()?;
    let stem = last.split(':').next()?;
    let stem = [".js", ".mjs", ".cjs", ".ts", ".py", ".sh", ".rb", ".jar"]
        .iter()
        .find_map(|end| stem.strip_suffix(end))
        .unwrap_or(stem);
    let folders = parts.iter().rev().skip(1).copied().take(2);
    std::iter::once(stem).chain(folders).chain(scope).find_map(cleaned)
}

/// The text as a name; `None` if it says nothing.
fn cleaned(text: &str) -> Option<String> {
    let mut name = text;
    for prefix in ["mcp-server-", "server-", "mcp-", "mcp_server_", "mcp_"] {
        name = name.strip_prefix(prefix).unwrap_or(name);
    }
    for suffix in ["-mcp-server", "-server", "-mcp", "_mcp_server", "_mcp", "_server"] {
        name = name.strip_suffix(suffix).unwrap_or(name);
    }
    let legal = |it: char| it.is_ascii_alphanumeric() || "_.-".contains(it);
    let name: String = name.chars().filter(|it| legal(*it)).take(40).collect();
    let name = name.trim_matches(['-', '.', '_']).to_lowercase();
    let says_something = name.chars().any(|it| it.is_ascii_alphabetic());
    (says_something && !EMPTY_WORDS.contains(&&*name)).then_some(name)
}
