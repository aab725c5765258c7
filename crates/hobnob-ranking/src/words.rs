//! Splits text and names into words: `listPullRequests`, `list_pull_requests` and "Lists pull
//! requests" give the same three stems. It is used for both tools and queries.
//!
//! What must stay true: both sides follow the same rules, and the length of a word is bounded.

/// Longer words are truncated: they are hashes and encoded data, which people do not type.
const MAX_WORD_BYTES: usize = 40;

/// The parts of a text or a name in lower case, in order, not yet stemmed.
pub(crate) fn parts(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut before = Letter::Other;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let sort = Letter::of(letter);
        let lower_follows = letters.peek().is_some_and(|next| next.is_lowercase());
        let begins = match (before, sort) {
            (_, Letter::Other) => true,
            (Letter::Lower, Letter::Upper) => true,
            // The last capital of `HTMLPage` begins the next word.
            (Letter::Upper, Letter::Upper) => lower_follows,
            _ => false,
        };
        if begins && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        if sort != Letter::Other && part.len() < MAX_WORD_BYTES {
            part.extend(letter.to_lowercase());
        }
        before = sort;
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// The stem of a part.
pub(crate) fn stem(part: &str) -> String {
    let regular = FORMS.iter().find(|(form, _)| *form == part);
    let mut stem = regular.map_or(part, |(_, regular)| regular).to_owned();
    hobnob_words::stem(&mut stem);
    stem
}

/// Word forms that stand for another word in tool names and descriptions, if not elsewhere.
const FORMS: &[(&str, &str)] = &[
    ("analyses", "analyze"),
    ("analysis", "analyze"),
    ("creation", "create"),
    ("found", "find"),
    ("indices", "index"),
];

/// The stems of a text, in order.
pub(crate) fn terms(text: &str) -> Vec<String> {
    parts(text).iter().map(|part| stem(part)).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Letter {
    Lower,
    Upper,
    Other,
}

impl Letter {
    fn of(letter: char) -> Self {
        if letter.is_uppercase() {
            Self::Upper
        } else if letter.is_alphanumeric() {
            // Digits stay with the letters before them: `s3`, `base64`, `h1`.
            Self::Lower
        } else {
            Self::Other
        }
    }
}

#[cfg(test)]
mod tests;
