//! What a prompt asks of memory, told by its words: to remember something, to recall something, or
//! neither.
//!
//! The tool `intent` uses it. It is a guess from phrases of English; whoever wants more asks a model.

use serde::Serialize;

/// What a prompt asks of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PromptIntent {
    /// Something is to be stored.
    Remember,
    /// Something that was stored is wanted.
    Recall,
    /// It has nothing to do with memory.
    Neither,
}

/// Bytes of a prompt that are looked at: an intent stands near its beginning.
const MAX_LOOKED_AT: usize = 8 << 10;

/// Phrases that say no to what the others would say.
const NEITHER: &[&str] = &[
    "dont remember this",
    "dont remember that this",
    "do not remember this",
    "dont save",
    "do not save",
    "dont store",
    "do not store",
    "no need to remember",
    "forget it",
    "forget about it",
];

const RECALL: &[&str] = &[
    "do you remember",
    "did you remember",
    "can you remember",
    "you remember what",
    "i dont remember",
    "i cant remember",
    "i forgot what",
    "i forgot how",
    "remember what",
    "remember when",
    "remember how we",
    "remember why",
    "recall",
    "remind me what",
    "remind me how",
    "remind me why",
    "remind me of",
    "remind me about",
    "what did we",
    "what did i",
    "what have we",
    "what was decided",
    "what do you know about",
    "what do we know about",
    "how did we",
    "why did we",
    "when did we",
    "where did we",
    "did we decide",
    "did we agree",
    "have we decided",
    "have we ever",
    "last time",
    "in your memory",
    "search memory",
    "search your memory",
    "look up in memory",
];

const REMEMBER: &[&str] = &[
    "remember",
    "dont forget",
    "do not forget",
    "never forget",
    "keep in mind",
    "bear in mind",
    "note that",
    "note for later",
    "take note",
    "make a note",
    "note down",
    "write down",
    "save this",
    "save that",
    "store this",
    "store that",
    "memorize",
    "memorise",
    "for future reference",
    "for the record",
    "from now on",
    "in future always",
    "we decided",
    "we have decided",
    "we agreed",
    "remind me to",
    "commit to memory",
    "add to memory",
];

impl PromptIntent {
    /// What the words say. A question about something stored often names the storing too, so it is
    /// looked for first.
    pub(super) fn of_words(prompt: &str) -> Self {
        let words = plain(&prompt[..prompt.floor_char_boundary(MAX_LOOKED_AT)]);
        let has = |phrases: &[&str]| phrases.iter().any(|it| words.contains(&format!(" {it} ")));
        if has(NEITHER) {
            Self::Neither
        } else if has(RECALL) {
            Self::Recall
        } else if has(REMEMBER) {
            Self::Remember
        } else {
            Self::Neither
        }
    }

    /// The intent that this word names.
    pub(super) fn parse(word: &str) -> Option<Self> {
        match word.trim().to_lowercase().as_str() {
            "remember" => Some(Self::Remember),
            "recall" => Some(Self::Recall),
            "neither" => Some(Self::Neither),
            _ => None,
        }
    }
}

/// Words in lower case with one space around each, without apostrophes.
fn plain(text: &str) -> String {
    let text = text.to_lowercase().replace(['\'', '’'], "");
    let words = text.split(|it: char| !it.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(String::from(" "), |all, word| all + word + " ")
}

#[cfg(test)]
mod tests;
