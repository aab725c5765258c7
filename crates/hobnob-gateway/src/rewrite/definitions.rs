//! List entries on their way to clients: tools, resources, templates and prompts get public names.
//!
//! The catalogue calls these functions once per entry, when a server's lists are prepared.

use super::patch::{Member, Patch, members, quoted};
use super::results::address;
use crate::uris::PublicUris;

/// Members that are optional everywhere. Some servers write them as `null`; strict clients then
/// reject the whole list, so such a member is left out.
const OPTIONAL_MEMBERS: [&str; 11] = [
    "title",
    "description",
    "annotations",
    "outputSchema",
    "icons",
    "execution",
    "arguments",
    "mimeType",
    "size",
    "required",
    "_meta",
];

/// A tool with its public name. The addresses of its user interface (MCP Apps) become public too.
pub fn tool_entry(raw: &str, name: &str, uris: &PublicUris) -> String {
    let mut patch = Patch::new(raw);
    for member in members(raw).unwrap_or_default() {
        match &*member.key {
            "name" => patch.replace(member.value, quoted(name)),
            "_meta" => interface(&mut patch, member.value, uris),
            _ => {}
        }
    }
    without_nulls(&patch.finish())
}

/// A prompt with its public name.
pub fn prompt_entry(raw: &str, name: &str) -> String {
    let mut patch = Patch::new(raw);
    for member in members(raw).unwrap_or_default() {
        if member.key == "name" {
            patch.replace(member.value, quoted(name));
        }
    }
    without_nulls(&patch.finish())
}

/// A resource with its public address.
pub fn resource_entry(raw: &str, uris: &PublicUris) -> String {
    let mut patch = Patch::new(raw);
    address(&mut patch, raw, "uri", uris);
    without_nulls(&patch.finish())
}

/// A resource template with its public pattern.
pub fn template_entry(raw: &str, uris: &PublicUris) -> String {
    let mut patch = Patch::new(raw);
    address(&mut patch, raw, "uriTemplate", uris);
    without_nulls(&patch.finish())
}

/// Rewrites `_meta.ui.resourceUri` and its older flat spelling.
fn interface<'a>(patch: &mut Patch<'a>, meta: &'a str, uris: &PublicUris) {
    address(patch, meta, "ui/resourceUri", uris);
    for member in members(meta).unwrap_or_default() {
        if member.key == "ui" {
            address(patch, member.value, "resourceUri", uris);
        }
    }
}

fn without_nulls(raw: &str) -> String {
    let Some(parts) = members(raw) else { return raw.to_owned() };
    let empty = |part: &Member<'_>| part.value == "null" && OPTIONAL_MEMBERS.contains(&&*part.key);
    if !parts.iter().any(empty) {
        return raw.to_owned();
    }
    let kept: Vec<&str> = parts.iter().filter(|part| !empty(part)).map(|part| part.whole).collect();
    format!("{{{}}}", kept.join(","))
}

/// An entry without these members.
pub fn without_members(entry: &str, omitted: &[&str]) -> String {
    let Some(parts) = members(entry) else { return entry.to_owned() };
    let kept = parts.iter().filter(|part| !omitted.contains(&&*part.key)).map(|part| part.whole);
    format!("{{{}}}", kept.collect::<Vec<_>>().join(","))
}

/// An entry with this text under `key`; the member is added if it is missing.
pub fn with_text(entry: &str, key: &str, text: &str) -> String {
    let mut patch = Patch::new(entry);
    let mut found = false;
    for member in members(entry).unwrap_or_default() {
        if member.key == key {
            patch.replace(member.value, quoted(text));
            found = true;
        }
    }
    match found {
        true => patch.finish().into_owned(),
        false => append(entry, key, text),
    }
}

/// Appends a string member to an object.
fn append(object: &str, key: &str, value: &str) -> String {
    let Some(open) = object.trim_end().strip_suffix('}') else { return object.to_owned() };
    let comma = if open.trim_end().ends_with('{') { "" } else { "," };
    format!("{open}{comma}{}:{}}}", quoted(key), quoted(value))
}
