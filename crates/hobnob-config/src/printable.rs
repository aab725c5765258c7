//! Text of a settings file in a form that is safe to show: control characters appear as escapes.
//! All code that prints an entry uses it.

/// A text that a person approves must not be able to move the cursor or hide itself.
pub(crate) fn printable(text: &str) -> String {
    let escape = |it: char| {
        let harmless = matches!(it, '"' | '\'' | '\\') || it.escape_debug().count() == 1;
        if harmless { it.to_string() } else { it.escape_debug().to_string() }
    };
    text.chars().map(escape).collect()
}
