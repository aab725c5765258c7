//! The terms that a memory is found by: those of its content, and those of its labels. Its dates
//! count as labels, spelled out as words.
//!
//! The backend writes them to its index in the transaction that writes the memory.

use crate::time::Time;
use crate::words::{day_words, each_word, spell_dates};

/// The indexed texts of a memory.
#[derive(Debug)]
pub struct IndexedTexts<'m> {
    /// The text of the memory itself.
    pub content: &'m str,
    /// The namespace it is in.
    pub namespace: &'m str,
    /// Its tags, joined by spaces.
    pub tags: &'m str,
    /// Its sources, joined by spaces.
    pub sources: &'m str,
    /// When it was captured; the words for that day are indexed too.
    pub created: Time,
}

impl IndexedTexts<'_> {
    /// The terms of the content and the terms of the labels, each joined by spaces.
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
