//! The lists of a toolbox, for a service that merges them with other lists, such as the gateway.
//! Entries are in the superset of all revisions.

use crate::answering::Toolbox;
use crate::paged_list::{Listed, PagedList};
use std::sync::Arc;

/// One entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Its key in requests: a name, a URI or a URI template.
    pub key: Box<str>,
    /// Its JSON text, in the superset of all revisions.
    pub json: Box<str>,
}

/// Each list is sorted by key, which is also the order of the pages.
impl Toolbox {
    /// All tools, under their listed names.
    pub fn tools(&self) -> Vec<Listing> {
        listings(&self.inventory().tools)
    }

    /// All resources with a URI of their own; those of templates are not included.
    pub fn resources(&self) -> Vec<Listing> {
        listings(&self.inventory().resources)
    }

    /// All resource templates, under their URI templates.
    pub fn templates(&self) -> Vec<Listing> {
        listings(&self.inventory().templates)
    }

    /// All prompts, under their names.
    pub fn prompts(&self) -> Vec<Listing> {
        listings(&self.inventory().prompts)
    }

    /// Whether a call with this name would find a tool.
    pub fn has_tool(&self, name: &str) -> bool {
        self.inventory().tool(name).is_some()
    }

    /// Whether a read of this URI would find a resource or a matching template.
    pub fn has_resource(&self, uri: &str) -> bool {
        let inventory = self.inventory();
        inventory.resources.get(uri).is_some() || inventory.matching(uri).is_some()
    }

    /// The listed name of the tool that a read of this URI counts as, if its kit names one.
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
