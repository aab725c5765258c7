//! Messages for values that do not match their schema: path, expected and received.
//!
//! `CompiledSchema` builds them only for invalid values. A message never repeats more than a few
//! words of the value.

use hobnob_text::ellipsize;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{JsonType, ValidationError, Validator};
use serde_json::Value;
use std::borrow::Cow;

/// How many problems one message lists.
const MAX_PROBLEMS: usize = 5;
/// How many characters of a value one message repeats.
const MAX_REPEATED_CHARS: usize = 40;

/// Everything that is wrong with one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueProblems {
    /// All problems in one line of text.
    pub message: String,
    /// The first few problems one by one; empty if the schema itself is at fault.
    pub list: Vec<ValueProblem>,
}

/// One problem of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueProblem {
    /// Its path, such as `arguments.filter[0].name`.
    pub path: String,
    /// What the schema expects, such as `integer`, `at least 1`, `a value` or `no such property`.
    pub expected: String,
    /// The JSON type that was received, or `nothing`.
    pub received: &'static str,
}

/// A problem together with the part of the value that its message repeats.
struct Found {
    problem: ValueProblem,
    shown: String,
}

impl Found {
    fn new(path: String, expected: impl Into<String>, value: Option<&Value>) -> Self {
        let (received, shown) = match value {
            Some(value) => (type_of(value), shown(value)),
            None => ("nothing", "nothing".to_owned()),
        };
        Self { problem: ValueProblem { path, expected: expected.into(), received }, shown }
    }

    fn line(&self) -> String {
        let ValueProblem { path, expected, .. } = &self.problem;
        format!("{path}: expected {expected}, received {}", self.shown)
    }
}

/// The problems of an invalid value that messages call `root`.
pub(crate) fn describe(validator: &Validator, value: &Value, root: &str) -> ValueProblems {
    let mut found = Vec::new();
    for error in validator.iter_errors(value) {
        explain(&error, value, root, &mut found);
        if found.len() >= MAX_PROBLEMS {
            break;
        }
    }
    found.truncate(MAX_PROBLEMS);
    let message = found.iter().map(Found::line).collect::<Vec<_>>().join("; ");
    ValueProblems { message, list: found.into_iter().map(|found| found.problem).collect() }
}

fn explain(error: &ValidationError<'_>, whole: &Value, root: &str, all: &mut Vec<Found>) {
    let place = place(root, error.instance_path());
    let value: &Value = error.instance();
    let mut unexpected = |object: &Value, name: &str| {
        let path = format!("{place}.{}", short(name));
        all.push(Found::new(path, "no such property", object.get(name)));
    };
    match error.kind() {
        Kind::AdditionalProperties { unexpected: names }
        | Kind::UnevaluatedProperties { unexpected: names } => {
            names.iter().for_each(|name| unexpected(value, name));
        }
        // An object that may have no properties: the error has the value, but not its name.
        Kind::FalseSchema if error.schema_path().as_str().ends_with("/additionalProperties") => {
            let object = whole.pointer(error.instance_path().as_str()).unwrap_or(whole);
            let names = object.as_object().into_iter().flat_map(|object| object.keys());
            names.for_each(|name| unexpected(object, name));
        }
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            all.push(Found::new(format!("{place}.{name}"), "a value", None));
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context }
            if let Some(intended) = intended(error, context) =>
        {
            intended.iter().for_each(|error| explain(error, whole, root, all));
        }
        kind => all.push(Found::new(place, expected(kind), Some(value))),
    }
}

/// The alternative that a value was meant to match: the only one of its type, or besides null.
fn intended<'a>(
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
    // For a null alternative, the crate reports only the type mismatch.
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
        Kind::Constant { expected_value } => short(&expected_value.to_string()).into_owned(),
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
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
            "a value that matches one of its alternatives".into()
        }
        Kind::OneOfMultipleValid { .. } => {
            "a value that matches exactly one of its alternatives".into()
        }
        // A foreign enum: rarer keywords, and those that later releases add, are described by name.
        other => format!("what `{}` asks for", other.keyword()),
    }
}

/// A path into the value, in the notation of most languages.
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

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The type, and a short piece of the value to help find it.
fn shown(value: &Value) -> String {
    let kind = type_of(value);
    match value {
        Value::Null | Value::Object(_) => kind.to_owned(),
        Value::Bool(_) | Value::Number(_) => format!("{kind} {value}"),
        Value::String(text) => format!("{kind} {}", Value::from(short(text))),
        Value::Array(items) => format!("{kind} of {}", items.len()),
    }
}

fn short(text: &str) -> Cow<'_, str> {
    ellipsize(text, MAX_REPEATED_CHARS)
}
