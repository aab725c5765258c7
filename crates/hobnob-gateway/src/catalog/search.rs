//! Finding tools by words, for people at a terminal.
//!
//! `hobnob tools` searches a snapshot here; nothing is started for it.

use super::entry::{EntryOwner, ListKind};
use super::listing::ListedEntry;
use super::snapshot::Catalogue;
use crate::rewrite::string_value;
use hobnob_mcp_types::json::field;
use std::sync::Arc;

/// A tool that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolHit {
    /// The public name it is called by.
    pub name: Arc<str>,
    /// Hobnob itself, or the upstream that offers it.
    pub owner: EntryOwner,
    /// Its name for people.
    pub title: Option<String>,
    /// The whole description, as it is listed.
    pub description: Option<String>,
    /// How well it fits; higher is better.
    pub score: u32,
}

impl Catalogue {
    /// The tools in which every word of the query occurs, the best first; without words, all tools
    /// in their order. Case does not matter.
    pub fn search(&self, query: &str) -> Vec<ToolHit> {
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        let tools = self.listing(ListKind::Tools).entries().iter();
        let mut hits: Vec<ToolHit> = tools.filter_map(|tool| hit(tool, &words)).collect();
        // The sort is stable, so equals stay in the catalogue's order.
        hits.sort_by_key(|hit| std::cmp::Reverse(hit.score));
        hits
    }
}

fn hit(tool: &ListedEntry, words: &[String]) -> Option<ToolHit> {
    let text = |key| field(&tool.json, key).and_then(string_value).map(|text| text.into_owned());
    let (title, description) = (text("title"), text("description"));
    let name = tool.key.to_lowercase();
    let lower = |text: &Option<String>| text.as_deref().unwrap_or_default().to_lowercase();
    let (lower_title, lower_description) = (lower(&title), lower(&description));
    let mut score = 0;
    for word in words {
        let in_name = rate(&name, word) * 4;
        let in_title = rate(&lower_title, word) * 2;
        let in_description = rate(&lower_description, word);
        let best = in_name.max(in_title).max(in_description);
        if best == 0 {
            return None;
        }
        score += best;
    }
    Some(ToolHit { name: tool.key.clone(), owner: tool.owner.clone(), title, description, score })
}

/// The whole text beats one of its words, which beats the start of a word, which beats any part.
fn rate(text: &str, word: &str) -> u32 {
    let parts = || text.split(|c: char| !c.is_alphanumeric());
    if text == word {
        8
    } else if parts().any(|part| part == word) {
        4
    } else if parts().any(|part| part.starts_with(word)) {
        2
    } else {
        u32::from(text.contains(word))
    }
}
