//! Words before a name in the messages of programs: `Invalid user bob`, `Failed password for bob from`.

use crate::text::listed;

use super::around::{Around, Gap};
use super::cue::NameCue;

/// Words before `user` that a name follows.
const BEFORE_USER: &str = "for invalid illegal by as of unknown";

/// What the words before a word say about it.
pub(super) fn named_by_words(around: &Around<'_>, gap: Gap) -> Option<NameCue> {
    let named = match around.previous(0) {
        _ if gap != Gap::Blank => false,
        "user" => listed(BEFORE_USER, around.previous(1)),
        "for" => around.after_name().starts_with(" from "),
        _ => false,
    };
    named.then_some(NameCue::USER)
}
