//! Results in an envelope: `success` with `data` or `error`, beside the members of the protocol.
//!
//! `call` uses it for views whose profile says `[results] envelope = true`. Pure: text in, text
//! out. The members are at the top of the result, for clients that do not know `structuredContent`,
//! and inside it, for those that do.

use crate::rewrite::{quoted, string_value};
use hobnob_mcp_engine::{Answer, ArgumentProblem, ArgumentProblems, CallError, Outcome};
use hobnob_mcp_types::json::{ObjectWriter, elements, entries, field, object};
use hobnob_mcp_types::{Revision, RpcError};
use serde::Serialize;

#[cfg(test)]
mod tests;

/// Members that the envelope writes itself.
const OWN_MEMBERS: [&str; 5] = ["isError", "structuredContent", "success", "data", "error"];
/// Schema types often end in this; callers need not see that a value may be absent.
const OR_NULL: &str = " or null";

/// Puts the result of a tool call in an envelope. Questions pass through, and so do errors that are
/// not the tool's: those of the request itself and Hobnob's own.
pub(crate) fn enveloped(done: Result<Outcome, CallError>) -> Result<Outcome, CallError> {
    let failure = match done {
        Ok(Outcome::Complete(answer)) => return Ok(Outcome::Complete(wrapped(answer))),
        Ok(outcome @ (Outcome::NeedsInput(_) | Outcome::Started(_))) => return Ok(outcome),
        Err(CallError::Arguments(errors)) => invalid_params(&errors),
        Err(CallError::UnknownTool(message)) => {
            EnvelopeError::new(EnvelopeCode::ToolNotFound, message)
        }
        Err(CallError::Params(error)) => of_rpc(EnvelopeCode::ValidationError, error),
        Err(CallError::Other(error)) => of_rpc(EnvelopeCode::ToolExecutionError, error),
        Err(CallError::Late(message)) => {
            EnvelopeError::new(EnvelopeCode::ToolExecutionError, message)
        }
        Err(CallError::Resource(uri)) => {
            let message = format!("resource not found: {uri}");
            EnvelopeError::new(EnvelopeCode::ToolExecutionError, message)
        }
        Err(
            error @ (CallError::Method(_)
            | CallError::Capability(_)
            | CallError::Header(_)
            | CallError::Internal),
        ) => return Err(error),
    };
    let text = object(|block| {
        block.string("type", "text").string("text", &failure.message);
    });
    let mut body = String::new();
    let mut writer = ObjectWriter::new(&mut body);
    writer.raw("content", &format!("[{text}]"));
    finish(writer, &failed(&failure));
    let floor = Revision::V2025_06_18;
    Ok(Outcome::Complete(Answer { body, meta: None, cache: None, floor }))
}

/// The kind of failure; callers compare these strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
enum EnvelopeCode {
    /// No tool has this name.
    ToolNotFound,
    /// The tool ran and failed.
    ToolExecutionError,
    /// The arguments fit the schema, but the tool rejected them.
    ValidationError,
    /// The arguments do not fit the tool's schema.
    InvalidParams,
}

/// The member `error`, which programs read instead of the text.
#[derive(Debug, Serialize)]
struct EnvelopeError {
    code: EnvelopeCode,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Box<serde_json::value::RawValue>>,
}

impl EnvelopeError {
    fn new(code: EnvelopeCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: None }
    }
}

fn of_rpc(code: EnvelopeCode, error: RpcError) -> EnvelopeError {
    EnvelopeError { code, message: error.message.into_owned(), details: error.data }
}

/// `details` spells out the first problem; if there are more, `problems` lists them all.
fn invalid_params(errors: &ArgumentProblems) -> EnvelopeError {
    #[derive(Serialize)]
    struct Details<'a> {
        path: &'a str,
        expected: &'a str,
        received: &'a str,
        #[serde(skip_serializing_if = "<[_]>::is_empty")]
        problems: &'a [ArgumentProblem],
    }
    let Some(first) = errors.problems.first() else {
        let message = format!("Invalid parameters: {}", errors.message);
        return EnvelopeError::new(EnvelopeCode::InvalidParams, message);
    };
    let single = errors.problems.len() == 1;
    let details = Details {
        path: &first.path,
        expected: first.expected.strip_suffix(OR_NULL).unwrap_or(&first.expected),
        received: first.received,
        problems: if single { &[] } else { &errors.problems },
    };
    let sentences: Vec<String> = errors.problems.iter().map(sentence).collect();
    let word = if single { "parameter" } else { "parameters" };
    EnvelopeError {
        code: EnvelopeCode::InvalidParams,
        message: format!("Invalid {word}: {}", sentences.join("; ")),
        details: serde_json::value::to_raw_value(&details).ok(),
    }
}

