//! Arguments that a modern HTTP client repeats in `Mcp-Param-*` headers.
//!
//! Spec 2026-07-28, transports: an intermediary may act on a header, so a server that reads the
//! body must find the same value there. A schema marks such arguments with `x-mcp-header`.

use hobnob_mcp_engine::{CallError, MirroredParam};
use serde_json::Value;

const KEYWORD: &str = "x-mcp-header";

/// An argument that its schema marks with `x-mcp-header`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mirror {
    /// The part of the header's name after `Mcp-Param-`, in lower case.
    header: Box<str>,
    /// The argument's path in the arguments object.
    path: Vec<Box<str>>,
}

/// The marked arguments of a schema; fails with a message if a mark is misplaced.
pub(crate) fn collect(schema: &Value) -> Result<Vec<Mirror>, String> {
    let mut mirrors = Vec::new();
    collect_under(schema, &mut Vec::new(), &mut mirrors)?;
    if count(schema) != mirrors.len() {
        return Err(format!(
            "`{KEYWORD}` may only be on properties reached through `properties` alone"
        ));
    }
    Ok(mirrors)
}

fn collect_under(
    schema: &Value,
    path: &mut Vec<Box<str>>,
    mirrors: &mut Vec<Mirror>,
) -> Result<(), String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        path.push(name.as_str().into());
        if let Some(mark) = property.get(KEYWORD) {
            let mirror = Mirror { header: header(name, mark, property)?, path: path.clone() };
            if mirrors.iter().any(|other| other.header == mirror.header) {
                return Err(format!("`{KEYWORD}` `{}` is used twice", mirror.header));
            }
            mirrors.push(mirror);
        }
        collect_under(property, path, mirrors)?;
        path.pop();
    }
    Ok(())
}

fn header(name: &str, mark: &Value, property: &Value) -> Result<Box<str>, String> {
    let token = mark.as_str().filter(|mark| !mark.is_empty() && mark.bytes().all(is_token));
    let token =
        token.ok_or_else(|| format!("`{KEYWORD}` of property `{name}` must be a header name"))?;
    match property.get("type").and_then(Value::as_str) {
        Some("string" | "integer" | "boolean") => Ok(token.to_ascii_lowercase().into()),
        _ => Err(format!(
            "property `{name}` has `{KEYWORD}` and must be a string, an integer or a boolean"
        )),
    }
}

/// RFC 9110, section 5.6.2.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// The number of marks anywhere in a schema.
fn count(value: &Value) -> usize {
    match value {
        Value::Object(members) => {
            let here = members.get(KEYWORD).is_some_and(Value::is_string);
            usize::from(here) + members.values().map(count).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Compares the headers of a request with the arguments that they repeat.
pub(crate) fn check(
    mirrors: &[Mirror],
    arguments: &Value,
    headers: &[MirroredParam],
) -> Result<(), CallError> {
    for mirror in mirrors {
        let argument = mirror.path.iter().try_fold(arguments, |value, key| value.get(&**key));
        let argument = argument.filter(|value| !value.is_null());
        let same_name = headers.iter().filter(|header| header.name == mirror.header);
        let mut given = same_name.map(|header| header.value.as_deref());
        let problem = match argument {
            None if given.next().is_some() => "repeats an argument that is not there",
            None => continue,
            Some(argument) => match given.next() {
                None => "is missing",
                Some(None) => "cannot be decoded",
                Some(Some(text)) if !is_same(argument, text) || given.next().is_some() => {
                    "differs from the argument it repeats"
                }
                Some(Some(_)) => continue,
            },
        };
        let message = format!("the header Mcp-Param-{} {problem}", mirror.header);
        return Err(CallError::Header(message.into()));
    }
    Ok(())
}

fn is_same(argument: &Value, text: &str) -> bool {
    match argument {
        Value::String(own) => own == text,
        Value::Bool(own) => text == if *own { "true" } else { "false" },
        Value::Number(own) => match (own.as_i64(), text.parse::<i64>()) {
            (Some(own), Ok(given)) => own == given,
            // A header may write an integer with a fraction or an exponent.
            _ => {
                own.as_f64().zip(text.parse::<f64>().ok()).is_some_and(|(own, given)| own == given)
            }
        },
        // Such a value cannot be repeated in a header; the schema check will refuse it.
        Value::Null | Value::Array(_) | Value::Object(_) => true,
    }
}
