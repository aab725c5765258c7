//! Diffs on standard output, for `import` and `connect`.

use dialoguer::console::colors_enabled;
use hobnob_markdown::{Colour, MIN_WIDTH, Style, render_unified};

/// The diff in colours, if standard output has colours.
pub fn painted(diff: &str) -> String {
    let style = match colors_enabled() {
        // Lines of a diff are never wrapped, so the width does not matter.
        true => Style::Terminal { colour: Colour::On, width: MIN_WIDTH },
        false => Style::Piped,
    };
    render_unified(diff, style)
}
