//! Arguments of tool calls, one a line, for the load generator.

use crate::text::item;
use serde_json::json;

/// Captures of memories that no store has been filled with.
pub(crate) fn captures(count: usize) -> serde_json::Result<String> {
    const UNUSED: usize = 10_000_000;
    let lines = (UNUSED..UNUSED + count).map(|number| {
        let item = item(number);
        serde_json::to_string(&json!({
            "content": item.content,
            "namespace": item.namespace,
            "tags": item.tags,
            "source": item.source,
            "scope": "user",
        }))
    });
    Ok(lines.collect::<Result<Vec<_>, _>>()?.join("\n") + "\n")
}
