//! Sets and removes a member of a JSON text. Every other byte stays: comments, order, indentation,
//! line breaks, trailing commas.
//!
//! `plan` calls it with a text that it has parsed, and compares the meaning of the result.

use serde_json::{Map, Value};

use super::json_layout::{JsonLayout, indent_of};
use super::json_scan::{JsonMember, JsonObject, blank_comments};

/// The text with this value at this path; missing objects on the path are created. `None` if
/// something on the path is not an object.
pub(super) fn set_member(text: &str, path: &[&str], value: &Value) -> Option<String> {
    let (last, above) = path.split_last()?;
    let plain = blank_comments(text);
    let layout = JsonLayout::of(&plain);
    if plain.trim().is_empty() {
        return Some(format!(
            "{text}{}{}",
            layout.value(&nested(path, value), ""),
            layout.line("")
        ));
    }
    let mut object = JsonObject::at(&plain, 0)?;
    for (depth, key) in above.iter().enumerate() {
        match object.get(key) {
            Some(member) => object = JsonObject::at(&plain, member.value.start)?,
            None => {
                let value = nested(&path[depth + 1..], value);
                return Some(insert(text, &plain, &layout, &object, key, &value));
            }
        }
    }
    Some(match object.get(last) {
        Some(member) => {
            let indent = indent_of(line_at(text, member.whole.start)).to_owned();
            let mut changed = text.to_owned();
            changed.replace_range(member.value.clone(), &layout.value(value, &indent));
            changed
        }
        None => insert(text, &plain, &layout, &object, last, value),
    })
}

/// The text without the member at this path; unchanged if there is none.
pub(super) fn remove_member(text: &str, path: &[&str]) -> Option<String> {
    let (last, above) = path.split_last()?;
    let plain = blank_comments(text);
    if plain.trim().is_empty() {
        return Some(text.to_owned());
    }
    let mut object = JsonObject::at(&plain, 0)?;
    for key in above {
        match object.get(key) {
            Some(member) => object = JsonObject::at(&plain, member.value.start)?,
            None => return Some(text.to_owned()),
        }
    }
    let Some(at) = object.members.iter().position(|member| member.key == *last) else {
        return Some(text.to_owned());
    };
    Some(without(text, &plain, &object, at))
}

/// Wraps a value in objects, one for each key.
fn nested(path: &[&str], value: &Value) -> Value {
    let wrap = |inside: Value, key: &&str| {
        let mut object = Map::new();
        object.insert((*key).to_owned(), inside);
        Value::Object(object)
    };
    path.iter().rev().fold(value.clone(), wrap)
}

/// Appends a member to an object.
fn insert(
    text: &str,
    plain: &str,
    layout: &JsonLayout,
    object: &JsonObject,
    key: &str,
    value: &Value,
) -> String {
    let mut changed = text.to_owned();
    let Some(last) = object.members.last() else {
        let outer = indent_of(line_at(text, object.open)).to_owned();
        let indent = layout.deeper(&outer);
        let member = layout.member(key, value, &indent);
        let inside = object.open + 1..object.close;
        let only_space = text[inside.clone()].trim().is_empty();
        match (layout.is_on_one_line(), only_space) {
            (true, _) => changed.insert_str(inside.start, &member),
            (false, true) => {
                let lines = format!("{}{member}{}", layout.line(&indent), layout.line(&outer));
                changed.replace_range(inside, &lines);
            }
            // A comment stays behind the new member, on its line.
            (false, false) => {
                changed.insert_str(inside.start, &format!("{}{member}", layout.line(&indent)));
            }
        }
        return changed;
    };
    let own_line = starts_its_line(plain, last.whole.start);
    let indent = indent_of(line_at(text, last.whole.start)).to_owned();
    let member = layout.member(key, value, &indent);
    let behind = last.comma.map_or(last.value.end, |comma| comma + 1);
    // Insert after a comment on the last member's line.
    let line_end = plain[behind..].find(['\r', '\n']).map_or(plain.len(), |it| behind + it);
    let closing = if last.comma.is_some() { "," } else { "" };
    if own_line && line_end <= object.close {
        changed.insert_str(line_end, &format!("{}{member}{closing}", layout.line(&indent)));
    } else {
        changed.insert_str(behind, &format!("{}{member}{closing}", layout.gap()));
    }
    if last.comma.is_none() {
        changed.insert(last.value.end, ',');
    }
    changed
}

/// The text without one member of an object, and without the comma that it no longer needs.
fn without(text: &str, plain: &str, object: &JsonObject, at: usize) -> String {
    let member = &object.members[at];
    let before: Option<&JsonMember> = at.checked_sub(1).map(|before| &object.members[before]);
    let mut from = member.whole.start;
    let mut to = member.comma.map_or(member.whole.end, |comma| comma + 1);
    let line_end = plain[to..].find('\n').map_or(plain.len(), |it| to + it + 1);
    let rest_is_empty = text[to..line_end].trim().is_empty();
    if starts_its_line(text, from) && rest_is_empty {
        from -= indent_of(line_at(text, from)).len();
        to = line_end;
    } else if member.comma.is_some() {
        to += text[to..].len() - text[to..].trim_start_matches([' ', '\t']).len();
    }
    let mut changed = text.to_owned();
    match (member.comma, before.and_then(|it| it.comma)) {
        // The comma before the last member is no longer needed.
        (None, Some(comma)) if text[comma + 1..from].trim().is_empty() => {
            let only_comma = text[comma + 1..from].contains('\n');
            changed.replace_range(from..to, "");
            changed.replace_range(comma..if only_comma { comma + 1 } else { from }, "");
        }
        (None, Some(comma)) => {
            changed.replace_range(from..to, "");
            changed.replace_range(comma..=comma, "");
        }
        (Some(_), _) | (None, None) => changed.replace_range(from..to, ""),
    }
    changed
}

/// The whole line that contains this position.
fn line_at(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
    let end = text[at..].find('\n').map_or(text.len(), |it| at + it);
    &text[start..end]
}

fn starts_its_line(text: &str, at: usize) -> bool {
    match text[..at].rfind('\n') {
        Some(start) => text[start..at].trim().is_empty(),
        None => false,
    }
}
