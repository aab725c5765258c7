//! Closes every object that names its properties, so that a misspelt one is refused, not ignored.
//!
//! An object made of several schemas is closed where they meet: `additionalProperties` sees only
//! its own neighbours and would refuse what the other parts allow.

use super::walk::{each, inner};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Closes the objects of a schema.
pub(super) fn close_objects(schema: &mut Value) {
    let mut parts = BTreeSet::new();
    each(schema, &mut |members| {
        if is_composed(members) {
            parts.extend(reference(members));
            for branch in branches(members) {
                parts.extend(branch.as_object().and_then(reference));
            }
        }
    });
    close_within(schema, Place::Whole, &parts);
}

/// Where a schema stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It alone says what the object may have.
    Whole,
    /// Another schema says so together with it.
    Part,
}

fn close_within(schema: &mut Value, place: Place, parts: &BTreeSet<String>) {
    let Value::Object(members) = schema else { return };
    let composed = is_composed(members);
    if place == Place::Whole && (composed || names_its_properties(members)) {
        let keyword = if composed { "unevaluatedProperties" } else { "additionalProperties" };
        members.entry(keyword).or_insert(Value::Bool(false));
    }
    let branch = if composed { Place::Part } else { place };
    for one in inner(members) {
        let place = match (one.keyword, one.name) {
            (keyword, _) if BRANCHES.contains(&keyword) => branch,
            ("$defs", Some(name)) if parts.contains(&format!("#/$defs/{name}")) => Place::Part,
            _ => Place::Whole,
        };
        close_within(one.schema, place, parts);
    }
}

/// Whether a schema says which properties an object has; an empty struct says that it has none.
fn names_its_properties(members: &Map<String, Value>) -> bool {
    let is_object = members.get("type").and_then(Value::as_str) == Some("object");
    let elsewhere = ["patternProperties", "$ref", "allOf", "anyOf", "oneOf"];
    members.contains_key("properties")
        || (is_object && !elsewhere.iter().any(|keyword| members.contains_key(*keyword)))
}

/// Keywords whose schemas describe the very same object.
const BRANCHES: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Whether several schemas say together what the object may have.
fn is_composed(schema: &Map<String, Value>) -> bool {
    let has_more =
        schema.contains_key("$ref") || BRANCHES.iter().any(|key| schema.contains_key(*key));
    schema.contains_key("allOf") || (schema.contains_key("properties") && has_more)
}

fn reference(schema: &Map<String, Value>) -> Option<String> {
    schema.get("$ref")?.as_str().map(str::to_owned)
}

fn branches(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let lists = BRANCHES.iter().filter_map(|key| schema.get(*key)?.as_array());
    lists.flatten()
}
