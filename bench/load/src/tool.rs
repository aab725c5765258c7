//! One call of a tool in a legacy session, and what it answers.

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use serde_json::Value;

use crate::answer;
use crate::http::Session;

/// The part of a tool's result that programs read.
#[derive(Deserialize)]
struct ToolResult {
    #[serde(default, rename = "isError")]
    is_error: bool,
    #[serde(rename = "structuredContent")]
    structured: Option<Value>,
}

/// Calls a tool with arguments that are JSON already. A tool that fails is a failure.
pub(crate) async fn call(
    session: &mut Session,
    id: usize,
    tool: &str,
    arguments: &str,
) -> anyhow::Result<Value> {
    let request = format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":{},"arguments":{arguments}}}}}"#,
        Value::from(tool),
    );
    let answers = session.ask(&request).await?;
    let answer = answers.iter().find_map(|message| answer::read(message).transpose());
    let (answered, result) = answer.context("no answer in the response")??;
    ensure!(answered == id, "an answer to nothing we asked");
    let read: ToolResult =
        serde_json::from_str(result.get()).context("this is no result of a tool")?;
    ensure!(!read.is_error, "{tool} failed: {}", result.get());
    read.structured.with_context(|| format!("{tool} has no structured content"))
}
