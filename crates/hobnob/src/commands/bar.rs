//! The progress bar of `backup` and `embeddings`.
//!
//! What must stay true: it writes to standard error only, and nothing at all with `--json`.

use hobnob_terminal::render::Output;
use indicatif::{ProgressBar, ProgressStyle};

/// A bar on a terminal, hidden with `--json`.
pub(super) fn bytes_bar(output: Output, message: &'static str) -> ProgressBar {
    let bar = match output {
        Output::People => ProgressBar::new(0),
        Output::Json => ProgressBar::hidden(),
    };
    if let Ok(style) = ProgressStyle::with_template("{msg} {bar:40} {percent}%") {
        bar.set_style(style);
    }
    bar.set_message(message);
    bar
}
