//! Arguments of tool calls, one on each line, for the load generator.

use crate::text::{item, questions};
use serde_json::json;

/// Arguments that capture memories which no store contains yet.
pub(crate) fn captures(count: usize) -> serde_json::Result<String> {
    const FIRST_UNUSED_NUMBER: usize = 10_000_000;
    let lines = (FIRST_UNUSED_NUMBER..FIRST_UNUSED_NUMBER + count).map(|number| {
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

/// Arguments that ask distinct questions about the first `memories` memories.
pub(crate) fn recalls(memories: usize, count: usize) -> serde_json::Result<String> {
    let asked = questions(memories, count);
    let lines = asked.iter().map(|it| serde_json::to_string(&json!({ "query": it.query })));
    Ok(lines.collect::<Result<Vec<_>, _>>()?.join("\n") + "\n")
}
