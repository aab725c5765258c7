//! One profile: the keys of its file, and the methods with which gateway and services query it.
//!
//! `parse` makes it from text and checks it, so every profile is valid.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::presentation::{
    ErrorPresentation, MemoryPresentation, ProfileDialect, ResultPresentation, ServerPresentation,
};
use super::rows::{EntryOverride, ResourceOverride, Rows};
use crate::glob::glob_matches;
use crate::settings::RuleText;

/// What one kind of client sees.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// For people who read the file; Hobnob does not use it.
    pub description: Option<String>,
    /// Globs of upstream servers; all servers if not given.
    pub servers: Option<Vec<String>>,
    /// Built-in services; those that are switched on if not given.
    pub services: Option<Vec<String>>,
    /// The dialect of the machine's tools, their names and shapes: `native` or `sysmcp`.
    pub dialect: ProfileDialect,
    /// Whether the management tools and the resources `hobnob://…` exist.
    pub hobnob_tools: bool,
    /// `[server]`: the name and the capabilities that clients see.
    pub server: ServerPresentation,
    /// The URI scheme of a service, by its name.
    pub(super) uris: BTreeMap<String, String>,
    /// `[errors]`: the form of failures.
    pub errors: ErrorPresentation,
    /// `[results]`: the form of tools' results.
    pub results: ResultPresentation,
    /// Rows for tools, by name or glob of the tool without this profile.
    pub(super) tools: Rows<EntryOverride>,
    /// Rows for prompts, by name or glob.
    pub(super) prompts: Rows<EntryOverride>,
    /// Rows for resources, by URI or glob.
    resources: Rows<ResourceOverride>,
    /// Rows for templates, by pattern or glob.
    templates: Rows<ResourceOverride>,
    /// `[memory]`: the namespaces that exist.
    pub memory: MemoryPresentation,
    /// Rules in addition to those of `config.toml`.
    pub permissions: Vec<RuleText>,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            description: None,
            servers: None,
            services: None,
            dialect: ProfileDialect::Native,
            hobnob_tools: true,
            server: ServerPresentation::default(),
            uris: BTreeMap::new(),
            errors: ErrorPresentation::default(),
            results: ResultPresentation::default(),
            tools: Rows::default(),
            prompts: Rows::default(),
            resources: Rows::default(),
            templates: Rows::default(),
            memory: MemoryPresentation::default(),
            permissions: Vec::new(),
        }
    }
}

impl Profile {
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

    /// Whether it names a built-in service explicitly.
    pub fn names_service(&self, service: &str) -> bool {
        self.services.as_ref().is_some_and(|list| list.iter().any(|it| it == service))
    }

    /// The URI scheme of a service in this profile, if it differs from the usual one.
    pub fn uri_scheme(&self, service: &str) -> Option<&str> {
        self.uris.get(service).map(String::as_str)
    }

    /// Whether a prompt can exist that is not switched off.
    pub fn may_list_prompts(&self) -> bool {
        !self.prompts.hides_all()
    }

    /// Whether a resource or a template can be listed.
    pub fn may_list_resources(&self) -> bool {
        !self.resources.hides_all() || !self.templates.hides_all()
    }

    /// The overrides for a tool: for each field, from the most specific row that has it.
    pub fn tool(&self, tool: &str) -> EntryOverride {
        self.tools.find(tool)
    }

    /// The rows of `[tools]`, by name or glob.
    pub fn tool_rows(&self) -> impl Iterator<Item = (&str, &EntryOverride)> {
        self.tools.iter()
    }

    /// The rows of `[prompts]`, by name or glob.
    pub fn prompt_rows(&self) -> impl Iterator<Item = (&str, &EntryOverride)> {
        self.prompts.iter()
    }

    /// The row that gives a tool this name, by its own name or glob.
    pub fn row_of_tool(&self, shown: &str) -> Option<&str> {
        let names =
            |row: &EntryOverride| row.name.as_deref().is_some_and(|name| glob_matches(name, shown));
        self.tools.iter().find_map(|(pattern, row)| names(row).then_some(pattern))
    }

    /// The overrides for a prompt.
    pub fn prompt(&self, prompt: &str) -> EntryOverride {
        self.prompts.find(prompt)
    }

    /// The overrides for a resource, by its URI.
    pub fn resource(&self, uri: &str) -> ResourceOverride {
        self.resources.find(uri)
    }

    /// The overrides for a template, by its pattern.
    pub fn template(&self, pattern: &str) -> ResourceOverride {
        self.templates.find(pattern)
    }
}
