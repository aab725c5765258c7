//! What a tool's handler may return, and how it becomes the answer to a call.
//!
//! Plain text and plain data, the common cases, are written directly as JSON text.

#[cfg(test)]
mod tests;

use crate::error::ToolError;
use crate::schema::{CompiledSchema, output_schema_of};
use hobnob_mcp_engine::{Answer, CallError, Outcome};
use hobnob_mcp_types::Revision;
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::json::write_string;
use hobnob_mcp_types::resources::ResourceContents;
use hobnob_mcp_types::tools::CallToolResult;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// A tool's result before it is written as JSON.
#[derive(Debug)]
pub enum ToolReply {
    /// One block of text.
    Text(String),
    /// Data as JSON text, sent both as structured content and as text.
    Data(String),
    /// Text and data with an explicit `isError`, which some callers require.
    TextAndData {
        /// The only block of text.
        text: String,
        /// Data as JSON text without line breaks, sent as structured content besides the text.
        data: Option<String>,
        /// Whether the tool failed, even if it has data.
        is_error: bool,
    },
    /// Several blocks, media, links or metadata.
    Full(Box<CallToolResult>),
}

/// What a tool's handler may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    label = "this handler returns `{Self}`",
    note = "return a text, `Structured<T>` or `TextWithData<T>` for data, `Content`, `Vec<Content>`, \
            `CallToolResult` or `()`; or a `Result` of one of them with `ToolError`"
)]
pub trait IntoToolResult: Send + 'static {
    /// Converts what the handler returned.
    fn into_tool_result(self) -> Result<ToolReply, ToolError>;

    /// The schema of the data in every result, if results of this type have data. The error
    /// explains why the type has no schema that can be listed.
    fn output_schema() -> Option<Result<Value, String>> {
        None
    }
}

impl<T: IntoToolResult> IntoToolResult for Result<T, ToolError> {
    fn into_tool_result(self) -> Result<ToolReply, ToolError> {
        self?.into_tool_result()
    }

    fn output_schema() -> Option<Result<Value, String>> {
        T::output_schema()
    }
}

impl IntoToolResult for ToolReply {
    fn into_tool_result(self) -> Result<ToolReply, ToolError> {
        Ok(self)
    }
}

impl IntoToolResult for String {
    fn into_tool_result(self) -> Result<ToolReply, ToolError> {
        Ok(ToolReply::Text(self))
    }
}

impl IntoToolResult for &'static str {
    fn into_tool_result(self) -> Result<ToolReply, ToolError> {
        Ok(ToolReply::Text(self.to_owned()))
    }
}

impl IntoToolResult for () {
    fn into_tool_result(self) -> Result<ToolReply, ToolError> {
        Ok(ToolReply::Full(Box::default()))
    }
}

impl IntoToolResult for CallToolResult {
    fn into_tool_result(self) -> Result<ToolReply, ToolError> {
        Ok(ToolReply::Full(Box::new(self)))
    }
}

impl IntoToolResult for Content {
    fn into_tool_result(self) -> Result<ToolReply, ToolError> {
        vec![self].into_tool_result()
    }
}

impl IntoToolResult for Vec<Content> {
    fn into_tool_result(self) -> Result<ToolReply, ToolError> {
        CallToolResult::new(self).into_tool_result()
    }
}

/// Data: structured content, and also text for clients that know only text.
///
/// The schema of `T` becomes the tool's output schema, unless `T` accepts any JSON.
#[derive(Debug, Clone, Copy)]
pub struct Structured<T>(pub T);

impl<T: Serialize + JsonSchema + Send + 'static> IntoToolResult for Structured<T> {
    fn into_tool_result(self) -> Result<ToolReply, ToolError> {
        json_of(&self.0).map(ToolReply::Data)
    }

    fn output_schema() -> Option<Result<Value, String>> {
        let schema = output_schema_of::<T>();
        let says_nothing = |it: &Value| it.as_object().is_some_and(|members| members.is_empty());
        (!schema.as_ref().is_ok_and(says_nothing)).then_some(schema)
    }
}

/// Data like [`Structured`], with a text of its own for clients that know only text. The result
/// always has the member `isError`.
#[derive(Debug, Clone)]
pub struct TextWithData<T> {
    /// The text for a model or a person.
    pub text: String,
    /// The same information for programs.
    pub data: T,
    /// Whether the tool failed.
    pub is_error: bool,
}

impl<T: Serialize + JsonSchema + Send + 'static> IntoToolResult for TextWithData<T> {
    fn into_tool_result(self) -> Result<ToolReply, ToolError> {
        let Self { text, data, is_error } = self;
        Ok(ToolReply::TextAndData { text, data: Some(json_of(&data)?), is_error })
    }

    fn output_schema() -> Option<Result<Value, String>> {
        Structured::<T>::output_schema()
    }
}

fn json_of(data: &impl Serialize) -> Result<String, ToolError> {
    serde_json::to_string(data).map_err(|error| {
        tracing::error!(%error, "a tool's result cannot be written as JSON");
        ToolError::Protocol(CallError::Internal)
    })
}

