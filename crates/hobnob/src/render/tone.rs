//! Colours that mean something, on a terminal that has them and wants them.

use dialoguer::console::Style;

/// What a word means to the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Nothing in particular.
    Plain,
    /// As it should be.
    Good,
    /// Worth a look.
    Warn,
    /// Broken.
    Bad,
    /// Beside the point.
    Dim,
}

/// The text in its colour, if standard output is a terminal that has colours. The text must be
/// safe already.
pub(crate) fn paint(tone: Tone, text: &str) -> String {
    style(tone).for_stdout().apply_to(text).to_string()
}

/// The same for standard error.
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
