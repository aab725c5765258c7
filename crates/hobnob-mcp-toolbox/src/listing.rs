//! What a toolbox lists, for a service that merges it with the lists of others, such as the gateway.
//! Entries are in the superset of all revisions.

use crate::answering::Toolbox;
use crate::paged_list::{Listed, PagedList};
use std::sync::Arc;

/// One entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// What it is asked for by: a name, a URI or a URI template.
    pub key: Box<str>,
    /// Its JSON text, in the superset of all revisions.
    pub json: Box<str>,
}

/// Lists are in the order of their keys, which is also the order of the pages.
impl Toolbox {
    /// Every tool, under its listed name.
    pub fn tools(&self) -> Vec<Listing> {
        listings(&self.inventory().tools)
    }

    /// Every resource that has an address of its own, without those of templates.
    pub fn resources(&self) -> Vec<Listing> {
        listings(&self.inventory().resources)
    }

    /// Every resource template, under its pattern.
    pub fn templates(&self) -> Vec<Listing> {
        listings(&self.inventory().templates)
    }

    /// Every prompt, under its name.
    pub fn prompts(&self) -> Vec<Listing> {
        listings(&self.inventory().prompts)
    }

    /// Whether a call of this name would find a tool.
    pub fn has_tool(&self, name: &str) -> bool {
        self.inventory().tool(name).is_some()
    }

    /// Whether a read of this URI would find a resource, listed or by a template.
    pub fn has_resource(&self, uri: &str) -> bool {
        let inventory = self.inventory();
        inventory.resources.get(uri).is_some() || inventory.matching(uri).is_some()
    }

    /// The tool that a read of this URI counts as, by its listed name, if its kit names one.
    pub fn read_counts_as(&self, uri: &str) -> Option<Arc<str>> {
        self.inventory().read_counts_as(uri)
    }

    /// Whether there is a prompt of this name.
    pub fn has_prompt(&self, name: &str) -> bool {
        self.inventory().prompts.get(name).is_some()
    }
}

fn listings<T: Listed>(list: &PagedList<T>) -> Vec<Listing> {
    let all = list.iter();
    all.map(|(key, item)| Listing { key: key.into(), json: item.listing().into() }).collect()
}
