//! Expands `${VAR}` and `${VAR:-default}` in users' texts; a [`Secret`] hides the result.
//!
//! `prepare` expands the entries of servers through here. There is one pass: the value of a
//! variable is never expanded again, and other uses of `$` stay as they are.

use std::fmt;

/// A source of the values of variables.
pub type Lookup<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// The environment of this process; a value that is not Unicode counts as unset.
pub fn process_environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// A variable that has no value and no default.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("variable `{variable}` is not set: set it, or write `${{{variable}:-default}}`")]
pub struct Unset {
    /// The name between the braces.
    pub variable: String,
}

/// A text from a configuration file after expansion, together with the original. Its `Debug` shows
/// only names of variables, so any structure that contains it may be logged.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    written: Box<str>,
    value: Box<str>,
    /// The variables in it, with their values from the environment.
    variables: Vec<Variable>,
}

/// A variable that was expanded.
#[derive(Clone, PartialEq, Eq)]
struct Variable {
    name: Box<str>,
    value: Box<str>,
}

/// A text to conceal, and what to show in its place.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Concealed {
    pub(crate) value: Box<str>,
    pub(crate) shown: Box<str>,
}

impl Secret {
    /// The value itself. Give it to the process or peer that needs it, never to a log.
    pub fn expose(&self) -> &str {
        &self.value
    }

    /// The text in the file, for the person who owns the file; literal secrets are still in it.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// The names of its variables, with `…` for all other text: safe to show anywhere.
    pub fn masked(&self) -> String {
        let mask = |part: &Part<'_>| match part {
            Part::Literal(_) => "…".to_owned(),
            Part::Variable { name, .. } => format!("${{{name}}}"),
        };
        parts(&self.written).iter().map(mask).collect()
    }

    /// The values to conceal, with their replacements; empty if the text has no variables.
    pub(crate) fn concealed(&self) -> impl Iterator<Item = Concealed> + '_ {
        let whole = (!self.variables.is_empty())
            .then(|| Concealed { value: self.value.clone(), shown: self.written.clone() });
        let parts = self.variables.iter().map(|variable| Concealed {
            value: variable.value.clone(),
            shown: format!("${{{}}}", variable.name).into(),
        });
        whole.into_iter().chain(parts)
    }

    /// The same text with another value, for a path that was made absolute.
    pub(crate) fn with_value(self, value: String) -> Self {
        Self { value: value.into(), ..self }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Secret({})", self.masked())
    }
}

/// Expands every variable of a text.
pub fn expand(written: &str, lookup: &Lookup<'_>) -> Result<Secret, Unset> {
    let mut value = String::new();
    let mut variables = Vec::new();
    let mut take = |name: &str, found: &str| {
        variables.push(Variable { name: name.into(), value: found.into() });
    };
    for part in parts(written) {
        match part {
            Part::Literal(text) => value.push_str(text),
            Part::Variable { name, default: None } => {
                let found = lookup(name).ok_or_else(|| Unset { variable: name.into() })?;
                take(name, &found);
                value.push_str(&found);
            }
            // As in a shell, an empty value counts as unset before `:-`.
            Part::Variable { name, default: Some(default) } => {
                let found = lookup(name).filter(|it| !it.is_empty());
                // A default is written in the file, so it need not be hidden.
                found.iter().for_each(|found| take(name, found));
                value.push_str(found.as_deref().unwrap_or(default));
            }
        }
    }
    Ok(Secret { written: written.into(), value: value.into(), variables })
}

enum Part<'a> {
    Literal(&'a str),
    Variable { name: &'a str, default: Option<&'a str> },
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut literal = text;
    // Where to search on: a `${` without a valid variable stays part of the literal.
    let mut from = 0;
    while let Some(found) = literal[from..].find("${") {
        let at = from + found;
        match variable(&literal[at + 2..]) {
            Some((part, rest)) => {
                if 0 < at {
                    parts.push(Part::Literal(&literal[..at]));
                }
                parts.push(part);
                literal = rest;
                from = 0;
            }
            None => from = at + 2,
        }
    }
    if !literal.is_empty() {
        parts.push(Part::Literal(literal));
    }
    parts
}

/// Parses the text after `${`: a variable, and the text after its brace.
fn variable(text: &str) -> Option<(Part<'_>, &str)> {
    let (inside, rest) = text.split_once('}')?;
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    let legal = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let is_name = name.chars().all(legal) && name.starts_with(|it: char| !it.is_ascii_digit());
    is_name.then_some((Part::Variable { name, default }, rest))
}
