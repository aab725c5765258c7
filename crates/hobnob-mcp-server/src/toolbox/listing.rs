//! What a toolbox lists, for a service that merges it with the lists of others.

use super::answering::Toolbox;
use super::shelf::{Listed, Shelf};

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
        listings(&self.stock().tools)
    }

    /// Every resource.
    pub fn resources(&self) -> Vec<Listing> {
        listings(&self.stock().resources)
    }

    /// Every resource template.
    pub fn templates(&self) -> Vec<Listing> {
        listings(&self.stock().templates)
    }

    /// Every prompt.
    pub fn prompts(&self) -> Vec<Listing> {
        listings(&self.stock().prompts)
    }

    /// Whether a call of this name would find a tool.
    pub fn has_tool(&self, name: &str) -> bool {
        self.stock().tool(name).is_some()
    }

    /// Whether a read of this URI would find a resource, listed or by a template.
    pub fn has_resource(&self, uri: &str) -> bool {
        let stock = self.stock();
        stock.resources.get(uri).is_some() || stock.matching(uri).is_some()
    }

    /// Whether there is a prompt of this name.
    pub fn has_prompt(&self, name: &str) -> bool {
        self.stock().prompts.get(name).is_some()
    }
}

fn listings<T: Listed>(shelf: &Shelf<T>) -> Vec<Listing> {
    let all = shelf.iter();
    all.map(|(key, item)| Listing { key: key.into(), json: item.listing().into() }).collect()
}
