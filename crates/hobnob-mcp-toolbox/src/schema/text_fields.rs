//! Converts values that arrive as text (arguments of prompts, variables of templates).
//!
//! Each text becomes a value of its field's type, and the whole must match the schema, so that a
//! typed handler gets the same value as it would from a tool call.

use super::{CompiledSchema, input_schema_of};
use schemars::JsonSchema;
use serde_json::{Map, Number, Value};

/// The fields of a type whose values arrive as text.
pub(crate) struct TextFields {
    fields: Vec<TextField>,
    /// Whether unknown names are kept, because the type is a map.
    is_open: bool,
    check: CompiledSchema,
}

/// A field whose value arrives as text.
pub(crate) struct TextField {
    pub(crate) name: Box<str>,
    pub(crate) description: Option<String>,
    pub(crate) is_required: bool,
    /// The only accepted values; empty means any.
    pub(crate) choices: Vec<String>,
    kind: TextKind,
}

/// The type that a text is parsed as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextKind {
    Text,
    Number,
    YesOrNo,
}

impl TextFields {
    /// The fields of a type; the error names a field whose type cannot be written as text.
    pub(crate) fn of_type<T: JsonSchema>() -> Result<Self, String> {
        Self::from_schema(input_schema_of::<T>()?)
    }

    fn from_schema(schema: Value) -> Result<Self, String> {
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| {
            required.is_some_and(|all| all.iter().any(|one| one.as_str() == Some(name)))
        };
        let properties = schema.get("properties").and_then(Value::as_object);
        let fields = properties.into_iter().flatten().map(|(name, property)| {
            let kind = TextKind::of(property).ok_or_else(|| {
                format!(
                    "`{name}` comes as text, so it must be a text, a number, a yes or no, or an \
                     enum without data"
                )
            })?;
            let choices = property.get("enum").and_then(Value::as_array).into_iter().flatten();
            Ok(TextField {
                name: name.as_str().into(),
                description: property.get("description").and_then(Value::as_str).map(Into::into),
                is_required: is_required(name),
                choices: choices.filter_map(|it| it.as_str().map(str::to_owned)).collect(),
                kind,
            })
        });
        let fields = fields.collect::<Result<Vec<_>, String>>()?;
        let is_open = schema.get("additionalProperties") != Some(&Value::Bool(false));
        Ok(Self { fields, is_open, check: CompiledSchema::of_type(schema)? })
    }

    /// All fields, in the order of the type.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &TextField> {
        self.fields.iter()
    }

    /// Whether every name is accepted, because the type is a map.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Parses the texts as a value of the type, called `root` in messages. Unknown names are
    /// dropped, because clients send more than they were asked for.
    pub(crate) fn read(
        &self,
        texts: impl IntoIterator<Item = (String, String)>,
        root: &str,
    ) -> Result<Value, String> {
        let mut value = Map::new();
        for (name, text) in texts {
            match self.fields.iter().find(|field| *field.name == *name) {
                // An empty text box for such a field means "no value".
                Some(field) if text.is_empty() && field.may_be_left_empty() => {}
                Some(field) => drop(value.insert(name, field.kind.read(text))),
                None if self.is_open => drop(value.insert(name, Value::String(text))),
                None => {}
            }
        }
        let value = Value::Object(value);
        match self.check.problem(&value, root) {
            None => Ok(value),
            Some(problem) => Err(problem),
        }
    }
}

impl TextField {
    fn may_be_left_empty(&self) -> bool {
        !self.is_required && (self.kind != TextKind::Text || !self.choices.is_empty())
    }
}

impl TextKind {
    fn of(property: &Value) -> Option<Self> {
        match property.get("type")?.as_str()? {
            "string" => Some(Self::Text),
            "integer" | "number" => Some(Self::Number),
            "boolean" => Some(Self::YesOrNo),
            _ => None,
        }
    }

    /// Parses the text. An unparseable text stays a string, and the check reports it.
    fn read(self, text: String) -> Value {
        let read = match self {
            Self::Text => None,
            Self::Number => text.trim().parse::<Number>().ok().map(Value::Number),
            Self::YesOrNo => text.trim().parse::<bool>().ok().map(Value::Bool),
        };
        read.unwrap_or(Value::String(text))
    }
}
