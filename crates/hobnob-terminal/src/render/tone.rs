//! Colours with a meaning, for terminals that support and allow colours. Tables and messages use
//! them.
//!
//! What must stay true: without colours the text says the same.

use dialoguer::console::Style;

/// What a text means to the reader, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Nothing in particular: no colour.
    Plain,
    /// Everything is as it should be.
    Good,
    /// The user should have a look.
    Warn,
    /// Something is broken or failed.
    Bad,
    /// Secondary information, such as ids.
    Dim,
}

/// The text in its colour, if standard output is a terminal that has colours. The text must be
/// safe already.
pub fn paint(tone: Tone, text: &str) -> String {
    style(tone).for_stdout().apply_to(text).to_string()
}

/// Like `paint`, but for standard error.
pub(super) fn paint_stderr(tone: Tone, text: &str) -> String {
    style(tone).for_stderr().apply_to(text).to_string()
}

fn style(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Good => Style::new().green(),
        Tone::Warn => Style::new().yellow(),
        Tone::Bad => Style::new().red(),
        Tone::Dim => Style::new().dim(),
    }
}
