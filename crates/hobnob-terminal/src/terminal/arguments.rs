//! The complete arguments of a call that the gateway asks about.
//!
//! Long arguments are in a file that the question names. What must stay true: the file is shown
//! only if it has the size and the digest that the question gives.

use hobnob_config::Digest;
use hobnob_mcp_types::elicitation::ElicitFormParams;
use hobnob_text::visible_json;
use serde::Deserialize;
use std::borrow::Cow;
use std::path::PathBuf;

/// Bytes of the largest file that is read; no call is that long.
const MAX_BYTES: u64 = 64 << 20;

#[derive(Deserialize)]
struct Meta {
    #[serde(rename = "hobnob/arguments")]
    arguments: Option<ArgumentsFile>,
}

#[derive(Deserialize)]
struct ArgumentsFile {
    sha256: String,
    bytes: u64,
    file: Option<PathBuf>,
}

/// The question with all arguments in it, or why they cannot be shown.
pub(super) fn full_question(form: &ElicitFormParams) -> Result<Cow<'_, str>, String> {
    let meta = form.meta.as_ref().and_then(|meta| serde_json::from_str::<Meta>(meta.get()).ok());
    let Some(ArgumentsFile { sha256, bytes, file: Some(file) }) =
        meta.and_then(|meta| meta.arguments)
    else {
        return Ok(Cow::Borrowed(&form.message));
    };
    let named = |why: &str| format!("{} {why}", file.display());
    let metadata =
        std::fs::metadata(&file).map_err(|error| named(&format!("cannot be read: {error}")))?;
    // Checked before it is opened: reading from a pipe would never end.
    if !metadata.is_file() || metadata.len() != bytes || MAX_BYTES < bytes {
        return Err(named("does not match the question"));
    }
    let text = std::fs::read_to_string(&file)
        .map_err(|error| named(&format!("cannot be read: {error}")))?;
    if Digest::of(text.as_bytes()).to_string() != sha256 {
        return Err(named("does not match the question"));
    }
    // The first line says who would run what; the rest is only the beginning of the arguments.
    let head = form.message.split("\n\n").next().unwrap_or_default();
    let head = head.lines().next().unwrap_or_default();
    Ok(Cow::Owned(format!("{head}\nAll arguments:\n\n    {}", visible_json(&text))))
}
