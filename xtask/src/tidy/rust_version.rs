//! Several places name the oldest compiler we promise to build with; all must agree.
//!
//! `command` checks every manifest and every document; `ci` reports whether the current compiler
//! proves the promise. Change the version in the workspace's manifest.

use std::path::Path;

use super::finding::Finding;

/// The notations of manifests, toolchain files and documents.
const PLACES: [(&str, &str); 3] =
    [("rust-version = \"", "\""), ("channel = \"", "\""), ("(https://rustup.rs) ", " or newer")];
/// The line with which a crate inherits the version from its workspace.
const INHERITED: &str = "rust-version.workspace = true";

/// The version in a workspace's manifest, such as `1.95`.
pub(crate) fn promised(manifest: &str) -> Option<&str> {
    let (before, after) = PLACES[0];
    manifest.lines().find_map(|line| line.strip_prefix(before)?.split(after).next())
}

/// Every line of a file with a different version, and a manifest without any.
pub(crate) fn check(path: &Path, text: &str, promised: &str) -> Vec<Finding> {
    let lines = (1..).zip(text.lines());
    let said = lines.flat_map(|(line, content)| said(content).map(move |version| (line, version)));
    let other = said.filter(|(_, version)| !agrees(version, promised));
    let mut findings: Vec<_> = other
        .map(|(line, version)| {
            let message = format!("Rust {version} here, {promised} in the workspace's Cargo.toml");
            Finding::new(path, line, message)
        })
        .collect();
    let package = text.lines().any(|line| line == "[package]");
    if package && self::promised(text).is_none() && !text.contains(INHERITED) {
        let message = "no `rust-version`: take it from the workspace, or write it down";
        findings.push(Finding::new(path, 1, message));
    }
    findings
}

/// The versions that a line names.
fn said(line: &str) -> impl Iterator<Item = &str> {
    PLACES.iter().filter_map(move |(before, after)| {
        let (_, rest) = line.split_once(before)?;
        let (version, _) = rest.split_once(after)?;
        version.starts_with(|first: char| first.is_ascii_digit()).then_some(version)
    })
}

/// Whether a version is the promised one; a patch release such as `1.95.0` promises nothing more.
fn agrees(version: &str, promised: &str) -> bool {
    version.strip_prefix(promised).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
