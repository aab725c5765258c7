//! Guesses from its words what a prompt asks of memory: to remember something, to recall something,
//! or neither.
//!
//! The tool `intent` uses it. It only matches English phrases; for more, the settings name a model.

use serde::Serialize;

/// What a prompt asks of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PromptIntent {
    /// The prompt asks to store something.
    Remember,
    /// The prompt asks for something that was stored.
    Recall,
    /// The prompt has nothing to do with memory.
    Neither,
}

/// How many bytes of a prompt are searched: an intent is near its beginning.
const MAX_SEARCHED: usize = 8 << 10;

/// Phrases that rule both other intents out.
const NEITHER_PHRASES: &[&str] = &[
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

const RECALL_PHRASES: &[&str] = &[
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

const REMEMBER_PHRASES: &[&str] = &[
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
    /// Classifies a prompt. Recall phrases are checked first, since a question about a stored
    /// memory often contains a remember phrase, too.
    pub(super) fn of_words(prompt: &str) -> Self {
        let words = plain(&prompt[..prompt.floor_char_boundary(MAX_SEARCHED)]);
        let has = |phrases: &[&str]| phrases.iter().any(|it| words.contains(&format!(" {it} ")));
        if has(NEITHER_PHRASES) {
            Self::Neither
        } else if has(RECALL_PHRASES) {
            Self::Recall
        } else if has(REMEMBER_PHRASES) {
            Self::Remember
        } else {
            Self::Neither
        }
    }

    /// The intent that a model's answer names.
    pub(super) fn parse(word: &str) -> Option<Self> {
        match word.trim().to_lowercase().as_str() {
            "remember" => Some(Self::Remember),
            "recall" => Some(Self::Recall),
            "neither" => Some(Self::Neither),
            _ => None,
        }
    }
}

/// The words in lower case with one space around each, without apostrophes.
fn plain(text: &str) -> String {
    let text = text.to_lowercase().replace(['\'', '’'], "");
    let words = text.split(|it: char| !it.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(String::from(" "), |all, word| all + word + " ")
}

#[cfg(test)]
mod tests;
