//! Derives schemas from Rust types, simplified for models and strict clients.
//!
//! No dialect, no title, no number formats; every object closed, every property described.

use super::walk::each;
use super::{closed_objects, describe, plain};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The arguments of a tool that needs none.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub struct NoArguments {}

impl JsonSchema for NoArguments {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "NoArguments".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "object", "properties": {}})
    }
}

/// Derives the schema of a tool's arguments.
pub(crate) fn input_schema_of<T: JsonSchema>() -> Result<Value, String> {
    input_schema(schema_for_input::<T>())
}

fn input_schema(mut schema: Map<String, Value>) -> Result<Value, String> {
    match schema.get("type") {
        Some(Value::String(kind)) if kind == "object" => {}
        // A type that accepts any JSON (`serde_json::Value`) becomes an open object.
        None => {
            schema.shift_insert(0, "type".into(), "object".into());
            if schema.len() == 1 {
                schema.insert("additionalProperties".into(), true.into());
            }
        }
        Some(other) => return Err(format!("arguments must be an object, not {other}")),
    }
    let mut schema = Value::Object(schema);
    plain::plain(&mut schema);
    // Present even if empty: code generators for types expect it.
    if let Some(members) = schema.as_object_mut().filter(|it| it.contains_key("properties")) {
        members.entry("required").or_insert_with(|| Value::Array(Vec::new()));
    }
    finish(schema)
}

/// The schema of a type to decode into, before simplification.
pub(super) fn schema_for_input<T: JsonSchema>() -> Map<String, Value> {
    let generator = settings().for_deserialize().into_generator();
    root(generator.into_root_schema_for::<T>())
}

/// Derives the schema of a tool's structured result, which may be of any type.
pub(crate) fn output_schema_of<T: JsonSchema>() -> Result<Value, String> {
    let generator = settings().for_serialize().into_generator();
    finish(Value::Object(root(generator.into_root_schema_for::<T>())))
}

/// Subschemas are inlined: few models and clients follow references.
fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|it| it.inline_subschemas = true)
}

/// The schema as an object, without the keywords that only describe the schema itself.
fn root(derived: Schema) -> Map<String, Value> {
    let Value::Object(mut schema) = derived.to_value() else { return Map::new() };
    schema.shift_remove("$schema");
    schema.shift_remove("title");
    schema
}

fn finish(mut schema: Value) -> Result<Value, String> {
    hobnob_mcp_schema::check_bounds(&schema)?;
    numbers_without_formats(&mut schema);
    describe::describe(&mut schema)?;
    closed_objects::close_objects(&mut schema);
    Ok(schema)
}

/// Removes Rust's number formats, which mean nothing in other languages.
pub(super) fn numbers_without_formats(schema: &mut Value) {
    each(schema, &mut simplify);
}

fn simplify(schema: &mut Map<String, Value>) {
    let numeric = |format: &str| {
        let bits = format.trim_start_matches("uint").trim_start_matches("int");
        matches!(format, "float" | "double") || bits.chars().all(|c| c.is_ascii_digit())
    };
    if schema.get("format").and_then(Value::as_str).is_some_and(numeric) {
        schema.shift_remove("format");
    }
}
