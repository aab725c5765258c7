//! One upstream's lists, checked and under public names: everything that no view can change.
//!
//! They are prepared once when the upstream's lists change; the snapshots of all views share them.

use super::check::{self, Flawed};
use super::entry::{ListKind, Mirroring, Rejected, ServerLists, ToolRoute};
use crate::names::public_name;
use crate::pins::ToolDigest;
use crate::rewrite::{self, one_line};
use crate::uris::PublicUris;
use hobnob_mcp_client::mirror::HeaderPlan;
use hobnob_mcp_types::apps::ToolAudience;
use hobnob_mcp_types::json::field;
use std::collections::HashSet;
use std::sync::Arc;

/// An upstream's lists, ready to be put into snapshots.
#[derive(Debug)]
pub struct PreparedServer {
    pub(super) server: Arc<str>,
    pub(super) tools: Vec<PreparedTool>,
    pub(super) resources: Vec<PreparedEntry>,
    pub(super) templates: Vec<PreparedEntry>,
    pub(super) prompts: Vec<PreparedEntry>,
    rejected: Vec<Rejected>,
}

/// A tool under its usual public name.
#[derive(Debug)]
pub(super) struct PreparedTool {
    /// Its position in the upstream's list.
    pub(super) index: usize,
    pub(super) key: Arc<str>,
    pub(super) json: Arc<str>,
    pub(super) route: Arc<ToolRoute>,
}

/// A resource, a template or a prompt under its usual public name.
#[derive(Debug)]
pub(super) struct PreparedEntry {
    pub(super) index: usize,
    pub(super) original: Arc<str>,
    pub(super) key: Arc<str>,
    pub(super) json: Arc<str>,
}

impl PreparedServer {
    /// Checks and renames all entries; broken ones are left out and reported.
    pub fn new(lists: ServerLists) -> Self {
        let ServerLists { server, mirroring, tools, resources, templates, prompts } = lists;
        let uris = PublicUris::of(&server);
        let mut report = Report { server: &server, rejected: Vec::new() };
        let tools = report.tools(tools, mirroring, &uris);
        let address = |original: &str| uris.public(original);
        let resources =
            report.entries(ListKind::Resources, resources, check::resource, address, |raw, _| {
                rewrite::resource_entry(raw, &uris)
            });
        let templates =
            report.entries(ListKind::Templates, templates, check::template, address, |raw, _| {
                rewrite::template_entry(raw, &uris)
            });
        let name = |original: &str| public_name(&server, original).to_string();
        let prompts =
            report.entries(ListKind::Prompts, prompts, check::prompt, name, rewrite::prompt_entry);
        let rejected = report.rejected;
        Self { server, tools, resources, templates, prompts, rejected }
    }

    /// The server's name in the configuration.
    pub fn server(&self) -> &Arc<str> {
        &self.server
    }

    /// The entries that were left out, and why.
    pub fn rejected(&self) -> &[Rejected] {
        &self.rejected
    }

    /// The upstream's own names of its valid tools, with the digests of their definitions.
    pub fn digests(&self) -> impl Iterator<Item = (&str, &ToolDigest)> {
        self.tools.iter().map(|tool| (&*tool.route.original, &tool.route.digest))
    }
}

/// Collects rejected entries while one server's lists are prepared.
struct Report<'a> {
    server: &'a Arc<str>,
    rejected: Vec<Rejected>,
}

impl Report<'_> {
    fn tools(
        &mut self,
        tools: Vec<String>,
        mirroring: Mirroring,
        uris: &PublicUris,
    ) -> Vec<PreparedTool> {
        let mut seen = HashSet::new();
        let mut sound = Vec::with_capacity(tools.len());
        for (index, raw) in tools.into_iter().enumerate() {
            let raw = one_line(raw);
            match self.tool(index, &raw, mirroring, uris) {
                Ok(tool) if !seen.insert(tool.route.original.clone()) => {
                    self.reject(ListKind::Tools, index, &raw, twice());
                }
                Ok(tool) => sound.push(tool),
                Err(flaw) => self.reject(ListKind::Tools, index, &raw, flaw),
            }
        }
        sound
    }

    fn tool(
        &self,
        index: usize,
        raw: &str,
        mirroring: Mirroring,
        uris: &PublicUris,
    ) -> Result<PreparedTool, Flawed> {
        let checked = check::tool(raw)?;
        let schema = field(raw, "inputSchema").unwrap_or("{}");
        let headers = HeaderPlan::of(schema);
        if let (Mirroring::Required, HeaderPlan::Invalid(reason)) = (mirroring, &headers) {
            return Err(reason.clone());
        }
        let name = public_name(self.server, &checked.name);
        let json = rewrite::tool_entry(raw, name.as_str(), uris).into();
        let key: Arc<str> = name.as_str().into();
        let route = ToolRoute {
            server: self.server.clone(),
            original_json: rewrite::quoted(&checked.name).into(),
            original: checked.name.into(),
            usual: Arc::clone(&key),
            uris: uris.clone(),
            digest: ToolDigest::of(raw),
            has_output_schema: checked.has_output_schema,
            task_support: checked.task_support,
            headers,
            audience: ToolAudience::of(raw),
        };
        Ok(PreparedTool { index, key, json, route: Arc::new(route) })
    }

    fn entries(
        &mut self,
        kind: ListKind,
        entries: Vec<String>,
        check: impl Fn(&str) -> Result<String, Flawed>,
        public: impl Fn(&str) -> String,
        render: impl Fn(&str, &str) -> String,
    ) -> Vec<PreparedEntry> {
        let mut seen = HashSet::new();
        let mut sound = Vec::with_capacity(entries.len());
        for (index, raw) in entries.into_iter().enumerate() {
            let raw = one_line(raw);
            match check(&raw) {
                Ok(original) if !seen.insert(original.clone()) => {
                    self.reject(kind, index, &raw, twice());
                }
                Ok(original) => {
                    let key = public(&original);
                    let json = render(&raw, &key).into();
                    let (original, key) = (original.into(), key.into());
                    sound.push(PreparedEntry { index, original, key, json });
                }
                Err(flaw) => self.reject(kind, index, &raw, flaw),
            }
        }
        sound
    }

    fn reject(&mut self, kind: ListKind, index: usize, raw: &str, reason: Flawed) {
        let (server, name) = (self.server.clone(), check::claimed_name(raw));
        self.rejected.push(Rejected { server, kind, index, name, reason });
    }
}

fn twice() -> Flawed {
    "the server lists it twice; the first one counts".into()
}
