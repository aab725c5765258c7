//! Parameters on their way to upstreams: public names and addresses become the upstream's own.
//!
//! The router calls these functions before it forwards a completion.

use super::patch::{Patch, members, quoted, string_value};
use std::borrow::Cow;

/// The entry that a `completion/complete` is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompletionTarget<'a> {
    /// A prompt, by its public name.
    Prompt(Cow<'a, str>),
    /// The address of a resource, or the pattern of a template.
    Resource(Cow<'a, str>),
}

/// Reads `ref` from the parameters of `completion/complete`; `None` if it is not a known reference.
pub fn completion_target(params: &str) -> Option<CompletionTarget<'_>> {
    let (kind, value) = reference(params)?;
    let text = string_value(value)?;
    match kind {
        Kind::Prompt => Some(CompletionTarget::Prompt(text)),
        Kind::Resource => Some(CompletionTarget::Resource(text)),
    }
}

/// Replaces the name or address in `ref` by the upstream's own.
pub fn with_completion_target<'a>(params: &'a str, original: &str) -> Cow<'a, str> {
    let mut patch = Patch::new(params);
    if let Some((_, value)) = reference(params) {
        patch.replace(value, quoted(original));
    }
    patch.finish()
}

/// Replaces the string under a key that the object has: `name` of a call, `uri` of a read.
pub fn with_string<'a>(object: &'a str, key: &str, value: &str) -> Cow<'a, str> {
    let mut patch = Patch::new(object);
    for member in members(object).unwrap_or_default() {
        if member.key == key {
            patch.replace(member.value, quoted(value));
        }
    }
    patch.finish()
}

/// The parameters of the call that this call's arguments describe as `{name, arguments}`; `None` if
/// they describe no call.
pub fn described_call(params: &str) -> Option<String> {
    let outer = members(params)?;
    let find = |key: &str| outer.iter().find(|member| member.key == key).map(|it| it.value);
    let (name, given) = (find("name")?, find("arguments")?);
    let (mut target, mut arguments) = (None, None);
    for member in members(given)? {
        let place = match &*member.key {
            "name" if string_value(member.value).is_some() => &mut target,
            "arguments" if member.value == "null" => continue,
            "arguments" if member.value.starts_with('{') => &mut arguments,
            _ => return None,
        };
        if place.replace(member.value).is_some() {
            return None;
        }
    }
    let mut patch = Patch::new(params);
    patch.replace(name, target?.to_owned());
    patch.replace(given, arguments.unwrap_or("{}").to_owned());
    Some(patch.finish().into_owned())
}

enum Kind {
    Prompt,
    Resource,
}

/// The kind of the reference, and the JSON value that names its target.
fn reference(params: &str) -> Option<(Kind, &str)> {
    let whole = members(params)?.into_iter().find(|member| member.key == "ref")?;
    let parts = members(whole.value)?;
    let find = |key: &str| parts.iter().find(|part| part.key == key).map(|part| part.value);
    match &*string_value(find("type")?)? {
        "ref/prompt" => Some((Kind::Prompt, find("name")?)),
        "ref/resource" => Some((Kind::Resource, find("uri")?)),
        _ => None,
    }
}
