//! The progress bar of `backup` and `embeddings`.
//!
//! What must stay true: it writes to standard error only, and nothing at all with `--json`.

use hobnob_terminal::render::Output;
use indicatif::{ProgressBar, ProgressStyle};

/// A bar on a terminal, hidden with `--json`. It is drawn with the first progress; until its length
/// is known, it shows 0 %.
pub(super) fn bytes_bar(output: Output, message: &'static str) -> ProgressBar {
    let bar = match output {
        Output::People => ProgressBar::no_length(),
        Output::Json => ProgressBar::hidden(),
    };
    if let Ok(style) = ProgressStyle::with_template("{msg} {bar:40} {percent}%") {
        bar.set_style(style);
    }
    bar.with_message(message)
}
