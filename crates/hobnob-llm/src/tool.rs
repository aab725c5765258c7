//! Tools as models see them: the definitions that a model is offered, and the calls it requests.
//!
//! What must stay true: every provider accepts a tool's name; schemas and inputs are JSON objects.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

#[cfg(test)]
mod tests;

/// The longest name that every provider accepts.
const MAX_NAME_BYTES: usize = 64;

/// Why a tool cannot be offered to a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadToolDefinition {
    /// The name is empty, too long, or has other characters.
    #[error(
        "models take no tool named `{0}`: use 1 to 64 letters, digits, underscores and hyphens"
    )]
    Name(Box<str>),
    /// The schema is not a JSON object.
    #[error("the input schema of tool `{0}` is not a JSON object")]
    Schema(Box<str>),
}

/// A tool that a model may call.
#[derive(Debug, Clone)]
pub struct ModelTool {
    name: Box<str>,
    description: Box<str>,
    schema: ToolInput,
}

impl ModelTool {
    /// Checks the name, and that the schema (JSON Schema, as text) is an object.
    pub fn new(name: &str, description: &str, schema: &str) -> Result<Self, BadToolDefinition> {
        let legal = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
        if name.is_empty() || MAX_NAME_BYTES < name.len() || !name.chars().all(legal) {
            return Err(BadToolDefinition::Name(name.into()));
        }
        let schema =
            ToolInput::parse(schema).ok_or_else(|| BadToolDefinition::Schema(name.into()))?;
        Ok(Self { name: name.into(), description: description.into(), schema })
    }

    /// The name by which the model calls the tool.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the tool does, for the model.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The JSON Schema of its input.
    pub fn schema(&self) -> &ToolInput {
        &self.schema
    }
}

/// A tool call that a model requests, with its complete input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolUse {
    /// The id that the result refers to; generated here if the provider gives none.
    pub id: Box<str>,
    /// The tool to call. The model may name one that it was not offered.
    pub name: Box<str>,
    /// The arguments, an object.
    pub input: ToolInput,
}

/// A JSON object as text, as the model or the author of a schema wrote it.
#[derive(Clone)]
pub struct ToolInput {
    object: Box<RawValue>,
    problem: Option<Box<str>>,
}

impl ToolInput {
    /// Accepts a text that is one JSON object; an empty text counts as the empty object.
    pub fn parse(text: &str) -> Option<Self> {
        let text = match text.trim() {
            "" => "{}",
            text => text,
        };
        // This also bounds the nesting: an object too deep to decode could not be sent on either.
        serde_json::from_str::<Map<String, Value>>(text).ok()?;
        let object = RawValue::from_string(text.to_owned()).ok()?;
        Some(Self { object, problem: None })
    }

    /// An empty object in place of invalid arguments: no tool may be called with it.
    pub fn unusable(problem: String) -> Self {
        // `{}` is valid JSON, so the default is never used.
        let object = RawValue::from_string("{}".to_owned()).unwrap_or_default();
        Self { object, problem: Some(problem.into()) }
    }

    /// Why no tool may be called with this input, in words for the model. It is not stored: in a
    /// conversation that is loaded again, the object is empty and the result of the call says why.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// The object as it was written.
    pub fn as_str(&self) -> &str {
        self.object.get()
    }

    /// The object as raw JSON, to embed in other JSON unchanged.
    pub fn raw(&self) -> &RawValue {
        &self.object
    }

    /// The object as a value.
    pub(crate) fn to_value(&self) -> Value {
        // The text was decoded as an object before, so the default is never used.
        serde_json::from_str(self.as_str()).unwrap_or_default()
    }
}

impl PartialEq for ToolInput {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str() && self.problem == other.problem
    }
}

impl Eq for ToolInput {}

impl fmt::Debug for ToolInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ToolInput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.object.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ToolInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::parse(raw.get()).ok_or_else(|| de::Error::custom("expected a JSON object"))
    }
}
