//! Whether an entry that is about to be written is Hobnob itself: `add` and `import` refuse it.

use crate::listeners::{REACHES_OURSELVES, is_own_address};
use anyhow::Context as _;
use hobnob_config::{OwnProgram, Places, STARTS_OURSELVES};
use serde_json::Value;
use std::path::PathBuf;

/// The file we run from.
pub(super) fn own_executable() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("our own program cannot be found")
}

/// Why this entry is Hobnob itself, and what to do instead; nothing if it is another server.
pub(super) fn why_ourselves(
    own: &OwnProgram,
    places: &Places,
    entry: &Value,
) -> Option<&'static str> {
    let url = entry.get("url").and_then(Value::as_str);
    if own.is_started_by_entry(entry) {
        Some(STARTS_OURSELVES)
    } else if url.is_some_and(|url| is_own_address(places, url)) {
        Some(REACHES_OURSELVES)
    } else {
        None
    }
}
