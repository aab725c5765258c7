//! The file `.mcp.json`: from bytes to one JSON object for each server, or one problem with its
//! position.
//!
//! `servers` and `edit` read through here. Comments and trailing commas are allowed, as in the
//! files of editors; a file with duplicate keys is refused as a whole.

use std::path::Path;

use serde_json::{Map, Value};

use crate::disk::{read_text, read_trusted_text};
use crate::json::{parse_strict, strip_jsonc};
use crate::problem::Problem;

/// A larger file is refused.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// The member that holds the servers.
pub(crate) const SERVERS: &str = "mcpServers";
/// The same member in the files of VS Code.
const EDITOR_SERVERS: &str = "servers";

/// The servers of a file, as written and in its order; `None` if there is no such file.
pub fn read_mcp_json(file: &Path) -> Result<Option<Map<String, Value>>, Problem> {
    read_text(file, MAX_BYTES)?.map(|text| parse_mcp_json(file, &text)).transpose()
}

/// Like [`read_mcp_json`], for a file whose servers start without an approval.
pub(crate) fn read_trusted_mcp_json(file: &Path) -> Result<Option<Map<String, Value>>, Problem> {
    read_trusted_text(file, MAX_BYTES)?.map(|text| parse_mcp_json(file, &text)).transpose()
}

/// The servers of a text; `file` is its name in messages.
pub fn parse_mcp_json(file: &Path, text: &str) -> Result<Map<String, Value>, Problem> {
    match parse_root(file, text)?.remove(SERVERS) {
        None => Ok(Map::new()),
        Some(Value::Object(servers)) => Ok(servers),
        Some(_) => Err(Problem::of_file(file, format!("`{SERVERS}` is not an object"))),
    }
}

/// The text of the file, after a check that it is an object without equal keys.
pub(crate) fn read_root_text(file: &Path) -> Result<Option<String>, Problem> {
    let Some(text) = read_text(file, MAX_BYTES)? else { return Ok(None) };
    parse_root(file, &text)?;
    Ok(Some(text))
}

fn parse_root(file: &Path, text: &str) -> Result<Map<String, Value>, Problem> {
    match parse_strict(&strip_jsonc(text)).map_err(|error| Problem::of_json(file, &error))? {
        Value::Object(root) if !root.contains_key(SERVERS) && root.contains_key(EDITOR_SERVERS) => {
            let message = format!(
                "has its servers in `{EDITOR_SERVERS}`, as in VS Code: rename it to `{SERVERS}`"
            );
            Err(Problem::of_file(file, message))
        }
        Value::Object(root) => Ok(root),
        _ => Err(Problem::of_file(file, "is not a JSON object")),
    }
}
