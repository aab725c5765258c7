//! The lists of a toolbox, for a service that merges them with other lists, such as the gateway.
//! Entries are in the superset of all revisions.

use crate::inventory::Inventory;
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

/// The lists of a toolbox at one moment, each sorted by key, which is also the order of the pages.
pub struct ToolboxLists(pub(crate) Arc<Inventory>);

impl ToolboxLists {
    /// All tools, under their listed names.
    pub fn tools(&self) -> Vec<Listing> {
        listings(&self.0.tools)
    }

    /// All resources with a URI of their own; those of templates are not included.
    pub fn resources(&self) -> Vec<Listing> {
        listings(&self.0.resources)
    }

    /// All resource templates, under their URI templates.
    pub fn templates(&self) -> Vec<Listing> {
        listings(&self.0.templates)
    }

    /// All prompts, under their names.
    pub fn prompts(&self) -> Vec<Listing> {
        listings(&self.0.prompts)
    }

    /// Whether a call with this name would find a tool.
    pub fn has_tool(&self, name: &str) -> bool {
        self.0.tool(name).is_some()
    }

    /// Whether a read of this URI would find a resource or a matching template.
    pub fn has_resource(&self, uri: &str) -> bool {
        self.0.resources.get(uri).is_some() || self.0.matching(uri).is_some()
    }

    /// The listed name of the tool that a read of this URI counts as, if its kit names one.
    pub fn read_counts_as(&self, uri: &str) -> Option<Arc<str>> {
        self.0.read_counts_as(uri)
    }

    /// Whether there is a prompt of this name.
    pub fn has_prompt(&self, name: &str) -> bool {
        self.0.prompts.get(name).is_some()
    }
}

fn listings<T: Listed>(list: &PagedList<T>) -> Vec<Listing> {
    let all = list.iter();
    all.map(|(key, item)| Listing { key: key.into(), json: item.listing().into() }).collect()
}
