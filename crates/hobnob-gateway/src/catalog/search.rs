//! The short lists of tools, and the index that the search tools search in.
//!
//! The router lists from here where the whole list would be too long; the kit `tool_search` queries
//! the index. An index is built on first use and kept for as long as the list stays the same.

use super::entry::ToolTarget;
use super::snapshot::Catalogue;
use super::tokens::estimated_tokens;
use crate::names::searching;
use hobnob_ranking::{ToolDocument, ToolIndex};
use serde_json::Value;
use std::sync::Arc;

/// The server name that stands for Hobnob's own tools.
const OWN_SERVER: &str = "hobnob";

impl Catalogue {
    /// Whether a client can find every tool without the whole list: the view hides none of the
    /// tools for searching.
    pub(crate) fn can_be_searched(&self) -> bool {
        let is_there = |name: &&str| {
            let targets = self.searching.entries().map(|(key, _)| self.tool(key));
            targets.flatten().any(|it| matches!(it, ToolTarget::BuiltIn(own) if **own == **name))
        };
        searching::ALL.iter().all(is_there)
    }

    /// Estimated tokens of the tools of all servers. Built-in tools do not count: the everyday list
    /// has few of them.
    pub(crate) fn server_tokens(&self) -> usize {
        let is_of_server = |name: &str| matches!(self.tool(name), Some(ToolTarget::Upstream(_)));
        let count = || {
            let tools = self.tools.entries().filter(|(name, _)| is_of_server(name));
            tools.map(|(_, json)| estimated_tokens(json)).sum()
        };
        *self.server_tokens.get_or_init(count)
    }

    /// The server of a listed tool, by the name people know it by, and the tool's name on it.
    pub(crate) fn origin_of<'a>(&'a self, public: &'a str) -> (&'a str, &'a str) {
        match self.tool(public) {
            Some(ToolTarget::Upstream(route)) => (&route.server, &route.original),
            Some(ToolTarget::BuiltIn(own)) => (OWN_SERVER, own),
            None => (OWN_SERVER, public),
        }
    }

    /// The keyword index of all tools; positions are those of the whole list.
    pub(crate) fn search_index(&self) -> &Arc<ToolIndex> {
        self.search_index.get_or_init(|| Arc::new(ToolIndex::build(self.documents())))
    }

    /// The index with vectors, if the vectors are there already.
    pub(crate) fn vector_index(&self) -> Option<&Arc<ToolIndex>> {
        self.vector_index.get()
    }

    /// The texts to embed for the tools, in the order of the whole list.
    pub(crate) fn search_texts(&self) -> Vec<String> {
        self.documents().map(|document| document.embedding_text().to_owned()).collect()
    }

    /// Takes the vectors of [`Self::search_texts`], in the same order.
    pub(crate) fn set_vectors(&self, vectors: Vec<Option<Vec<f32>>>) {
        let index = ToolIndex::build(self.documents()).with_vectors(vectors);
        // If another thread set it first, that index is the same.
        let _ = self.vector_index.set(Arc::new(index));
    }

    fn documents(&self) -> impl Iterator<Item = ToolDocument> {
        self.tools.entries().map(|(public, json)| {
            // Only checked entries are in the catalogue; an unreadable one is never found.
            let definition = serde_json::from_str(json).unwrap_or(Value::Null);
            ToolDocument::from_definition(self.origin_of(public).0, &definition)
        })
    }

    /// Takes over the indexes of an earlier catalogue with the same list of tools.
    pub(crate) fn keep_search_index(&self, earlier: &Self) {
        let indexes = [
            (&earlier.search_index, &self.search_index),
            (&earlier.vector_index, &self.vector_index),
        ];
        for (from, to) in indexes {
            if let Some(index) = from.get() {
                // If another thread set it first, that index is the same.
                let _ = to.set(Arc::clone(index));
            }
        }
    }
}
