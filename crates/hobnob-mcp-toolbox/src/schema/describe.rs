//! Ensures that every property has a description: a model has no other source of information.
//!
//! Properties that `serde` generates (tags, variant names) cannot have a doc comment, so they get
//! the description of their variant.

use super::walk::each;
use serde_json::{Map, Value};

/// Fails with the names of properties without a description.
pub(super) fn describe(schema: &mut Value) -> Result<(), String> {
    let mut undescribed = Vec::new();
    // Outermost first: variants pass their descriptions on before their properties are checked.
    each(schema, &mut |members| {
        describe_variants(members);
        find_undescribed(members, &mut undescribed);
    });
    match undescribed.as_slice() {
        [] => Ok(()),
        [one] => Err(format!("property {one} has no description (a doc comment)")),
        many => Err(format!("properties {} have no description (a doc comment)", many.join(", "))),
    }
}

fn describe_variants(schema: &mut Map<String, Value>) {
    for keyword in ["oneOf", "anyOf"] {
        let Some(Value::Array(variants)) = schema.get_mut(keyword) else { continue };
        for variant in variants {
            let words = variant.get("description").cloned();
            let properties = variant.get_mut("properties").and_then(Value::as_object_mut);
            for (_, property) in properties.into_iter().flatten() {
                let tag = property.get("const").and_then(Value::as_str);
                let words = match tag {
                    Some(tag) => Some(Value::from(format!("Always `{tag}`."))),
                    None => words.clone(),
                };
                if let (Value::Object(property), Some(words)) = (property, words) {
                    property.entry("description").or_insert(words);
                }
            }
        }
    }
}

fn find_undescribed(schema: &Map<String, Value>, undescribed: &mut Vec<String>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let words = property.get("description").and_then(Value::as_str).unwrap_or_default();
        if words.trim().is_empty() {
            undescribed.push(format!("`{name}`"));
        }
    }
}
