//! Results on their way to clients: an upstream's addresses become public.
//!
//! Addresses are replaced only where the protocol has one; the contents of a `text` stay untouched.

use super::patch::{Patch, hides_words, members, quoted, string_value};
use crate::uris::PublicUris;
use hobnob_mcp_types::json::elements;
use memchr::memmem::Finder;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Rewrites a result of `tools/call`.
pub fn call_result<'a>(body: &'a str, uris: &PublicUris) -> Cow<'a, str> {
    if !may_name_resources(body) {
        return Cow::Borrowed(body);
    }
    let mut patch = Patch::new(body);
    for member in members(body).unwrap_or_default() {
        if member.key == "content" {
            content(&mut patch, member.value, uris);
        }
    }
    patch.finish()
}

/// Rewrites a result of `prompts/get`.
pub fn prompt_result<'a>(body: &'a str, uris: &PublicUris) -> Cow<'a, str> {
    if !may_name_resources(body) {
        return Cow::Borrowed(body);
    }
    let mut patch = Patch::new(body);
    let messages = members(body).unwrap_or_default().into_iter();
    for messages in messages.filter(|member| member.key == "messages") {
        for message in elements(messages.value) {
            for part in members(message).unwrap_or_default() {
                if part.key == "content" {
                    content(&mut patch, part.value, uris);
                }
            }
        }
    }
    patch.finish()
}

/// Rewrites a result of `resources/read`.
pub fn read_result<'a>(body: &'a str, uris: &PublicUris) -> Cow<'a, str> {
    let mut patch = Patch::new(body);
    for member in members(body).unwrap_or_default() {
        if member.key == "contents" {
            for part in elements(member.value) {
                address(&mut patch, part, "uri", uris);
            }
        }
    }
    patch.finish()
}

/// Quick check: both kinds of block with an address have a `type` that begins with this.
fn may_name_resources(body: &str) -> bool {
    static RESOURCE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"resource"));
    RESOURCE.find(body.as_bytes()).is_some() || hides_words(body)
}

/// Rewrites one block or a list of blocks.
fn content<'a>(patch: &mut Patch<'a>, value: &'a str, uris: &PublicUris) {
    if value.starts_with('[') {
        for block in elements(value) {
            self::block(patch, block, uris);
        }
    } else {
        block(patch, value, uris);
    }
}

fn block<'a>(patch: &mut Patch<'a>, block: &'a str, uris: &PublicUris) {
    let Some(parts) = members(block) else { return };
    let kind = parts.iter().find(|part| part.key == "type");
    match kind.and_then(|kind| string_value(kind.value)).as_deref() {
        Some("resource_link") => address(patch, block, "uri", uris),
        Some("resource") => {
            if let Some(resource) = parts.iter().find(|part| part.key == "resource") {
                address(patch, resource.value, "uri", uris);
            }
        }
        _ => {}
    }
}

/// Makes the address under `key` of an object public.
pub(super) fn address<'a>(patch: &mut Patch<'a>, object: &'a str, key: &str, uris: &PublicUris) {
    for member in members(object).unwrap_or_default() {
        if member.key == key
            && let Some(original) = string_value(member.value)
        {
            patch.replace(member.value, quoted(&uris.public(&original)));
        }
    }
}
