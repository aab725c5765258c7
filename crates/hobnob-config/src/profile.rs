//! Profiles: small TOML files that say what one kind of client sees.
//!
//! The user's own come first, then those that ship with the product, which the caller brings.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Deserializer, de};

use crate::disk::read_text;
use crate::glob::{glob_matches, is_glob, specificity};
use crate::places::Places;
use crate::problem::Problem;
use crate::settings::{MOST_BYTES, RuleText};

/// 1 to 64 of `[A-Za-z0-9_-]`: it is part of a file's name and of a URL.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProfileName(Box<str>);

/// Why there is no profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// No file and no shipped profile has the name.
    #[error("there is no profile `{0}`: create it as {file}", file = .1.display())]
    Unknown(ProfileName, std::path::PathBuf),
    /// The name cannot be one.
    #[error("`{0}` cannot name a profile: use 1 to 64 letters, digits, `_` or `-`")]
    BadName(String),
    /// The file does not hold.
    #[error(transparent)]
    Problem(#[from] Problem),
}

impl ProfileName {
    /// Checks a name.
    pub fn parse(raw: &str) -> Result<Self, ProfileError> {
        let legal = |it: char| it.is_ascii_alphanumeric() || "_-".contains(it);
        if raw.is_empty() || 64 < raw.len() || !raw.chars().all(legal) {
            let shown = raw.chars().take(80).flat_map(char::escape_debug).collect();
            return Err(ProfileError::BadName(shown));
        }
        Ok(Self(raw.into()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What one kind of client sees.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// For people.
    pub description: Option<String>,
    /// Globs of upstream servers; all of them if not given.
    pub servers: Option<Vec<String>>,
    /// Built-in services; those that are switched on if not given.
    pub services: Option<Vec<String>>,
    /// By name or glob of the tool, as it is called without this profile.
    tools: BTreeMap<String, ToolOverride>,
    /// Rules that come before the user's own.
    pub permissions: Vec<RuleText>,
}

/// What a profile changes about tools.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolOverride {
    /// Whether it is listed.
    pub enabled: Option<bool>,
    /// What it is called.
    #[serde(deserialize_with = "tool_name")]
    pub name: Option<String>,
    /// How it is described.
    pub description: Option<String>,
}

impl Profile {
    /// Reads the text of a profile.
    pub fn parse(file: &Path, text: &str) -> Result<Self, Problem> {
        let profile: Self =
            toml::from_str(text).map_err(|error| Problem::of_toml(file, text, &error))?;
        profile.check_renames().map_err(|message| Problem::of_file(file, message))?;
        Ok(profile)
    }

    /// Whether an upstream server is part of it.
    pub fn includes_server(&self, server: &str) -> bool {
        let fits = |list: &Vec<String>| list.iter().any(|it| glob_matches(it, server));
        self.servers.as_ref().is_none_or(fits)
    }

    /// What holds for a tool: for each field, the most specific row that has it.
    pub fn tool(&self, tool: &str) -> ToolOverride {
        let mut rows: Vec<_> =
            self.tools.iter().filter(|(pattern, _)| glob_matches(pattern, tool)).collect();
        rows.sort_by_key(|(pattern, _)| specificity(pattern));
        rows.into_iter().rev().fold(ToolOverride::default(), |found, (_, row)| ToolOverride {
            enabled: found.enabled.or(row.enabled),
            name: found.name.or_else(|| row.name.clone()),
            description: found.description.or_else(|| row.description.clone()),
        })
    }

    /// Every rename: what the tool is called without the profile, and with it.
    pub fn renames(&self) -> impl Iterator<Item = (&str, &str)> {
        self.tools.iter().filter_map(|(tool, row)| Some((tool.as_str(), row.name.as_deref()?)))
    }

    fn check_renames(&self) -> Result<(), String> {
        let mut taken: BTreeMap<&str, &str> = BTreeMap::new();
        for (tool, name) in self.renames() {
            if is_glob(tool) {
                return Err(format!(
                    "tools.\"{tool}\": `name` would give many tools one name: name one tool"
                ));
            }
            if let Some(other) = taken.insert(name, tool) {
                return Err(format!(
                    "tools.\"{tool}\": `name` is \"{name}\", as that of \"{other}\": choose another"
                ));
            }
        }
        // A tool that keeps its name has it too, unless the profile hides it.
        let keeps = |tool: &str, row: &ToolOverride| {
            !is_glob(tool) && row.name.is_none() && row.enabled != Some(false)
        };
        match self
            .tools
            .iter()
            .find(|(tool, row)| keeps(tool, row) && taken.contains_key(tool.as_str()))
        {
            Some((tool, _)) => Err(format!(
                "tools.\"{}\": `name` is \"{tool}\", which another tool has: choose another",
                taken.get(tool.as_str()).copied().unwrap_or_default()
            )),
            None => Ok(()),
        }
    }
}

/// Loads one profile: the user's file, else one of those that ship, given as name and text.
pub fn load_profile(
    places: &Places,
    name: &ProfileName,
    shipped: &[(&str, &str)],
) -> Result<Profile, ProfileError> {
    let file = places.profiles().join(format!("{name}.toml"));
    if let Some(text) = read_text(&file, MOST_BYTES)? {
        return Ok(Profile::parse(&file, &text)?);
    }
    match shipped.iter().find(|(shipped, _)| *shipped == name.as_str()) {
        Some((_, text)) => Ok(Profile::parse(&file, text)?),
        None => Err(ProfileError::Unknown(name.clone(), file)),
    }
}

/// The names of all profiles, sorted; files whose names cannot be used are left out.
pub fn list_profiles(places: &Places, shipped: &[(&str, &str)]) -> Vec<ProfileName> {
    let files = fs::read_dir(places.profiles()).into_iter().flatten().flatten();
    let own = files.filter_map(|file| {
        let name = file.file_name();
        ProfileName::parse(name.to_str()?.strip_suffix(".toml")?).ok()
    });
    let shipped = shipped.iter().filter_map(|(name, _)| ProfileName::parse(name).ok());
    let mut names: Vec<_> = own.chain(shipped).collect();
    names.sort();
    names.dedup();
    names
}

fn tool_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let name = String::deserialize(deserializer)?;
    let legal = |it: char| it.is_ascii_alphanumeric() || "_.-".contains(it);
    if name.is_empty() || 64 < name.len() || !name.chars().all(legal) {
        return Err(de::Error::custom(
            "not a tool name: use 1 to 64 letters, digits, `_`, `.` or `-`",
        ));
    }
    Ok(Some(name))
}
