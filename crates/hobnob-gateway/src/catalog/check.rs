//! Checks whether an upstream's entry may be listed. One broken entry would make strict clients
//! refuse the whole list, so it is left out and reported instead.

use crate::rewrite::{members, string_value};
use hobnob_mcp_types::json::{Cursor, field};
use hobnob_mcp_types::prompts::Prompt;
use hobnob_mcp_types::resources::{Resource, ResourceTemplate};
use hobnob_mcp_types::tools::{TaskSupport, Tool};
use serde::de::DeserializeOwned;

/// The most bytes that one entry may have.
pub const MAX_ENTRY_BYTES: usize = 1 << 20;
/// The most bytes that a tool's input or output schema may have.
pub const MAX_SCHEMA_BYTES: usize = 256 << 10;
/// The most levels that a schema may nest.
pub const MAX_SCHEMA_DEPTH: usize = 64;

/// What is wrong with an entry, for a person.
pub(super) type Flawed = Box<str>;

/// What routing needs to know of a valid tool.
pub(super) struct CheckedTool {
    pub(super) name: String,
    pub(super) has_output_schema: bool,
    pub(super) task_support: TaskSupport,
}

pub(super) fn tool(raw: &str) -> Result<CheckedTool, Flawed> {
    let object = object(raw)?;
    let Some(input) = field(object, "inputSchema") else {
        return Err("`inputSchema` is missing".into());
    };
    schema("inputSchema", input)?;
    if field(input, "type").and_then(string_value).as_deref() != Some("object") {
        return Err("`inputSchema` must have `\"type\": \"object\"`".into());
    }
    let output = field(object, "outputSchema").filter(|output| *output != "null");
    if let Some(output) = output {
        schema("outputSchema", output)?;
    }
    let tool: Tool = decode(object)?;
    if tool.name.is_empty() {
        return Err("`name` is empty".into());
    }
    let support = tool.execution.and_then(|execution| execution.task_support);
    Ok(CheckedTool {
        name: tool.name,
        has_output_schema: output.is_some(),
        task_support: support.unwrap_or(TaskSupport::Forbidden),
    })
}

/// Checks a prompt and returns its name.
pub(super) fn prompt(raw: &str) -> Result<String, Flawed> {
    let prompt: Prompt = decode(object(raw)?)?;
    if prompt.name.is_empty() { Err("`name` is empty".into()) } else { Ok(prompt.name) }
}

/// Checks a resource and returns its address.
pub(super) fn resource(raw: &str) -> Result<String, Flawed> {
    let resource: Resource = decode(object(raw)?)?;
    if resource.uri.is_empty() { Err("`uri` is empty".into()) } else { Ok(resource.uri) }
}

/// Checks a template and returns its pattern.
pub(super) fn template(raw: &str) -> Result<String, Flawed> {
    let template: ResourceTemplate = decode(object(raw)?)?;
    let pattern = template.uri_template;
    if pattern.is_empty() { Err("`uriTemplate` is empty".into()) } else { Ok(pattern) }
}

/// The name or address that a broken entry gives itself, for the report.
pub(super) fn claimed_name(raw: &str) -> Option<Box<str>> {
    const MAX_NAME_CHARS: usize = 128;
    let parts = members(raw)?;
    let named = |key: &str| parts.iter().find(|part| part.key == key);
    let part = named("name").or_else(|| named("uri")).or_else(|| named("uriTemplate"))?;
    let name = string_value(part.value)?;
    Some(name.chars().take(MAX_NAME_CHARS).collect::<String>().into())
}

fn object(raw: &str) -> Result<&str, Flawed> {
    if raw.len() > MAX_ENTRY_BYTES {
        return Err(format!("{} bytes; the limit is {MAX_ENTRY_BYTES}", raw.len()).into());
    }
    let mut cursor = Cursor::new(raw);
    if cursor.peek() != Some(b'{') {
        return Err("not an object".into());
    }
    let checked = cursor.value().and_then(|_| cursor.finish());
    checked.map_err(|flaw| flaw.to_string())?;
    Ok(raw)
}

fn decode<T: DeserializeOwned>(object: &str) -> Result<T, Flawed> {
    if let Some(meta) = field(object, "_meta")
        && !meta.starts_with('{')
        && meta != "null"
    {
        return Err("`_meta` must be an object".into());
    }
    serde_json::from_str(object).map_err(|error| error.to_string().into())
}

fn schema(key: &str, raw: &str) -> Result<(), Flawed> {
    if !raw.starts_with('{') {
        return Err(format!("`{key}` must be an object").into());
    }
    if raw.len() > MAX_SCHEMA_BYTES {
        let message = format!("`{key}` has {} bytes; the limit is {MAX_SCHEMA_BYTES}", raw.len());
        return Err(message.into());
    }
    if depth(raw) > MAX_SCHEMA_DEPTH {
        return Err(format!("`{key}` is nested deeper than {MAX_SCHEMA_DEPTH} levels").into());
    }
    Ok(())
}

/// How deeply a valid JSON text nests.
fn depth(raw: &str) -> usize {
    let (mut open, mut deepest) = (0usize, 0);
    let mut bytes = raw.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'{' | b'[' => {
                open += 1;
                deepest = deepest.max(open);
            }
            b'}' | b']' => open = open.saturating_sub(1),
            b'"' => skip_string(&mut bytes),
            _ => {}
        }
    }
    deepest
}

fn skip_string(bytes: &mut std::str::Bytes<'_>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
}
