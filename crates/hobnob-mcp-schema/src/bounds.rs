//! How big a schema may be and where it may point. Checked before anything is compiled, so that a
//! hostile or broken schema costs little.

use serde_json::Value;

/// A schema inside a schema is two levels of JSON: `properties`, and the property.
const MAX_DEPTH: usize = 2 * 64;
const MAX_PARTS: usize = 10_000;

/// Keywords whose values are data, where `$ref` is only a word.
const DATA: [&str; 4] = ["const", "default", "enum", "examples"];

/// Fails in words if a schema is too big, too deep, or would have to be fetched.
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
                if !DATA.contains(&key.as_str()) {
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
