//! Files of servers that cannot be used are told of on standard error by every command, for people
//! and for programs alike: what a broken file holds is missing from whatever the command answers.

use crate::context::Context;
use crate::render;
use hobnob_config::{Servers, process_environment};

/// Warns of each of them.
pub(crate) fn warn_of_broken_files(context: &Context) {
    // A command that cannot do without the places says so itself.
    let Ok(places) = context.places.detect() else { return };
    for problem in Servers::load(&places, &process_environment).problems() {
        render::warn(&problem.to_string());
    }
}
