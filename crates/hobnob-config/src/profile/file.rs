//! One profile, as its file has it and as others ask it.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::check::{self, Flaw};
use super::face::{ErrorFace, MemoryFace, ServerFace};
use super::place::offset_of;
use super::rows::{EntryOverride, ResourceOverride, Rows};
use crate::glob::glob_matches;
use crate::problem::Problem;
use crate::settings::RuleText;

/// What one kind of client sees.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// For people.
    pub description: Option<String>,
    /// Globs of upstream servers; all of them if not given.
    pub servers: Option<Vec<String>>,
    /// Built-in services; those that are switched on if not given.
    pub services: Option<Vec<String>>,
    /// Whether the tools and resources are there that are about servers themselves.
    pub hobnob_tools: bool,
    /// Who we are.
    pub server: ServerFace,
    /// The schemes of services' addresses.
    pub(super) uris: BTreeMap<String, String>,
    /// How failures look.
    pub errors: ErrorFace,
    /// By name or glob of the tool, as it is called without this profile.
    pub(super) tools: Rows<EntryOverride>,
    /// The same for prompts.
    pub(super) prompts: Rows<EntryOverride>,
    /// By address or glob.
    resources: Rows<ResourceOverride>,
    /// By pattern or glob.
    templates: Rows<ResourceOverride>,
    /// What memory is like.
    pub memory: MemoryFace,
    /// Rules that come before the user's own.
    pub permissions: Vec<RuleText>,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            description: None,
            servers: None,
            services: None,
            hobnob_tools: true,
            server: ServerFace::default(),
            uris: BTreeMap::new(),
            errors: ErrorFace::default(),
            tools: Rows::default(),
            prompts: Rows::default(),
            resources: Rows::default(),
            templates: Rows::default(),
            memory: MemoryFace::default(),
            permissions: Vec::new(),
        }
    }
}

impl Profile {
    /// Reads the text of a profile for a product that has these services.
    pub fn parse(file: &Path, text: &str, services: &[&str]) -> Result<Self, Problem> {
        let profile: Self =
            toml::from_str(text).map_err(|error| Problem::of_toml(file, text, &error))?;
        check::check(&profile)
            .and_then(|()| check::check_services(&profile, services))
            .map_err(|flaw| problem(file, text, &flaw))?;
        Ok(profile)
    }

    /// Whether an upstream server is part of it.
    pub fn includes_server(&self, server: &str) -> bool {
        let fits = |list: &Vec<String>| list.iter().any(|it| glob_matches(it, server));
        self.servers.as_ref().is_none_or(fits)
    }

    /// Whether any upstream server could be part of it.
    pub fn has_servers(&self) -> bool {
        self.servers.as_ref().is_none_or(|list| !list.is_empty())
    }

    /// Whether a built-in service is part of it, if it is switched on at all.
    pub fn includes_service(&self, service: &str) -> bool {
        self.services.as_ref().is_none_or(|list| list.iter().any(|it| it == service))
    }

    /// The scheme that a service's addresses have here, if it is another than usual.
    pub fn uri_scheme(&self, service: &str) -> Option<&str> {
        self.uris.get(service).map(String::as_str)
    }

    /// Whether there can be a prompt that is not switched off.
    pub fn may_list_prompts(&self) -> bool {
        !self.prompts.hides_all()
    }

    /// Whether there can be a resource or a template that is listed.
    pub fn may_list_resources(&self) -> bool {
        !self.resources.hides_all() || !self.templates.hides_all()
    }

    /// What holds for a tool: for each field, the most specific row that has it.
    pub fn tool(&self, tool: &str) -> EntryOverride {
        self.tools.find(tool)
    }

    /// The same for a prompt.
    pub fn prompt(&self, prompt: &str) -> EntryOverride {
        self.prompts.find(prompt)
    }

    /// The same for a resource, by its address.
    pub fn resource(&self, uri: &str) -> ResourceOverride {
        self.resources.find(uri)
    }

    /// The same for a template, by its pattern.
    pub fn template(&self, pattern: &str) -> ResourceOverride {
        self.templates.find(pattern)
    }
}

fn problem(file: &Path, text: &str, flaw: &Flaw) -> Problem {
    // Quoted where they have to be, as a person would write them.
    let bare = |key: &String| key.chars().all(|it| it.is_ascii_alphanumeric() || "_-".contains(it));
    let shown = |key: &String| if bare(key) { key.clone() } else { format!("{key:?}") };
    let keys: Vec<String> = flaw.keys.iter().map(shown).collect();
    let message = format!("{}: {}", keys.join("."), flaw.message);
    Problem::at(file, text, offset_of(text, &flaw.keys), message)
}
