//! Converts the program's types to the JSON of calls and back: arguments and outputs.
//!
//! `Client` uses it for every typed call. Arguments that are not an object are refused here,
//! because otherwise the error would come from the server, in its own words.

use crate::call_failed::CallFailed;
use hobnob_mcp_types::json::object;
use hobnob_mcp_types::tools::CallToolResult;
use serde::Serialize;
use serde::de::value::{Error, StringDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde_json::{Map, Value};

/// The arguments as JSON text; `None` if there are none.
pub(crate) fn arguments<T>(name: &str, args: &T) -> Result<Option<String>, CallFailed>
where
    T: Serialize + ?Sized,
{
    let text = serde_json::to_string(args);
    let text = text.map_err(|error| CallFailed::Arguments(format!("`{name}`: {error}")))?;
    match text.as_bytes() {
        [b'{', ..] => Ok(Some(text)),
        b"null" => Ok(None),
        _ => Err(CallFailed::Arguments(format!("`{name}` takes an object, not {text}"))),
    }
}

/// Like [`arguments`], for a prompt, whose arguments are all strings.
pub(crate) fn prompt_arguments<T>(name: &str, args: &T) -> Result<Option<String>, CallFailed>
where
    T: Serialize + ?Sized,
{
    let Some(text) = arguments(name, args)? else { return Ok(None) };
    let given: Map<String, Value> =
        serde_json::from_str(&text).map_err(|error| CallFailed::Arguments(error.to_string()))?;
    let mut texts = Vec::with_capacity(given.len());
    for (key, value) in given {
        match value {
            Value::Null => {}
            Value::String(text) => texts.push((key, text)),
            Value::Bool(_) | Value::Number(_) => texts.push((key, value.to_string())),
            Value::Array(_) | Value::Object(_) => {
                let why = format!("`{key}` of the prompt `{name}` is neither a text nor a number");
                return Err(CallFailed::Arguments(why));
            }
        }
    }
    Ok(Some(object(|object| {
        for (key, text) in &texts {
            object.string(key, text);
        }
    })))
}

/// The structured output of a tool, or else its text, as `T`.
pub(crate) fn output<T: DeserializeOwned>(result: &CallToolResult) -> Result<T, CallFailed> {
    let Some(data) = &result.structured_content else { return text_output(result) };
    // Many Python servers wrap a string or a number into an object, as `{"result":"…"}`, and also
    // send it unwrapped as text.
    read(data.get()).or_else(|unreadable| text_output(result).map_err(|_| unreadable))
}

fn text_output<T: DeserializeOwned>(result: &CallToolResult) -> Result<T, CallFailed> {
    let texts: Vec<_> = result.content.iter().filter_map(|content| content.as_text()).collect();
    if texts.is_empty() {
        return read("null");
    }
    let text = texts.join("\n");
    let plain: StringDeserializer<Error> = text.clone().into_deserializer();
    T::deserialize(plain).or_else(|_| read(&text))
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, CallFailed> {
    serde_json::from_str(text).map_err(|error| CallFailed::unreadable(&error))
}
