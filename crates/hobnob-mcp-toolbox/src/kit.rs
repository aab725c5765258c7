//! A valid group of tools, resources, templates, prompts and completions, with a name.
//!
//! `KitBuilder` makes it; a [`Toolbox`](crate::Toolbox) adds and removes it as a whole.

use crate::completion::{Completable, Completer};
use crate::name::RegisteredNames;
use crate::prompt::RegisteredPrompt;
use crate::resource::{RegisteredResource, RegisteredTemplate};
use crate::tool::RegisteredTool;
use hobnob_mcp_engine::{ClientId, Subscriber};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The hook that runs when a client has gone.
pub(crate) type ClientGone = Box<dyn Fn(ClientId) + Send + Sync>;

/// The hook that decides who may subscribe to a resource.
pub(crate) type MaySubscribe = Box<dyn Fn(Subscriber<'_>, &str) -> bool + Send + Sync>;

/// A group of tools, resources and prompts that are added and removed together.
pub struct Kit {
    pub(crate) name: Box<str>,
    pub(crate) tools: Vec<(RegisteredNames, Arc<RegisteredTool>)>,
    pub(crate) resources: BTreeMap<Box<str>, Arc<RegisteredResource>>,
    pub(crate) templates: BTreeMap<Box<str>, Arc<RegisteredTemplate>>,
    pub(crate) prompts: BTreeMap<Box<str>, Arc<RegisteredPrompt>>,
    pub(crate) completions: BTreeMap<(Completable, Box<str>), Arc<Completer>>,
    pub(crate) client_gone: Option<ClientGone>,
    pub(crate) may_subscribe: Option<MaySubscribe>,
    /// The listed name of the tool whose permissions a read of these resources needs.
    pub(crate) reads_count_as: Option<Arc<str>>,
}

impl Kit {
    pub(crate) fn empty(name: Box<str>) -> Self {
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

    /// The name of the kit.
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
