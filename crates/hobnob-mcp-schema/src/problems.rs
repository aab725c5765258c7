//! What to say about a value that does not fit: the place, what was expected and what came.
//!
//! `CompiledSchema` calls it only for values that are wrong. A message never repeats more than a few
//! words of the value.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{JsonType, ValidationError, Validator};
use serde_json::Value;

/// How many problems one message lists.
const MAX_PROBLEMS: usize = 5;
/// How many characters of a value a message repeats.
const MAX_REPEATED: usize = 40;

/// What is wrong with a value that does not fit, called `root` in the message.
pub(crate) fn describe(validator: &Validator, value: &Value, root: &str) -> String {
    let mut lines = Vec::new();
    for error in validator.iter_errors(value) {
        explain(&error, value, root, &mut lines);
        if lines.len() >= MAX_PROBLEMS {
            break;
        }
    }
    lines.truncate(MAX_PROBLEMS);
    lines.join("; ")
}

fn explain(error: &ValidationError<'_>, whole: &Value, root: &str, lines: &mut Vec<String>) {
    let place = place(root, error.instance_path());
    let value: &Value = error.instance();
    let mut unexpected = |object: &Value, name: &str| {
        let value = object.get(name).map(received).unwrap_or_default();
        let name = short(name);
        lines.push(format!("{place}.{name}: expected no such property, received {value}"));
    };
    match error.kind() {
        Kind::AdditionalProperties { unexpected: names }
        | Kind::UnevaluatedProperties { unexpected: names } => {
            names.iter().for_each(|name| unexpected(value, name));
        }
        // A closed object without any properties: the error shows the value, but not its name.
        Kind::FalseSchema if error.schema_path().as_str().ends_with("/additionalProperties") => {
            let object = whole.pointer(error.instance_path().as_str()).unwrap_or(whole);
            let names = object.as_object().into_iter().flat_map(|object| object.keys());
            names.for_each(|name| unexpected(object, name));
        }
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            lines.push(format!("{place}.{name}: expected a value, received nothing"));
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context }
            if let Some(meant) = meant(error, context) =>
        {
            meant.iter().for_each(|error| explain(error, whole, root, lines));
        }
        kind => {
            let expected = expected(kind);
            lines.push(format!("{place}: expected {expected}, received {}", received(value)));
        }
    }
}

/// The one form a value was meant to have: the only one of its type, or the only one but null.
fn meant<'a>(
    error: &ValidationError<'_>,
    forms: &'a [Vec<ValidationError<'static>>],
) -> Option<&'a [ValidationError<'static>]> {
    let is_other_type = |problem: &ValidationError<'_>| {
        matches!(problem.kind(), Kind::Type { .. })
            && problem.instance_path() == error.instance_path()
    };
    let mut near = forms.iter().filter(|problems| !problems.iter().any(is_other_type));
    if let Some(first) = near.next() {
        return near.next().is_none().then_some(first);
    }
    // The crate tells of a `null` form nothing but that the value is of another type.
    let is_null = |problem: &ValidationError<'_>| {
        matches!(problem.kind(), Kind::Type { kind: TypeKind::Single(JsonType::Null) })
    };
    let is_null_form =
        |problems: &[_]| matches!(problems, [one] if is_other_type(one) && is_null(one));
    match forms {
        [other, null] | [null, other] if is_null_form(null) => Some(other),
        _ => None,
    }
}

fn expected(kind: &Kind) -> String {
    match kind {
        Kind::Type { kind: TypeKind::Single(one) } => one.to_string(),
        Kind::Type { kind: TypeKind::Multiple(set) } => {
            set.iter().map(|one| one.to_string()).collect::<Vec<_>>().join(" or ")
        }
        Kind::Enum { options } => format!("one of {}", short(&options.to_string())),
        Kind::Constant { expected_value } => short(&expected_value.to_string()),
        Kind::Minimum { limit } => format!("at least {limit}"),
        Kind::Maximum { limit } => format!("at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("at least {limit} characters"),
        Kind::MaxLength { limit } => format!("at most {limit} characters"),
        Kind::MinItems { limit } => format!("at least {limit} items"),
        Kind::MaxItems { limit } => format!("at most {limit} items"),
        Kind::MinProperties { limit } => format!("at least {limit} properties"),
        Kind::MaxProperties { limit } => format!("at most {limit} properties"),
        Kind::Pattern { pattern } => format!("text matching {}", short(pattern)),
        Kind::Format { format } => format!("text in the format {format}"),
        Kind::UniqueItems => "items that all differ".into(),
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => "one of the forms it may have".into(),
        Kind::OneOfMultipleValid { .. } => "exactly one of the forms it may have".into(),
        // Not our enum: rarer keywords, and ones that a later release adds, go by their name.
        other => format!("what `{}` asks for", other.keyword()),
    }
}

/// A place in the value, in the notation that most languages share.
fn place(root: &str, path: &Location) -> String {
    let mut place = root.to_owned();
    for segment in path.segments() {
        match segment {
            LocationSegment::Property(name) => {
                place.push('.');
                place.push_str(&short(&name));
            }
            LocationSegment::Index(index) => place.push_str(&format!("[{index}]")),
        }
    }
    place
}

fn received(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(flag) => format!("boolean {flag}"),
        Value::Number(number) if number.is_f64() => format!("number {number}"),
        Value::Number(number) => format!("integer {number}"),
        Value::String(text) => format!("string {}", Value::from(short(text))),
        Value::Array(items) => format!("array of {}", items.len()),
        Value::Object(_) => "object".into(),
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(MAX_REPEATED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
