//! Whether an entry matches the conditions of a query, and what the caller sees of it.
//!
//! Texts are masked before conditions are checked: otherwise a caller could guess the masked text
//! by trying conditions.

use std::borrow::Cow;

use hobnob_policy::LogFilter;

use super::entry::LogEntry;

/// Replaces the parts of a log's text that a caller must not see.
pub trait TextMask: Send + Sync {
    /// The text as the caller sees it.
    fn mask<'text>(&self, text: &'text str) -> Cow<'text, str>;
}

/// A mask that shows everything.
#[derive(Debug, Clone, Copy)]
pub struct NoMask;

impl TextMask for NoMask {
    fn mask<'text>(&self, text: &'text str) -> Cow<'text, str> {
        Cow::Borrowed(text)
    }
}

/// The conditions of one query.
pub(crate) struct EntryFilter<'query> {
    filter: &'query LogFilter,
    mask: &'query dyn TextMask,
    contains: Option<String>,
}

impl<'query> EntryFilter<'query> {
    pub(crate) fn new(filter: &'query LogFilter, mask: &'query dyn TextMask) -> Self {
        let contains = filter.contains.as_ref().map(|text| text.to_lowercase());
        Self { filter, mask, contains }
    }

    /// The conditions themselves, for programs that check some of them.
    pub(crate) fn wanted(&self) -> &LogFilter {
        self.filter
    }

    /// The wanted source, unless the mask shows it under another name.
    pub(crate) fn plain_source(&self) -> Option<&str> {
        let source = self.filter.source.as_deref()?;
        (self.mask.mask(source) == source).then_some(source)
    }

    /// The entry as the caller sees it, if it matches.
    pub(crate) fn accept(&self, mut entry: LogEntry) -> Option<LogEntry> {
        let LogFilter { min_level, source, since, until, contains: _ } = self.filter;
        if min_level.is_some_and(|min| entry.level < min)
            || since.is_some_and(|since| entry.timestamp < since)
            || until.is_some_and(|until| until < entry.timestamp)
        {
            return None;
        }
        replace(&mut entry.source, self.mask);
        if source.as_ref().is_some_and(|source| !same_letters(source, &entry.source)) {
            return None;
        }
        replace(&mut entry.message, self.mask);
        match &self.contains {
            Some(text) if !entry.message.to_lowercase().contains(text) => None,
            Some(_) | None => Some(entry),
        }
    }
}

fn replace(text: &mut String, mask: &dyn TextMask) {
    if let Cow::Owned(masked) = mask.mask(text) {
        *text = masked;
    }
}

fn same_letters(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other) || one.to_lowercase() == other.to_lowercase()
}
