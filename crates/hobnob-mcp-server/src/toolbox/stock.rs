//! All kits of a toolbox merged into the lists that callers see. Never changed, only replaced.

use super::completion::{Completer, Target};
use super::error::KitError;
use super::kit::Kit;
use super::prompt::RegisteredPrompt;
use super::resource::{Matched, RegisteredResource, RegisteredTemplate};
use super::shelf::{Listed, Shelf};
use super::task_mode::{Declared, TaskMode};
use super::tool::RegisteredTool;
use hobnob_mcp_engine::Change;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What there is at one moment.
pub(super) struct Stock {
    kits: BTreeMap<Box<str>, Arc<Kit>>,
    pub(super) tools: Shelf<RegisteredTool>,
    /// Names that calls may use besides the listed ones.
    spoken: BTreeMap<Box<str>, Arc<RegisteredTool>>,
    pub(super) resources: Shelf<RegisteredResource>,
    pub(super) templates: Shelf<RegisteredTemplate>,
    pub(super) prompts: Shelf<RegisteredPrompt>,
    pub(super) completions: BTreeMap<(Target, Box<str>), Arc<Completer>>,
    pub(super) tasks: Declared,
}

/// What may take the place of a kit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Same {
    /// Nothing: a kit of the same name is an error.
    Refuse,
    /// A kit of the same name.
    Replace,
}

impl Stock {
    /// Nothing yet.
    pub(super) fn empty() -> Self {
        Self {
            kits: BTreeMap::new(),
            tools: Shelf::new("tools"),
            spoken: BTreeMap::new(),
            resources: Shelf::new("resources"),
            templates: Shelf::new("resourceTemplates"),
            prompts: Shelf::new("prompts"),
            completions: BTreeMap::new(),
            tasks: Declared::No,
        }
    }

    /// The same with one more kit.
    pub(super) fn with(&self, kit: Kit, same: Same) -> Result<Self, KitError> {
        let mut kits = self.kits.clone();
        let name: Box<str> = kit.name().into();
        if kits.insert(name.clone(), Arc::new(kit)).is_some() && same == Same::Refuse {
            return Err(KitError::new(format!("there is a kit `{name}` already")));
        }
        Self::merge(kits)
    }

    /// The same without a kit, if it was there.
    pub(super) fn without(&self, name: &str) -> Option<Self> {
        let mut kits = self.kits.clone();
        kits.remove(name)?;
        // Fewer kits than before cannot collide.
        Self::merge(kits).ok()
    }

    fn merge(kits: BTreeMap<Box<str>, Arc<Kit>>) -> Result<Self, KitError> {
        let mut stock = Self::empty();
        let mut owners = Owners::default();
        for (name, kit) in &kits {
            for (names, tool) in &kit.tools {
                owners.claim(name, "tool", &names.listed)?;
                stock.tools.insert(&names.listed, Arc::clone(tool));
                if let Some(spoken) = &names.spoken {
                    owners.claim(name, "tool", spoken)?;
                    stock.spoken.insert(spoken.clone(), Arc::clone(tool));
                }
                if tool.tasks != TaskMode::Never {
                    stock.tasks = Declared::Yes;
                }
            }
            owners.put(name, "resource", &kit.resources, &mut stock.resources)?;
            owners.put(name, "template", &kit.templates, &mut stock.templates)?;
            owners.put(name, "prompt", &kit.prompts, &mut stock.prompts)?;
            let completions = kit.completions.iter();
            stock.completions.extend(completions.map(|(key, run)| (key.clone(), Arc::clone(run))));
        }
        stock.kits = kits;
        Ok(stock)
    }

    /// A tool by either of its names.
    pub(super) fn tool(&self, name: &str) -> Option<&Arc<RegisteredTool>> {
        self.tools.get(name).or_else(|| self.spoken.get(name))
    }

    /// The first template that an address follows.
    pub(super) fn matching(&self, uri: &str) -> Option<(&Arc<RegisteredTemplate>, Matched)> {
        self.templates.iter().find_map(|(_, template)| {
            let variables = template.pattern.matches(uri)?;
            Some((template, Matched { uri: uri.to_owned(), variables }))
        })
    }

    /// Which lists a client would see differently in the other.
    pub(super) fn changes(&self, other: &Self) -> Vec<Change> {
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

/// Which kit has which names, so that none hides another's.
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
        shelf: &mut Shelf<T>,
    ) -> Result<(), KitError> {
        for (key, item) in items {
            self.claim(kit, kind, key)?;
            shelf.insert(key, Arc::clone(item));
        }
        Ok(())
    }
}
