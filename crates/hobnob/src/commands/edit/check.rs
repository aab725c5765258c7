//! Checks an edited text by parsing it exactly as Hobnob will parse the file. `edit` calls it
//! before it writes.

use hobnob_config::{Problem, ServerName, Settings, check_entry, parse_mcp_json};
use hobnob_gateway::permission_rules;
use std::path::{Path, PathBuf};

/// A file that a person may edit; the variant says how it is parsed.
#[derive(Debug)]
pub(super) enum EditedFile {
    /// The file `config.toml`, with settings and rules.
    Settings(PathBuf),
    /// One of the files with servers.
    Servers(PathBuf),
}

impl EditedFile {
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Settings(path) | Self::Servers(path) => path,
        }
    }

    /// What the editor shows if there is no file yet.
    pub(super) fn template(&self) -> &'static str {
        match self {
            Self::Settings(_) => "",
            Self::Servers(_) => "{\n  \"mcpServers\": {}\n}\n",
        }
    }

    /// What is wrong with the text; `None` if it may be written.
    pub(super) fn check(&self, text: &str, before: Option<&str>) -> Option<String> {
        match self {
            Self::Settings(path) => check_settings(path, text).err(),
            Self::Servers(path) => check_servers(path, text, before).err(),
        }
    }
}

fn check_settings(path: &Path, text: &str) -> Result<(), String> {
    let settings = Settings::parse(path, text).map_err(|problem| problem.to_string())?;
    let rules = permission_rules(&settings, None);
    rules.map(drop).map_err(|error| format!("{}: {error}", path.display()))
}

fn check_servers(path: &Path, text: &str, before: Option<&str>) -> Result<(), String> {
    let shown = |problem: Problem| problem.to_string();
    let servers = parse_mcp_json(path, text).map_err(shown)?;
    let old = before.and_then(|text| parse_mcp_json(path, text).ok()).unwrap_or_default();
    for (name, entry) in &servers {
        // An entry that this edit leaves unchanged may be wrong.
        if old.get(name) == Some(entry) {
            continue;
        }
        let parsed = ServerName::parse(name).map_err(|bad| bad.to_string())?;
        let checked = check_entry(&parsed, entry);
        checked.map_err(|problem| format!("{}: {problem}", path.display()))?;
    }
    Ok(())
}
