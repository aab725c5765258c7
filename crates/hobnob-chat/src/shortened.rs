//! The beginning of a text that somebody else wrote, for places with little room.

/// So many characters of a text, and a sign that there is more.
pub(super) fn shortened(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
