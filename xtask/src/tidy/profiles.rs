//! Checks that the profiles users build with treat all packages alike.
//!
//! `command` runs it on every TOML file: manifests have profiles, and so may Cargo's settings. A
//! list of packages with optimisation levels of their own drifts from the lock file and hides what
//! `--release` means; if a build takes too long, use fewer crates and less generic code.

use std::path::Path;

use super::finding::Finding;

/// The forbidden tables, as dotted keys.
const BANNED: [&str; 2] = ["profile.release.package", "profile.dist.package"];

/// Every line that starts an override for one package.
pub(crate) fn check(path: &Path, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut table = String::new();
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.trim();
        let key = if let Some(header) = content.strip_prefix('[') {
            table = plain(header.split(']').next().unwrap_or_default());
            table.clone()
        } else if let Some((key, _)) = content.split_once('=').filter(|_| !is_override(&table)) {
            format!("{table}.{}", plain(key)).trim_start_matches('.').to_owned()
        } else {
            continue;
        };
        if is_override(&key) {
            let message = format!("`{key}`: release and dist have no overrides for packages");
            findings.push(Finding::new(path, line, message));
        }
    }
    findings
}

fn is_override(key: &str) -> bool {
    let within = |rest: &str| rest.is_empty() || rest.starts_with('.');
    BANNED.iter().any(|banned| key.strip_prefix(banned).is_some_and(within))
}

/// A dotted key without the quotes and spaces that TOML allows around its parts.
fn plain(key: &str) -> String {
    key.chars().filter(|it| !matches!(it, '"' | '\'' | ' ' | '\t')).collect()
}
