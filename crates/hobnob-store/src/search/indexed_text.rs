//! The words that a memory is found by: those it says, and those that are said about it.
//!
//! The backend writes them to its index in the transaction that writes the memory.

use crate::time::Time;
use crate::words::{day_words, each_word, spell_dates};

/// Everything of a memory that is indexed.
#[derive(Debug)]
pub struct IndexedTexts<'m> {
    /// The text of the memory itself.
    pub content: &'m str,
    /// The namespace it is in.
    pub namespace: &'m str,
    /// Its tags, with spaces between them.
    pub tags: &'m str,
    /// Where it was said, with spaces between.
    pub sources: &'m str,
    /// When it was captured; it is found by the words for that day.
    pub created: Time,
}

impl IndexedTexts<'_> {
    /// What a memory says, and what is said about it, each as terms with spaces between them.
    pub fn terms(&self) -> (String, String) {
        let Self { content, namespace, tags, sources, created } = self;
        let (day, dates) = (day_words(*created), spell_dates(content));
        let labels = [*namespace, *tags, *sources, day.as_str(), dates.as_str()];
        (terms(content), terms(&labels.join(" ")))
    }
}

fn terms(text: &str) -> String {
    let mut terms = String::with_capacity(text.len());
    each_word(text, |word| {
        terms.push_str(word.term);
        terms.push(' ');
    });
    terms
}
