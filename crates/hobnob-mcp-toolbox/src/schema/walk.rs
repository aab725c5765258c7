//! Walks over all subschemas of a schema, for the passes that change each of them: `derive`,
//! `plain`, `describe` and `closed_objects`.

use serde_json::{Map, Value};

/// Keywords whose value is a schema.
const SCHEMA_KEYWORDS: [&str; 12] = [
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
/// Keywords whose value maps names to schemas.
const SCHEMA_MAP_KEYWORDS: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keywords whose value is a list of schemas.
const SCHEMA_LIST_KEYWORDS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];

/// A direct subschema, with the keyword and, if it has one, the name that lead to it.
pub(super) struct Inner<'a> {
    pub(super) keyword: &'a str,
    pub(super) name: Option<&'a str>,
    pub(super) schema: &'a mut Value,
}

/// The direct subschemas of a schema.
pub(super) fn inner(schema: &mut Map<String, Value>) -> Vec<Inner<'_>> {
    let mut found = Vec::new();
    for (keyword, value) in schema {
        let keyword = keyword.as_str();
        if SCHEMA_KEYWORDS.contains(&keyword) {
            found.push(Inner { keyword, name: None, schema: value });
            continue;
        }
        match value {
            Value::Object(named) if SCHEMA_MAP_KEYWORDS.contains(&keyword) => {
                let each = named.iter_mut();
                found.extend(each.map(|(name, schema)| Inner {
                    keyword,
                    name: Some(name),
                    schema,
                }));
            }
            Value::Array(listed) if SCHEMA_LIST_KEYWORDS.contains(&keyword) => {
                let each = listed.iter_mut();
                found.extend(each.map(|schema| Inner { keyword, name: None, schema }));
            }
            _ => {}
        }
    }
    found
}

/// Visits every schema that is an object, outermost first.
pub(super) fn each(schema: &mut Value, visit: &mut impl FnMut(&mut Map<String, Value>)) {
    if let Value::Object(members) = schema {
        visit(members);
        for one in inner(members) {
            each(one.schema, visit);
        }
    }
}
