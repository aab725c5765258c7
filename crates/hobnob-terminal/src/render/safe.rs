//! Untrusted text on its way to a terminal: dangerous characters become visible. Everything that
//! prints uses it.
//!
//! What must stay true: nothing that a terminal would act on, reorder or hide gets through.

use hobnob_text::{display_safe, safe_line};
use std::borrow::Cow;

/// The text with everything made visible that a terminal would act on, reorder or hide. Line
/// breaks and tabs stay.
pub fn safe(text: &str) -> Cow<'_, str> {
    display_safe(text)
}

/// Like `safe`, but on one line: every run of white space becomes one space.
pub fn one_line(text: &str) -> String {
    safe_line(text)
}