/// Converts the end of a run to an outcome. `output` is the schema for structured content.
pub(crate) fn outcome(
    ended: Result<ToolReply, ToolError>,
    output: Option<&CompiledSchema>,
    tool: &str,
) -> Result<Outcome, CallError> {
    match ended {
        Ok(reply) => {
            check_output(&reply, output, tool)?;
            reply.into_answer().map(Outcome::Complete)
        }
        Err(ToolError::Failed(text)) => failed(text).map(Outcome::Complete),
        Err(ToolError::Protocol(error)) => Err(error),
        Err(ToolError::Questions(questions)) => Ok(Outcome::NeedsInput(*questions)),
        Err(ToolError::Started(record)) => Ok(Outcome::Started(*record)),
    }
}

/// A result that reports the tool's failure.
pub(crate) fn failed(text: String) -> Result<Answer, CallError> {
    ToolReply::Full(Box::new(CallToolResult::error(text))).into_answer()
}

/// Spec, tools: a tool that declares an output schema must return data that matches it.
fn check_output(
    reply: &ToolReply,
    output: Option<&CompiledSchema>,
    tool: &str,
) -> Result<(), CallError> {
    let Some(output) = output else { return Ok(()) };
    let text = match reply {
        ToolReply::Text(_) => None,
        ToolReply::Data(text) => Some(text.as_str()),
        ToolReply::TextAndData { data, .. } => data.as_deref(),
        ToolReply::Full(result) if result.is_error => return Ok(()),
        ToolReply::Full(result) => result.structured_content.as_ref().map(|data| data.get()),
    };
    let value: Option<Value> = text.and_then(|text| serde_json::from_str(text).ok());
    let problem = match value {
        Some(value) => output.problem(&value, "result"),
        None => Some("there is no structured content".into()),
    };
    match problem {
        None => Ok(()),
        Some(problem) => {
            tracing::error!(tool, problem, "a tool's result does not fit its output schema");
            Err(CallError::Internal)
        }
    }
}

impl ToolReply {
    fn into_answer(self) -> Result<Answer, CallError> {
        let (body, floor) = match self {
            Self::Text(text) => (text_body(&text, None, ""), Revision::V2024_11_05),
            Self::Data(json) => (text_body(&json, Some(&json), ""), data_floor(&json)),
            Self::TextAndData { text, data, is_error } => {
                let floor = data.as_deref().map_or(Revision::V2024_11_05, data_floor);
                let last = if is_error { IS_ERROR } else { NO_ERROR };
                (text_body(&text, data.as_deref(), last), floor)
            }
            Self::Full(mut result) => {
                let meta = result.meta.take();
                result.result_type = None;
                let floor = result_floor(&result);
                return Ok(Answer { meta, ..Answer::new(&result)?.since(floor) });
            }
        };
        Ok(Answer { body, meta: None, cache: None, floor })
    }
}

/// The last member of a result, as JSON text.
const IS_ERROR: &str = r#","isError":true"#;
const NO_ERROR: &str = r#","isError":false"#;

fn text_body(text: &str, data: Option<&str>, last: &str) -> String {
    let mut out = String::with_capacity(text.len() + data.map_or(0, str::len) + 96);
    out.push_str(r#"{"content":[{"type":"text","text":"#);
    write_string(&mut out, text);
    out.push_str("}]");
    if let Some(data) = data {
        out.push_str(r#","structuredContent":"#);
        out.push_str(data);
    }
    out.push_str(last);
    out.push('}');
    out
}

/// The oldest revision that understands a result unchanged.
fn result_floor(result: &CallToolResult) -> Revision {
    let data = result.structured_content.as_ref().map(|data| data_floor(data.get()));
    let content = result.content.iter().map(content_floor);
    content.chain(data).max().unwrap_or(Revision::V2024_11_05)
}

fn data_floor(json: &str) -> Revision {
    if json.trim_start().starts_with('{') { Revision::V2025_06_18 } else { Revision::V2026_07_28 }
}

/// The oldest revision that understands a content block unchanged.
pub(crate) fn content_floor(content: &Content) -> Revision {
    let (floor, meta) = match content {
        Content::Text(text) => (Revision::V2024_11_05, text.meta.is_some()),
        Content::Image(image) => (Revision::V2024_11_05, image.meta.is_some()),
        Content::Audio(audio) => (Revision::V2025_03_26, audio.meta.is_some()),
        Content::ResourceLink(link) if !link.icons.is_empty() => (Revision::V2025_11_25, false),
        Content::ResourceLink(_) => (Revision::V2025_06_18, false),
        Content::Resource(embedded) => {
            (contents_floor(&embedded.resource), embedded.meta.is_some())
        }
        Content::Unknown(_) => (Revision::NEWEST, false),
    };
    if meta { floor.max(Revision::V2025_06_18) } else { floor }
}

/// The oldest revision that understands a resource's contents unchanged.
pub(crate) fn contents_floor(contents: &ResourceContents) -> Revision {
    let meta = match contents {
        ResourceContents::Text(text) => &text.meta,
        ResourceContents::Blob(blob) => &blob.meta,
    };
    if meta.is_some() { Revision::V2025_06_18 } else { Revision::V2024_11_05 }
}
