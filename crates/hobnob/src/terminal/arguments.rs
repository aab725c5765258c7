//! All that a question of the gateway is about, also where the question itself shows only a part.
//!
//! A file counts only if it has the size and the digest that the question tells.

use hobnob_config::Digest;
use hobnob_mcp_types::elicitation::ElicitFormParams;
use hobnob_policy::visible_json;
use serde::Deserialize;
use std::borrow::Cow;
use std::path::PathBuf;

/// Bytes of a file that are read; no call is that long.
const LONGEST: u64 = 64 << 20;

#[derive(Deserialize)]
struct Meta {
    #[serde(rename = "hobnob/arguments")]
    arguments: Option<About>,
}

#[derive(Deserialize)]
struct About {
    sha256: String,
    bytes: u64,
    file: Option<PathBuf>,
}

/// The question with all arguments in it, or why they cannot be shown.
pub(super) fn whole(form: &ElicitFormParams) -> Result<Cow<'_, str>, String> {
    let meta = form.meta.as_ref().and_then(|meta| serde_json::from_str::<Meta>(meta.get()).ok());
    let Some(About { sha256, bytes, file: Some(file) }) = meta.and_then(|meta| meta.arguments)
    else {
        return Ok(Cow::Borrowed(&form.message));
    };
    let named = |why: &str| format!("{} {why}", file.display());
    let about =
        std::fs::metadata(&file).map_err(|error| named(&format!("cannot be read: {error}")))?;
    // Looked at before it is opened: reading from a pipe would never end.
    if !about.is_file() || about.len() != bytes || LONGEST < bytes {
        return Err(named("is not what the question is about"));
    }
    let text = std::fs::read_to_string(&file)
        .map_err(|error| named(&format!("cannot be read: {error}")))?;
    if Digest::of(text.as_bytes()).to_string() != sha256 {
        return Err(named("is not what the question is about"));
    }
    // The first lines say who would run what; what follows them is only the beginning.
    let head = form.message.split("\n\n").next().unwrap_or_default();
    let head = head.lines().next().unwrap_or_default();
    Ok(Cow::Owned(format!("{head}\nAll of them:\n\n    {}", visible_json(&text))))
}
