//! Limits for the size of a schema and the targets of its references. They are checked before the
//! schema is compiled, so that a hostile or broken schema costs little.

use serde_json::Value;

/// A subschema adds two levels of JSON: `properties`, and the property itself.
const MAX_DEPTH: usize = 2 * 64;
const MAX_PARTS: usize = 10_000;

/// Keywords whose values are data, in which `$ref` has no meaning.
const DATA_KEYWORDS: [&str; 4] = ["const", "default", "enum", "examples"];

/// Fails with a message if a schema is too large, too deep, or refers to another document.
pub fn check_bounds(schema: &Value) -> Result<(), String> {
    let mut seen = 0;
    walk(schema, 0, &mut seen)
}

fn walk(value: &Value, depth: usize, seen: &mut usize) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err("the schema is nested deeper than 64 levels".into());
    }
    match value {
        Value::Object(members) => {
            *seen += 1;
            if *seen > MAX_PARTS {
                return Err(format!("the schema has more than {MAX_PARTS} parts"));
            }
            for (key, inner) in members {
                if let (true, Value::String(target)) = (is_reference(key), inner)
                    && !target.starts_with('#')
                {
                    return Err(format!("`{key}` points outside the schema: {target}"));
                }
                if !DATA_KEYWORDS.contains(&key.as_str()) {
                    walk(inner, depth + 1, seen)?;
                }
            }
            Ok(())
        }
        Value::Array(items) => items.iter().try_for_each(|item| walk(item, depth + 1, seen)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

fn is_reference(key: &str) -> bool {
    matches!(key, "$ref" | "$dynamicRef" | "$recursiveRef")
}
