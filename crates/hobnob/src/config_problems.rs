//! Warnings about `.mcp.json` files that cannot be read.
//!
//! `main` prints them before every command but `serve`, `doctor`, `completions` and `man-pages`,
//! because the servers of a broken file are missing from the output of the command.

use crate::context::CommandContext;
use hobnob_config::{Servers, process_environment};
use hobnob_terminal::render;

/// Prints one warning for each broken file.
pub(crate) fn warn_about_broken_files(context: &CommandContext) {
    // A command that needs the places reports the error itself.
    let Ok(places) = context.places.detect() else { return };
    for problem in Servers::load(&places, &process_environment).problems() {
        render::warn(&problem.to_string());
    }
}
