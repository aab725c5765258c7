//! Limits for the size of a schema and the targets of its references. They are checked before the
//! schema is compiled, so that a hostile or broken schema costs little.

use serde_json::Value;

/// A subschema adds two levels of JSON: `properties`, and the property itself.
const MAX_DEPTH: usize = 2 * 64;
const MAX_PARTS: usize = 10_000;

/// Keywords whose values are data, in which `$ref` has no meaning.
const DATA_KEYWORDS: [&str; 4] = ["const", "default", "enum", "examples"];

/// Keywords whose values have a schema for each name that the author chose.
const NAME_KEYWORDS: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/// Fails with a message if a schema is too large, too deep, or refers to another document.
pub fn check_bounds(schema: &Value) -> Result<(), String> {
    let mut seen = 0;
    walk(schema, Keys::Keywords, 0, &mut seen)
}

/// What the keys of an object in a schema are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    Keywords,
    /// Names that the author chose: a property may be called `default`, or `$ref`.
    Names,
}

fn walk(value: &Value, keys: Keys, depth: usize, seen: &mut usize) -> Result<(), String> {
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
                let is_keyword = keys == Keys::Keywords;
                if let (true, Value::String(target)) = (is_keyword && is_reference(key), inner)
                    && !target.starts_with('#')
                {
                    return Err(format!("`{key}` points outside the schema: {target}"));
                }
                let names = is_keyword && NAME_KEYWORDS.contains(&key.as_str());
                if !is_keyword || !DATA_KEYWORDS.contains(&key.as_str()) {
                    let keys = if names { Keys::Names } else { Keys::Keywords };
                    walk(inner, keys, depth + 1, seen)?;
                }
            }
            Ok(())
        }
        Value::Array(items) => {
            items.iter().try_for_each(|item| walk(item, Keys::Keywords, depth + 1, seen))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

fn is_reference(key: &str) -> bool {
    matches!(key, "$ref" | "$dynamicRef" | "$recursiveRef")
}

#[cfg(test)]
mod tests {
    use super::check_bounds;
    use serde_json::{Value, json};

    #[test]
    fn properties_may_have_the_names_of_keywords_and_are_checked_all_the_same() {
        let deep = (0..200).fold(json!({}), |inner, _| json!({"items": inner}));
        let outside = json!({"$ref": "https://example.com/x"});
        let fine: [Value; 4] = [
            json!({"properties": {"default": {"type": "string"}, "$ref": {"type": "string"}}}),
            json!({"default": outside, "enum": [outside], "const": deep}),
            json!({"properties": {"x": {"default": {"$ref": "https://example.com/x"}}}}),
            json!({"$ref": "#/$defs/default", "$defs": {"default": {"type": "string"}}}),
        ];
        for schema in fine {
            assert_eq!(check_bounds(&schema), Ok(()), "{schema}");
        }
        for map in super::NAME_KEYWORDS {
            for name in ["x", "const", "default", "enum", "examples", "properties"] {
                for inner in [&deep, &outside] {
                    let schema = json!({ map: { name: inner } });
                    assert!(check_bounds(&schema).is_err(), "{map} {name}");
                }
            }
        }
    }
}
