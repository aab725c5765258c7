//! A tool result in two forms: structured data for programs and a short text for models.

use hobnob_mcp_engine::CallError;
use hobnob_mcp_toolbox::{IntoToolResult, Structured, ToolError, ToolReply};
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::tools::CallToolResult;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::to_raw_value;

/// Structured data, and a text about it in place of the usual copy as JSON.
pub(super) struct FileReply<T> {
    pub(super) content: Vec<Content>,
    pub(super) data: T,
}

impl<T> FileReply<T> {
    pub(super) fn new(text: impl Into<String>, data: T) -> Self {
        Self { content: vec![Content::text(text)], data }
    }
}

impl<T: Serialize + JsonSchema + Send + 'static> IntoToolResult for FileReply<T> {
    fn into_tool_result(self) -> Result<ToolReply, ToolError> {
        let data = to_raw_value(&self.data).map_err(|error| {
            tracing::error!(%error, "a result about files cannot be written as JSON");
            ToolError::Protocol(CallError::Internal)
        })?;
        let mut result = CallToolResult::new(self.content);
        result.structured_content = Some(data);
        Ok(ToolReply::Full(Box::new(result)))
    }

    fn output_schema() -> Option<Result<Value, String>> {
        Structured::<T>::output_schema()
    }
}
