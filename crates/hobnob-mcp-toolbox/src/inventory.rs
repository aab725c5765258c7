//! All kits of a toolbox, merged into the lists that callers see.
//!
//! The toolbox makes a new inventory for each change of its kits. An inventory is immutable, so a
//! call sees the same items from its beginning to its end.

use crate::completion::{Completable, Completer};
use crate::error::KitError;
use crate::kit::Kit;
use crate::paged_list::{Listed, PagedList};
use crate::prompt::RegisteredPrompt;
use crate::resource::{RegisteredResource, RegisteredTemplate};
use crate::task_mode::{Declared, TaskMode};
use crate::tool::RegisteredTool;
use hobnob_mcp_engine::{Change, ClientId, Subscriber};
use hobnob_mcp_types::entries::Entries;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Everything the toolbox offers at one moment.
pub(crate) struct Inventory {
    kits: BTreeMap<Box<str>, Arc<Kit>>,
    pub(crate) tools: PagedList<RegisteredTool>,
    /// Names that calls may use besides the listed ones.
    aliases: BTreeMap<Box<str>, Arc<RegisteredTool>>,
    pub(crate) resources: PagedList<RegisteredResource>,
    pub(crate) templates: PagedList<RegisteredTemplate>,
    pub(crate) prompts: PagedList<RegisteredPrompt>,
    pub(crate) completions: BTreeMap<(Completable, Box<str>), Arc<Completer>>,
    pub(crate) tasks: Declared,
}

/// What to do with a kit whose name is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnSameName {
    Refuse,
    Replace,
}

impl Inventory {
    pub(crate) fn empty() -> Self {
        Self {
            kits: BTreeMap::new(),
            tools: PagedList::new("tools"),
            aliases: BTreeMap::new(),
            resources: PagedList::new("resources"),
            templates: PagedList::new("resourceTemplates"),
            prompts: PagedList::new("prompts"),
            completions: BTreeMap::new(),
            tasks: Declared::No,
        }
    }

    /// A copy with one more kit.
    pub(crate) fn with(&self, kit: Kit, on_same_name: OnSameName) -> Result<Self, KitError> {
        let mut kits = self.kits.clone();
        let name: Box<str> = kit.name().into();
        if kits.insert(name.clone(), Arc::new(kit)).is_some() && on_same_name == OnSameName::Refuse
        {
            return Err(KitError::new(format!("there is a kit `{name}` already")));
        }
        Self::merge(kits)
    }

    /// A copy without a kit; `None` if there is no kit of this name.
    pub(crate) fn without(&self, name: &str) -> Option<Self> {
        let mut kits = self.kits.clone();
        kits.remove(name)?;
        // Fewer kits cannot have more name conflicts.
        Self::merge(kits).ok()
    }

    fn merge(kits: BTreeMap<Box<str>, Arc<Kit>>) -> Result<Self, KitError> {
        let mut inventory = Self::empty();
        let mut owners = Owners::default();
        for (name, kit) in &kits {
            for (names, tool) in &kit.tools {
                owners.claim(name, "tool", &names.listed)?;
                inventory.tools.insert(&names.listed, Arc::clone(tool));
                if let Some(alias) = &names.alias {
                    owners.claim(name, "tool", alias)?;
                    inventory.aliases.insert(alias.clone(), Arc::clone(tool));
                }
                if tool.tasks != TaskMode::Never {
                    inventory.tasks = Declared::Yes;
                }
            }
            owners.put(name, "resource", &kit.resources, &mut inventory.resources)?;
            owners.put(name, "template", &kit.templates, &mut inventory.templates)?;
            owners.put(name, "prompt", &kit.prompts, &mut inventory.prompts)?;
            let completions = kit.completions.iter();
            inventory
                .completions
                .extend(completions.map(|(key, run)| (key.clone(), Arc::clone(run))));
        }
        inventory.kits = kits;
        Ok(inventory)
    }

    /// Finds a tool by its listed name or its alias.
    pub(crate) fn tool(&self, name: &str) -> Option<&Arc<RegisteredTool>> {
        self.tools.get(name).or_else(|| self.aliases.get(name))
    }

    /// The first template that matches a URI, and the values of its variables.
    pub(crate) fn matching(
        &self,
        uri: &str,
    ) -> Option<(&Arc<RegisteredTemplate>, Entries<String>)> {
        self.templates
            .iter()
            .find_map(|(_, template)| Some((template, template.pattern.matches(uri)?)))
    }

    /// Lets every kit drop what it keeps for a client that has gone.
    pub(crate) fn client_gone(&self, client: ClientId) {
        for end in self.kits.values().filter_map(|kit| kit.client_gone.as_ref()) {
            end(client);
        }
    }

    /// Whether every kit allows this client to subscribe to the resource.
    pub(crate) fn may_subscribe(&self, subscriber: Subscriber<'_>, uri: &str) -> bool {
        let mut decisions = self.kits.values().filter_map(|kit| kit.may_subscribe.as_ref());
        decisions.all(|decide| decide(subscriber, uri))
    }

    /// The tool whose permissions a read of this URI needs, if its kit names one.
    pub(crate) fn read_counts_as(&self, uri: &str) -> Option<Arc<str>> {
        let named = |kit: &&Arc<Kit>| {
            kit.resources.contains_key(uri)
                || kit.templates.values().any(|it| it.pattern.matches(uri).is_some())
        };
        let kits = self.kits.values().filter(|kit| kit.reads_count_as.is_some());
        kits.clone().find(named).and_then(|kit| kit.reads_count_as.clone())
    }

    /// The lists that look different to a client in the other inventory.
    pub(crate) fn changes(&self, other: &Self) -> Vec<Change> {
        let same_resources = self.resources.looks_like(&other.resources)
            && self.templates.looks_like(&other.templates);
        let lists = [
            (self.tools.looks_like(&other.tools), Change::Tools),
            (same_resources, Change::Resources),
            (self.prompts.looks_like(&other.prompts), Change::Prompts),
        ];
        lists.into_iter().filter(|(same, _)| !same).map(|(_, change)| change).collect()
    }
}

/// Which kit owns which names, so that no kit hides another kit's items.
#[derive(Default)]
struct Owners<'a>(BTreeMap<(&'static str, &'a str), &'a str>);

impl<'a> Owners<'a> {
    fn claim(&mut self, kit: &'a str, kind: &'static str, key: &'a str) -> Result<(), KitError> {
        match self.0.insert((kind, key), kit) {
            Some(other) => {
                let message = format!("kits `{other}` and `{kit}` both have the {kind} `{key}`");
                Err(KitError::new(message))
            }
            None => Ok(()),
        }
    }

    fn put<T: Listed>(
        &mut self,
        kit: &'a str,
        kind: &'static str,
        items: &'a BTreeMap<Box<str>, Arc<T>>,
        list: &mut PagedList<T>,
    ) -> Result<(), KitError> {
        for (key, item) in items {
            self.claim(kit, kind, key)?;
            list.insert(key, Arc::clone(item));
        }
        Ok(())
    }
}
