//! Tools and prompts that accept fewer arguments in a view than at their server.
//!
//! `arrange` narrows the listed entries; the router refuses calls with other arguments.

use super::patch::{Patch, members, string_value};
use hobnob_mcp_types::json::{elements, field};

/// Why arguments cannot be narrowed as a profile wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    /// The profile keeps this argument, but the entry has none of this name.
    Missing(Box<str>),
    /// The profile removes this argument, but the entry requires it.
    Needed(Box<str>),
}

/// A tool's entry whose input schema has only these properties, in this order.
pub fn narrowed_tool(entry: &str, keep: &[Box<str>]) -> Result<String, Unfit> {
    let schema = field(entry, "inputSchema").unwrap_or("{}");
    let properties = members(field(schema, "properties").unwrap_or("{}")).unwrap_or_default();
    let names = || properties.iter().map(|property| &*property.key);
    let required = elements(field(schema, "required").unwrap_or("[]"));
    let required = required.into_iter().filter_map(string_value);
    check(names(), required, keep)?;
    let find = |name: &str| properties.iter().find(|property| property.key == name);
    let kept = keep.iter().filter_map(|name| Some(find(name)?.whole));
    let kept: Vec<&str> = kept.collect();
    let mut patch = Patch::new(entry);
    if let Some(old) = field(schema, "properties") {
        patch.replace(old, format!("{{{}}}", kept.join(",")));
    }
    Ok(patch.finish().into_owned())
}

/// A prompt's entry with only these arguments, in this order.
pub fn narrowed_prompt(entry: &str, keep: &[Box<str>]) -> Result<String, Unfit> {
    let list = field(entry, "arguments").unwrap_or("[]");
    let name = |argument: &str| string_value(field(argument, "name")?).map(|it| it.into_owned());
    let arguments: Vec<(String, &str)> =
        elements(list).into_iter().filter_map(|one| Some((name(one)?, one))).collect();
    let needed = arguments.iter().filter(|(_, one)| field(one, "required") == Some("true"));
    let needed = needed.map(|(name, _)| name.as_str().into());
    check(arguments.iter().map(|(name, _)| name.as_str()), needed, keep)?;
    let find = |wanted: &str| arguments.iter().find(|(name, _)| name == wanted);
    let kept = keep.iter().filter_map(|name| Some(find(name)?.1));
    let kept: Vec<&str> = kept.collect();
    let mut patch = Patch::new(entry);
    if let Some(old) = field(entry, "arguments") {
        patch.replace(old, format!("[{}]", kept.join(",")));
    }
    Ok(patch.finish().into_owned())
}

/// The first of these arguments (JSON text) that is not in `keep`: its name, and its value as JSON.
pub fn excess_argument<'a>(arguments: &'a str, keep: &[Box<str>]) -> Option<(String, &'a str)> {
    let mut given = members(arguments)?.into_iter();
    given.find(|one| !is_kept(&one.key, keep)).map(|one| (one.key.into_owned(), one.value))
}

fn check<'a, 'b>(
    names: impl Iterator<Item = &'a str> + Clone,
    mut required: impl Iterator<Item = std::borrow::Cow<'b, str>>,
    keep: &[Box<str>],
) -> Result<(), Unfit> {
    let missing = keep.iter().find(|wanted| !names.clone().any(|name| name == &***wanted));
    if let Some(missing) = missing {
        return Err(Unfit::Missing(missing.clone()));
    }
    match required.find(|needed| !is_kept(needed, keep)) {
        Some(needed) => Err(Unfit::Needed(needed.as_ref().into())),
        None => Ok(()),
    }
}

fn is_kept(name: &str, keep: &[Box<str>]) -> bool {
    keep.iter().any(|kept| **kept == *name)
}
