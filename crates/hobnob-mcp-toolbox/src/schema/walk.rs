//! A walk over the schemas inside a schema, for the passes that change every one of them:
//! `derive`, `plain`, `describe` and `closed_objects`.

use serde_json::{Map, Value};

/// Keywords that hold one schema, by what is around it.
const ONE: [&str; 12] = [
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "additionalItems",
];
/// Keywords that hold schemas by name.
const NAMED: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords that hold schemas in a list.
const LISTED: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/// A schema directly inside another: under which keyword, by which name if it has one.
pub(super) struct Inner<'a> {
    pub(super) keyword: &'a str,
    pub(super) name: Option<&'a str>,
    pub(super) schema: &'a mut Value,
}

/// The schemas directly inside a schema.
pub(super) fn inner(schema: &mut Map<String, Value>) -> Vec<Inner<'_>> {
    let mut found = Vec::new();
    for (keyword, value) in schema {
        let keyword = keyword.as_str();
        if ONE.contains(&keyword) {
            found.push(Inner { keyword, name: None, schema: value });
            continue;
        }
        match value {
            Value::Object(named) if NAMED.contains(&keyword) => {
                let each = named.iter_mut();
                found.extend(each.map(|(name, schema)| Inner {
                    keyword,
                    name: Some(name),
                    schema,
                }));
            }
            Value::Array(listed) if LISTED.contains(&keyword) => {
                let each = listed.iter_mut();
                found.extend(each.map(|schema| Inner { keyword, name: None, schema }));
            }
            _ => {}
        }
    }
    found
}

/// Every schema that is an object, outermost first.
pub(super) fn each(schema: &mut Value, visit: &mut impl FnMut(&mut Map<String, Value>)) {
    if let Value::Object(members) = schema {
        visit(members);
        for one in inner(members) {
            each(one.schema, visit);
        }
    }
}
