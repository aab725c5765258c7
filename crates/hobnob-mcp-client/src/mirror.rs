//! Which arguments of a tool are repeated in `Mcp-Param-*` headers, and with what value.
//!
//! `Client` and the gateway read a [`HeaderPlan`] from each tool's input schema and leave out tools
//! with an invalid one. Before a call they pass the plan to [`mirror`], and the call carries the
//! result to the transport. Spec 2026-07-28, transports: the marks are `x-mcp-header` keywords.

use hobnob_mcp_types::json::{field, unescape};
use serde_json::{Map, Value};

/// The keyword that marks a property.
const MARK: &str = "x-mcp-header";

/// Keywords whose value is one schema, or a list of schemas.
const SCHEMA_KEYWORDS: [&str; 16] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Keywords whose value is an object of schemas.
const SCHEMA_MAP_KEYWORDS: [&str; 5] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// What one tool's input schema says about headers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum HeaderPlan {
    /// No argument is marked, so none is mirrored.
    #[default]
    None,
    /// These arguments are mirrored; never empty.
    Mirror(Vec<MirroredArgument>),
    /// The marks break a rule, so the tool must not be offered over modern HTTP; holds the reason.
    Invalid(Box<str>),
}

/// One argument that is repeated in a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirroredArgument {
    /// The part of the header's name after `Mcp-Param-`.
    pub header: Box<str>,
    /// The keys that lead from the arguments to the value.
    pub path: Vec<Box<str>>,
}

impl HeaderPlan {
    /// Reads the marks of an input schema.
    pub fn of(input_schema: &str) -> Self {
        // An escape may hide the keyword; hardly any schema contains the keyword or a `\u`.
        let bytes = input_schema.as_bytes();
        let marked = memchr::memmem::find(bytes, MARK.as_bytes()).is_some();
        if !marked && memchr::memmem::find(bytes, b"\\u").is_none() {
            return Self::None;
        }
        let Ok(Value::Object(root)) = serde_json::from_str(input_schema) else {
            return Self::None;
        };
        let mut found = Vec::new();
        let read = if root.contains_key(MARK) {
            Err(format!("`{MARK}` stands on the schema itself instead of a property"))
        } else {
            read_reachable(&root, &mut Vec::new(), &mut found)
        };
        match read {
            Err(reason) => Self::Invalid(reason.into()),
            Ok(()) if found.is_empty() => Self::None,
            Ok(()) => Self::Mirror(found),
        }
    }
}

/// The headers for a call with these arguments (JSON text): the part of each name after
/// `Mcp-Param-`, and the value before any header encoding. `null` and absent values have no header.
pub fn mirror(plan: &HeaderPlan, arguments: &str) -> Vec<(Box<str>, String)> {
    let HeaderPlan::Mirror(mirrored) = plan else {
        return Vec::new();
    };
    let header = |argument: &MirroredArgument| {
        let leaf = argument.path.iter().try_fold(arguments, |object, key| field(object, key))?;
        Some((argument.header.clone(), header_text(leaf)?))
    };
    mirrored.iter().filter_map(header).collect()
}

/// A scalar as header text; arrays and objects have none, because the server refuses them anyway.
fn header_text(raw: &str) -> Option<String> {
    match raw.as_bytes().first()? {
        b'"' => {
            let inside = raw.strip_prefix('"')?.strip_suffix('"')?;
            unescape(inside).map(|text| text.into_owned())
        }
        b't' | b'f' => Some(raw.to_owned()),
        b'n' | b'{' | b'[' => None,
        _ => Some(decimal(raw)),
    }
}

/// A number in plain decimal digits: in JSON Schema, `5.0` and `5e0` are the integer 5.
fn decimal(raw: &str) -> String {
    const EXACT: f64 = 9_007_199_254_740_991.0;
    if !raw.contains(['.', 'e', 'E']) {
        return raw.to_owned();
    }
    match raw.parse::<f64>() {
        Ok(number) if number.fract() == 0.0 && number.abs() <= EXACT => (number as i64).to_string(),
        _ => raw.to_owned(),
    }
}

/// Collects the marks below a schema to which only `properties` lead.
fn read_reachable(
    schema: &Map<String, Value>,
    path: &mut Vec<Box<str>>,
    found: &mut Vec<MirroredArgument>,
) -> Result<(), String> {
    for (keyword, value) in schema {
        let Some(properties) = value.as_object().filter(|_| keyword == "properties") else {
            refuse_inside(keyword, value)?;
            continue;
        };
        for (name, property) in properties {
            let Some(property) = property.as_object() else { continue };
            path.push(name.as_str().into());
            if let Some(mark) = property.get(MARK) {
                let header = check_mark(mark, property, path, found)?;
                found.push(MirroredArgument { header, path: path.clone() });
            }
            read_reachable(property, path, found)?;
            path.pop();
        }
    }
    Ok(())
}

/// The header name of a mark, if the mark obeys all rules.
fn check_mark(
    mark: &Value,
    property: &Map<String, Value>,
    path: &[Box<str>],
    found: &[MirroredArgument],
) -> Result<Box<str>, String> {
    let place = path.join(".");
    let Some(name) = mark.as_str().filter(|name| is_token(name)) else {
        return Err(format!("`{MARK}` of property `{place}` is not a header name"));
    };
    if found.iter().any(|other| other.header.eq_ignore_ascii_case(name)) {
        return Err(format!("two properties claim the header `Mcp-Param-{name}`"));
    }
    let scalar = |kind: &Value| matches!(kind.as_str(), Some("string" | "integer" | "boolean"));
    if !property.get("type").is_some_and(scalar) {
        return Err(format!(
            "property `{place}` has `{MARK}` but is not a string, an integer or a boolean"
        ));
    }
    Ok(name.into())
}

/// Refuses marks on values whose place in the arguments is not certain.
fn refuse_inside(keyword: &str, value: &Value) -> Result<(), String> {
    let schemas: Vec<&Value> = match value {
        Value::Object(named) if SCHEMA_MAP_KEYWORDS.contains(&keyword) => named.values().collect(),
        Value::Object(_) if SCHEMA_KEYWORDS.contains(&keyword) => vec![value],
        Value::Array(list) if SCHEMA_KEYWORDS.contains(&keyword) => list.iter().collect(),
        _ => return Ok(()),
    };
    for schema in schemas.into_iter().filter_map(Value::as_object) {
        if schema.contains_key(MARK) {
            return Err(format!(
                "`{MARK}` stands under `{keyword}`, where only `properties` may lead to it"
            ));
        }
        for (inner, value) in schema {
            refuse_inside(inner, value)?;
        }
    }
    Ok(())
}

/// Whether the text is a token (RFC 9110, section 5.6.2).
fn is_token(text: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(legal)
}

#[cfg(test)]
mod tests;