/// A problem as a sentence: `limit must be a number`.
fn sentence(problem: &ArgumentProblem) -> String {
    let ArgumentProblem { path, expected, received } = problem;
    let name = path.strip_prefix("arguments.").unwrap_or(path);
    match (expected.as_str(), *received) {
        ("a value", "nothing") => format!("{name} is required"),
        ("no such property", _) => format!("{name} is not known"),
        (expected, _) => format!("{name} must be {}", with_article(expected)),
    }
}

fn with_article(expected: &str) -> String {
    let expected = expected.strip_suffix(OR_NULL).unwrap_or(expected);
    let one = |word: &str| match word {
        "integer" | "array" | "object" => format!("an {word}"),
        "number" | "string" | "boolean" => format!("a {word}"),
        other => other.to_owned(),
    };
    expected.split(" or ").map(one).collect::<Vec<_>>().join(" or ")
}

/// Wraps a tool's own result, which itself says whether the tool failed.
fn wrapped(answer: Answer) -> Answer {
    let members = entries(&answer.body);
    let member = |name: &str| members.iter().find(|(key, _)| key == name).map(|(_, value)| *value);
    let content = member("content").unwrap_or("[]");
    let structured = member("structuredContent").filter(|value| *value != "null");
    let inside = match member("isError") {
        Some("true") => failed(&EnvelopeError {
            code: EnvelopeCode::ToolExecutionError,
            message: failure_text(content),
            details: structured.and_then(|text| serde_json::from_str(text).ok()),
        }),
        _ => succeeded(structured, content),
    };
    let mut body = String::with_capacity(answer.body.len() + 2 * inside.len());
    let mut writer = ObjectWriter::new(&mut body);
    writer.raw("content", content);
    for (key, value) in &members {
        if key != "content" && !OWN_MEMBERS.contains(&&**key) {
            writer.raw(key, value);
        }
    }
    finish(writer, &inside);
    let floor = answer.floor.max(Revision::V2025_06_18);
    Answer { body, floor, ..answer }
}

/// Writes the envelope at the top and in `structuredContent`, and sets `isError`.
fn finish(mut writer: ObjectWriter<'_>, inside: &str) {
    let is_error = if field(inside, "success") == Some("true") { "false" } else { "true" };
    writer.raw("isError", is_error).members_of(inside).raw("structuredContent", inside);
    writer.end();
}

fn failed(error: &EnvelopeError) -> String {
    object(|inside| {
        inside.raw("success", "false");
        inside.raw("error", &serde_json::to_string(error).unwrap_or_default());
    })
}

/// The `data` member: structured content, else the only text, else all content blocks.
fn succeeded(structured: Option<&str>, content: &str) -> String {
    let blocks = elements(content);
    let data = match (structured, blocks.as_slice()) {
        (Some(data), _) => Some(data.to_owned()),
        (None, []) => None,
        (None, [block]) => {
            Some(text_of(block).map_or_else(|| content.to_owned(), |it| quoted(&it)))
        }
        (None, _) => Some(content.to_owned()),
    };
    object(|inside| {
        inside.raw("success", "true");
        if let Some(data) = &data {
            inside.raw("data", data);
        }
    })
}

fn failure_text(content: &str) -> String {
    let texts: Vec<String> = elements(content).into_iter().filter_map(text_of).collect();
    if texts.is_empty() { "the tool failed and did not say why".into() } else { texts.join("\n") }
}

fn text_of(block: &str) -> Option<String> {
    let is_text = field(block, "type").and_then(string_value).as_deref() == Some("text");
    let text = field(block, "text").filter(|_| is_text)?;
    string_value(text).map(|text| text.into_owned())
}
