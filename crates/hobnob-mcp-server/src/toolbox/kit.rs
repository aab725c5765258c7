//! A named group of tools, resources, templates, prompts and completions that is fit to be served.
//!
//! `KitBuilder` makes one; a [`Toolbox`](super::Toolbox) takes it as a whole and removes it as a
//! whole.

use super::completion::{Completer, Target};
use super::name::Names;
use super::prompt::RegisteredPrompt;
use super::resource::{RegisteredResource, RegisteredTemplate};
use super::tool::RegisteredTool;
use hobnob_mcp_engine::{ClientId, Subscriber};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a kit does once a client has gone.
pub(super) type ClientGone = Box<dyn Fn(ClientId) + Send + Sync>;

/// How a kit decides who may hear of changes of a resource.
pub(super) type MaySubscribe = Box<dyn Fn(Subscriber<'_>, &str) -> bool + Send + Sync>;

/// A group of tools, resources and prompts that come and go together.
pub struct Kit {
    pub(super) name: Box<str>,
    pub(super) tools: Vec<(Names, Arc<RegisteredTool>)>,
    pub(super) resources: BTreeMap<Box<str>, Arc<RegisteredResource>>,
    pub(super) templates: BTreeMap<Box<str>, Arc<RegisteredTemplate>>,
    pub(super) prompts: BTreeMap<Box<str>, Arc<RegisteredPrompt>>,
    pub(super) completions: BTreeMap<(Target, Box<str>), Arc<Completer>>,
    pub(super) client_gone: Option<ClientGone>,
    pub(super) may_subscribe: Option<MaySubscribe>,
    /// The tool that reads of the resources count as, by the name it is listed under.
    pub(super) reads_count_as: Option<Arc<str>>,
}

impl Kit {
    pub(super) fn empty(name: Box<str>) -> Self {
        Self {
            name,
            tools: Vec::new(),
            resources: BTreeMap::new(),
            templates: BTreeMap::new(),
            prompts: BTreeMap::new(),
            completions: BTreeMap::new(),
            client_gone: None,
            may_subscribe: None,
            reads_count_as: None,
        }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl std::fmt::Debug for Kit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tools: Vec<_> = self.tools.iter().map(|(names, _)| &names.listed).collect();
        f.debug_struct("Kit")
            .field("name", &self.name)
            .field("tools", &tools)
            .finish_non_exhaustive()
    }
}
