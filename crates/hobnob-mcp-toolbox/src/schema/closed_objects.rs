//! Closes every object schema that names its properties: a misspelt property is an error.
//!
//! An object composed of several schemas is closed at the outermost one: `additionalProperties`
//! sees only its own siblings and would refuse properties of the other parts.

use super::walk::{each, inner};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Closes all objects of a schema.
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

/// The role of a schema for its object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It alone defines the properties of the object.
    Whole,
    /// It defines them together with another schema.
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

/// Whether a schema lists the properties of an object; an empty struct lists none.
fn names_its_properties(members: &Map<String, Value>) -> bool {
    let is_object = members.get("type").and_then(Value::as_str) == Some("object");
    let elsewhere = ["patternProperties", "$ref", "allOf", "anyOf", "oneOf"];
    members.contains_key("properties")
        || (is_object && !elsewhere.iter().any(|keyword| members.contains_key(*keyword)))
}

/// Keywords whose schemas describe the same object as their parent.
const BRANCHES: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Whether several schemas define the object's properties together.
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
