//! Edits JSON texts through their syntax tree: comments, order, indentation and line ends stay.
//!
//! `edit` and `connect` call it, after `json` has parsed the same text. What must stay true: an
//! object on one line stays on one line.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use jsonc_parser::errors::ParseError;
use serde_json::{Map, Value};

/// The syntax tree of a text.
pub(crate) fn json_tree(text: &str) -> Result<CstRootNode, ParseError> {
    CstRootNode::parse(text, &ParseOptions::default())
}

/// Replaces the values of keys, and appends the keys that the object lacks. Call it once for an
/// object of a tree.
pub(crate) fn set_members(object: &CstObject, members: &Map<String, Value>) {
    let beside = neighbour(object);
    let gap = beside.as_ref().map(gap);
    let mut added = Vec::new();
    for (key, value) in members {
        match (object.get(key), gap) {
            (Some(old), None) => old.set_value(input(value)),
            (Some(old), Some(gap)) => old.set_value(raw(on_one_line(value, gap))),
            (None, None) => drop(object.append(key, input(value))),
            (None, Some(gap)) => added.push(line_member(key, value, gap)),
        }
    }
    let (Some(beside), Some(gap), false) = (beside, gap, added.is_empty()) else { return };
    let added = added.join(&format!(",{gap}"));
    match object.properties().is_empty() {
        true => beside.set_value(raw(format!("{{{added}}}"))),
        false => {
            let last = beside.value().map(|it| it.to_string()).unwrap_or_default();
            beside.set_value(raw(format!("{last},{gap}{added}")));
        }
    }
}

/// The tree writes a number as its raw text.
fn raw(text: String) -> CstInputValue {
    CstInputValue::Number(text)
}

/// The member with which a new one shares its line: the last member of an object on one line, or
/// the member that holds an empty object and is on such a line itself.
fn neighbour(object: &CstObject) -> Option<CstObjectProp> {
    let parts = object.children().into_iter().filter(|it| !it.is_whitespace()).count();
    let member = match object.properties().pop() {
        None if parts <= "{}".len() => object.parent()?.as_object_prop()?,
        last => last?,
    };
    let lines = member.parent()?.children();
    (!lines.iter().any(CstNode::is_newline)).then_some(member)
}

/// The white space behind the colons of a line.
fn gap(member: &CstObjectProp) -> &'static str {
    if member.children().iter().any(CstNode::is_whitespace) { " " } else { "" }
}

fn on_one_line(value: &Value, gap: &str) -> String {
    let between = format!(",{gap}");
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| on_one_line(item, gap)).collect();
            format!("[{}]", items.join(&between))
        }
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| line_member(key, value, gap));
            format!("{{{}}}", members.collect::<Vec<_>>().join(&between))
        }
        plain => plain.to_string(),
    }
}

fn line_member(key: &str, value: &Value, gap: &str) -> String {
    format!("{}:{gap}{}", Value::from(key), on_one_line(value, gap))
}

/// Converts a value for the tree.
fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(it) => CstInputValue::Bool(*it),
        Value::Number(it) => CstInputValue::Number(it.to_string()),
        Value::String(it) => CstInputValue::String(it.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| (key.clone(), input(value));
            CstInputValue::Object(members.iter().map(member).collect())
        }
    }
}
