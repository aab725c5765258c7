//! The servers of the trial: read from `xtask/trial/roster.json`, installed like other peers.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;
use serde_json::Value;

use crate::peers::{Peer, Registry, Roster, install};

/// The servers, in the order of the table.
const ROSTER: &str = include_str!("../../trial/roster.json");

/// One published server of the roster, in an exact version.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// Its name in the configuration, and its folder in `target/trial`.
    pub(crate) name: &'static str,
    registry: &'static str,
    pub(crate) package: &'static str,
    pub(crate) version: &'static str,
    /// The licence of its package; tools' definitions are recorded only if it allows that.
    pub(crate) licence: &'static str,
    /// Libraries that must be installed at an older version for it.
    #[serde(default)]
    beside: Vec<&'static str>,
    /// The program that its package installs.
    program: &'static str,
    /// The arguments, in which `{folder}` stands for a folder of the trial.
    #[serde(default)]
    args: Vec<&'static str>,
    #[serde(default)]
    env: BTreeMap<&'static str, &'static str>,
    /// A call that needs no account and no network.
    pub(crate) call: Option<Call>,
}

/// A call: the tool and its arguments.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Call {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
}

/// All servers, or the named ones.
pub(crate) fn entries(only: &[String]) -> anyhow::Result<Vec<Entry>> {
    let mut entries = read(ROSTER).context("xtask/trial/roster.json cannot be read")?;
    for name in only {
        let known = entries.iter().any(|entry| entry.name == name);
        anyhow::ensure!(known, "there is no server `{name}` in xtask/trial/roster.json");
    }
    entries.retain(|entry| only.is_empty() || only.iter().any(|name| entry.name == name));
    Ok(entries)
}

/// Parses servers in the form of the roster.
pub(crate) fn read(text: &'static str) -> serde_json::Result<Vec<Entry>> {
    serde_json::from_str(text)
}

/// Installs the servers that are missing.
pub(crate) fn install_all(folder: &Path, entries: &[Entry]) -> anyhow::Result<Roster> {
    let peers: Vec<Peer> = entries.iter().map(Entry::peer).collect::<anyhow::Result<_>>()?;
    install(folder, &peers)
}

impl Entry {
    fn peer(&self) -> anyhow::Result<Peer> {
        let registry = match self.registry {
            "npm" => Registry::Npm,
            "pypi" => Registry::Pypi,
            other => anyhow::bail!("`{}`: there is no registry `{other}`", self.name),
        };
        let Self { name: key, package, version, .. } = *self;
        // Peers are constants elsewhere, so this needs `'static`; there are few of them.
        let beside = self.beside.clone().leak();
        Ok(Peer { key, registry, package, version, beside })
    }

    /// The entry of a `.mcp.json` that starts the server.
    pub(crate) fn configuration(&self, roster: &Roster, folder: &Path) -> anyhow::Result<Value> {
        let (node, home) = roster.ready(self.name).map_err(anyhow::Error::msg)?;
        let mut words: Vec<String> = Vec::new();
        if self.registry == "npm" {
            words.push(node.display().to_string());
            words.push(home.join("node_modules/.bin").join(self.program).display().to_string());
        } else {
            words.push(home.join("venv/bin").join(self.program).display().to_string());
        }
        words.extend(self.args.iter().map(|word| filled(word, folder)));
        let command = words.remove(0);
        let mut env: BTreeMap<_, _> =
            self.env.iter().map(|(name, value)| (*name, filled(value, folder))).collect();
        // A server may look for the repository it is installed in, and must not find ours.
        let installed = home.parent().unwrap_or(home).display().to_string();
        env.insert("GIT_CEILING_DIRECTORIES", installed);
        Ok(serde_json::json!({
            "command": command,
            "args": words,
            "env": env,
            "cwd": folder,
            "timeout": "20s",
        }))
    }
}

impl Call {
    /// The arguments with the trial's folder filled in.
    pub(crate) fn arguments(&self, folder: &Path) -> anyhow::Result<Value> {
        Ok(serde_json::from_str(&filled(&self.arguments.to_string(), folder))?)
    }
}

fn filled(text: &str, folder: &Path) -> String {
    text.replace("{folder}", &folder.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::entries;
    use std::collections::BTreeSet;

    #[test]
    fn the_roster_has_enough_servers_each_in_an_exact_version() {
        let all = entries(&[]).unwrap();
        let names: BTreeSet<_> = all.iter().map(|entry| entry.name).collect();
        assert!(names.len() == all.len() && all.len() >= 20, "{names:?}");
        for entry in &all {
            let is_exact = entry.version.split('.').all(|part| part.parse::<u32>().is_ok());
            assert!(is_exact, "{} {}", entry.name, entry.version);
            entry.peer().unwrap();
        }
        assert!(all.iter().filter(|entry| entry.call.is_some()).count() >= 3);
        assert!(entries(&["nobody".into()]).is_err());
    }
}
