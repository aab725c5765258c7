//! Every property says what it is for: a model has nothing else to go by.
//!
//! What `serde` makes up (tags, variant names) cannot carry a doc comment, so it gets the words of
//! the variant it belongs to.

use super::walk::each;
use serde_json::{Map, Value};

/// Fails with the names of properties that nobody described.
pub(super) fn describe(schema: &mut Value) -> Result<(), String> {
    let mut bare = Vec::new();
    // Outermost first, so variants have passed their words on before they are looked at.
    each(schema, &mut |members| {
        describe_variants(members);
        find_bare(members, &mut bare);
    });
    match bare.as_slice() {
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

fn find_bare(schema: &Map<String, Value>, bare: &mut Vec<String>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let words = property.get("description").and_then(Value::as_str).unwrap_or_default();
        if words.trim().is_empty() {
            bare.push(format!("`{name}`"));
        }
    }
}
