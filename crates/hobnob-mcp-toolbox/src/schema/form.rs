//! Derives forms from Rust types: flat objects of texts, numbers, booleans and choices.
//!
//! A type with a field that a form cannot express is refused with the field's name, because the
//! protocol does not require clients to know any other keywords.

use super::derive::{numbers_without_formats, schema_for_input};
use super::{CompiledSchema, plain};
use hobnob_mcp_types::form::FormSchema;
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

/// The schema of a form, and the check for its answers.
pub(crate) struct FormOfType {
    pub(crate) schema: FormSchema,
    pub(crate) check: CompiledSchema,
}

/// The formats that every client must support.
const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];

impl FormOfType {
    /// Derives the form of a type; the error names the type and the reason.
    pub(crate) fn new<T: JsonSchema>() -> Result<Self, String> {
        Self::from_schema(schema_for_input::<T>())
            .map_err(|problem| format!("type `{}` cannot be a form: {problem}", T::schema_name()))
    }

    fn from_schema(mut schema: Map<String, Value>) -> Result<Self, String> {
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err("it must be a struct with fields".into());
        }
        let mut fields = match schema.shift_remove("properties") {
            Some(Value::Object(fields)) => fields,
            _ => Map::new(),
        };
        for (name, field) in &mut fields {
            plain::plain_form_field(field);
            numbers_without_formats(field);
            check_field(field).map_err(|problem| format!("field `{name}`: {problem}"))?;
        }
        let required = schema.shift_remove("required").unwrap_or_else(|| json!([]));
        let whole = json!({"type": "object", "properties": fields, "required": required});
        let form = serde_json::from_value(whole.clone()).map_err(|error| error.to_string())?;
        Ok(Self { schema: form, check: CompiledSchema::of_type(whole)? })
    }
}

/// Rewrites a field's schema in the keywords that forms have; fails if a form cannot express it.
fn check_field(field: &mut Value) -> Result<(), String> {
    let other = || "a field is a text, a number, a yes or no, or a choice".to_owned();
    let Value::Object(members) = field else { return Err(other()) };
    let has = |keyword: &str| members.contains_key(keyword);
    let own: &[&str] = match members.get("type").and_then(Value::as_str) {
        Some("string") if has("oneOf") => &["oneOf"],
        Some("string") if has("enum") => &["enum"],
        Some("string") => &["minLength", "maxLength", "format"],
        Some("number" | "integer") => &["minimum", "maximum"],
        Some("boolean") => &[],
        Some("array") if has("items") => {
            // In a form, a person cannot choose a value twice anyway.
            members.shift_remove("uniqueItems");
            check_choices(members.get_mut("items")).ok_or_else(|| {
                "a field with several values must be a list of an enum's choices".to_owned()
            })?;
            &["items", "minItems", "maxItems"]
        }
        _ => return Err(other()),
    };
    let common = ["type", "title", "description", "default"];
    let mut keywords = members.keys().map(String::as_str);
    if let Some(more) = keywords.find(|it| !common.contains(it) && !own.contains(it)) {
        return Err(format!("a form does not support the keyword `{more}`"));
    }
    match members.get("format").and_then(Value::as_str) {
        Some(format) if !FORMATS.contains(&format) => {
            let supported = FORMATS.join(", ");
            Err(format!("a form does not support the format `{format}`, only {supported}"))
        }
        _ => Ok(()),
    }
}

/// Rewrites the items of a list as choices: `anyOf` if they have titles, otherwise `enum`.
fn check_choices(items: Option<&mut Value>) -> Option<()> {
    let items = items?.as_object_mut()?;
    items.shift_remove("description");
    if let Some(named) = items.shift_remove("oneOf") {
        items.clear();
        items.insert("anyOf".into(), named);
        return Some(());
    }
    let fits = |keyword: &str| ["type", "enum"].contains(&keyword);
    (items.contains_key("enum") && items.keys().all(|it| fits(it))).then_some(())
}
