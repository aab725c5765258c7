//! Simplifies schemas without changing their meaning: one type for each property, and choices as
//! `enum`.
//!
//! An optional property does not also accept null in the simplified schema; a call that writes null
//! for it is understood all the same, see [`absent`].

use super::walk::each;
use serde_json::{Map, Value, json};

/// Simplifies every schema inside a schema.
pub(super) fn plain(schema: &mut Value) {
    each(schema, &mut |members| {
        merge_only_choice(members);
        one_type(members);
        choices(members);
    });
}

/// Simplifies a field of a form. Choices that all have a title keep their titles.
pub(super) fn plain_form_field(field: &mut Value) {
    each(field, &mut |members| {
        merge_only_choice(members);
        one_type(members);
        if !titled_choices(members) {
            choices(members);
        }
    });
}

/// Removes optional members that are null; `None` if there are none.
pub(crate) fn absent(schema: &Value, arguments: &Value) -> Option<Value> {
    let mut rest = arguments.clone();
    remove_nulls(schema, &mut rest);
    (rest != *arguments).then_some(rest)
}

fn remove_nulls(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(members) => {
            let required = schema.get("required").and_then(Value::as_array);
            let is_required = |name: &str| {
                required.is_some_and(|names| names.iter().any(|one| one.as_str() == Some(name)))
            };
            let known = schema.get("properties").and_then(Value::as_object);
            let Some(known) = known else { return };
            members.retain(|name, value| {
                !value.is_null() || is_required(name) || !known.contains_key(name)
            });
            for (name, value) in members {
                known.get(name).into_iter().for_each(|schema| remove_nulls(schema, value));
            }
        }
        Value::Array(items) => {
            let of_items = schema.get("items");
            if let Some(of_items) = of_items {
                items.iter_mut().for_each(|item| remove_nulls(of_items, item));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Reduces `anyOf` of a single schema and null to that schema.
fn merge_only_choice(schema: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = schema.get("anyOf") else { return };
    let is_null = |it: &&Value| it.get("type").and_then(Value::as_str) == Some("null");
    if !choices.iter().any(|it| is_null(&it)) {
        return;
    }
    let left: Vec<Value> = choices.iter().filter(|it| !is_null(it)).cloned().collect();
    match left.as_slice() {
        [Value::Object(only)] => {
            let only = only.clone();
            schema.shift_remove("anyOf");
            for (keyword, value) in only {
                // The property's own keywords take precedence over those of its type.
                schema.entry(keyword).or_insert(value);
            }
        }
        _ => drop(schema.insert("anyOf".into(), Value::Array(left))),
    }
}

fn one_type(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|one| one != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            schema.insert("type".into(), one);
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|one| !one.is_null());
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.shift_remove("default");
    }
}

/// Reduces choices to values and titles; `false` if not all choices have both.
fn titled_choices(schema: &mut Map<String, Value>) -> bool {
    let Some(Value::Array(listed)) = schema.get("oneOf") else { return false };
    let titled = |it: &Value| {
        let (value, title) = (it.get("const")?.as_str()?, it.get("title")?.as_str()?);
        Some(json!({"const": value, "title": title}))
    };
    let Some(choices) = listed.iter().map(titled).collect::<Option<Vec<_>>>() else {
        return false;
    };
    schema.insert("type".into(), "string".into());
    schema.insert("oneOf".into(), choices.into());
    true
}

/// Turns described choices into an `enum`; their descriptions move into the property's.
fn choices(schema: &mut Map<String, Value>) {
    let Some(Value::Array(listed)) = schema.get("oneOf") else { return };
    let choice = |it: &Value| {
        let value = it.get("const").or_else(|| match it.get("enum")?.as_array()?.as_slice() {
            [one] => Some(one),
            _ => None,
        });
        let words = it.get("description").and_then(Value::as_str).map(str::to_owned);
        Some((value?.as_str()?.to_owned(), words))
    };
    let Some(choices) = listed.iter().map(choice).collect::<Option<Vec<_>>>() else { return };
    let described = choices.iter().filter_map(|(value, words)| {
        let words = words.as_ref()?;
        Some(format!("{value}: {}", words.trim_end_matches('.')))
    });
    let described: Vec<String> = described.collect();
    let about = schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    schema.shift_remove("oneOf");
    schema.insert("type".into(), "string".into());
    schema.insert("enum".into(), choices.iter().map(|(value, _)| value.as_str()).collect());
    if !described.is_empty() && !about.is_empty() {
        let about = format!("{} ({})", about.trim_end_matches('.'), described.join("; "));
        schema.insert("description".into(), about.into());
    }
}
