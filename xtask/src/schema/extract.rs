//! Extracts facts from an official schema, for `--refresh` only.
//!
//! A part that a definition defines inline (an object, or a set of strings) becomes a fact of its
//! own, with a path as its name. So nothing is known only by the name of its field.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use serde_json::{Map, Value};

use super::facts::{Kind, Shape};

/// All definitions of a schema and all inline parts, by path.
pub(super) fn extract(schema: &Value) -> anyhow::Result<BTreeMap<String, Shape>> {
    // The first three revisions use draft-07, in which the key has another name.
    let definitions = schema.get("$defs").or_else(|| schema.get("definitions"));
    let definitions =
        definitions.and_then(Value::as_object).context("the schema has no definitions")?;
    let mut found = BTreeMap::new();
    for (name, definition) in definitions {
        walk(definitions, name.clone(), definition, &mut found);
    }
    Ok(found)
}

fn walk(
    definitions: &Map<String, Value>,
    path: String,
    schema: &Value,
    found: &mut BTreeMap<String, Shape>,
) {
    let parts = Parts::of(definitions, schema);
    for (name, property) in &parts.fields {
        let inner = property.get("items").unwrap_or(property);
        let spelled_out = inner.get("$ref").is_none() && {
            let inner = Parts::of(definitions, inner);
            !inner.fields.is_empty() || !inner.values.is_empty()
        };
        if spelled_out && inner.get("const").is_none() {
            walk(definitions, format!("{path}/{name}"), inner, found);
        }
    }
    found.insert(path, parts.shape(schema));
}

/// The constraints of a schema for its value, with all branches merged.
#[derive(Default)]
struct Parts<'schema> {
    fields: Vec<(&'schema str, &'schema Value)>,
    required: BTreeSet<&'schema str>,
    values: BTreeSet<String>,
}

impl<'schema> Parts<'schema> {
    fn of(definitions: &'schema Map<String, Value>, schema: &'schema Value) -> Self {
        let mut parts = Self::default();
        let strings = |key: &str| {
            schema
                .get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
        };
        let branches = |key: &str| schema.get(key).and_then(Value::as_array).into_iter().flatten();

        parts.values.extend(strings("enum").map(str::to_owned));
        let constant = schema.get("const").and_then(Value::as_str);
        parts.values.extend(constant.map(str::to_owned));
        parts.required.extend(strings("required"));
        let properties = schema.get("properties").and_then(Value::as_object);
        parts.fields.extend(properties.into_iter().flatten().map(|(name, it)| (name.as_str(), it)));

        for branch in branches("allOf") {
            let named =
                branch.get("$ref").and_then(Value::as_str).and_then(|it| it.rsplit('/').next());
            let target = named.and_then(|name| definitions.get(name)).unwrap_or(branch);
            let inner = Self::of(definitions, target);
            parts.required.extend(inner.required);
            parts.fields.extend(inner.fields);
        }
        // For inline alternatives, only what all of them require is required.
        let inline = |branch: &&Value| branch.get("$ref").is_none();
        let choices: Vec<_> = branches("anyOf")
            .chain(branches("oneOf"))
            .filter(inline)
            .map(|branch| Self::of(definitions, branch))
            .collect();
        let demanded = choices.iter().map(|choice| choice.required.clone());
        parts.required.extend(demanded.reduce(|one, other| &one & &other).unwrap_or_default());
        for choice in choices {
            parts.fields.extend(choice.fields);
            parts.values.extend(choice.values);
        }
        parts
    }

    fn shape(self, schema: &Value) -> Shape {
        let names: BTreeSet<_> = self.fields.iter().map(|(name, _)| *name).collect();
        let union = schema.get("anyOf").or_else(|| schema.get("oneOf")).is_some();
        let kind = match (names.is_empty(), self.values.is_empty()) {
            (false, _) => Kind::Object,
            (true, false) => Kind::Text,
            (true, true) if union => Kind::Union,
            (true, true) => Kind::Plain,
        };
        let constant = |(name, property): &(&str, &Value)| {
            let value = match property.get("const")? {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            Some(((*name).to_owned(), value))
        };
        let owned = |name: &&str| (*name).to_owned();
        Shape {
            kind,
            required: names.intersection(&self.required).map(owned).collect(),
            optional: names.difference(&self.required).map(owned).collect(),
            constants: self.fields.iter().filter_map(constant).collect(),
            values: self.values,
        }
    }
}
