//! Recognises entries that would start or reach Hobnob itself; `add`, `import` and the
//! page refuse them.
//!
//! What must stay true: a hub never becomes a server behind itself.

use crate::listeners::{REACHES_OURSELVES, is_own_address};
use anyhow::Context as _;
use hobnob_config::{OwnProgram, Places, STARTS_OURSELVES};
use serde_json::Value;
use std::path::PathBuf;

/// The path of the running program.
pub fn own_executable() -> anyhow::Result<PathBuf> {
    std::env::current_exe().context("cannot find the path of this program")
}

/// Why this entry is refused, if it is Hobnob itself.
pub fn self_reference(own: &OwnProgram, places: &Places, entry: &Value) -> Option<&'static str> {
    let url = entry.get("url").and_then(Value::as_str);
    if own.is_started_by_entry(entry) {
        Some(STARTS_OURSELVES)
    } else if url.is_some_and(|url| is_own_address(places, url)) {
        Some(REACHES_OURSELVES)
    } else {
        None
    }
}
