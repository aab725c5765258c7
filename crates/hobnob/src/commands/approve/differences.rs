//! The differences between two definitions of a tool, in terms that a user can judge.
//!
//! Both definitions are canonical, so the order of members makes no difference.

use hobnob_terminal::render::signed_lines;
use serde::Serialize;
use serde_json::{Map, Value};

/// One way in which a tool differs from what was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Difference {
    /// What is different, such as ``parameter `path`: description``.
    pub(super) part: String,
    /// What it was; nothing if it is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<Value>,
    /// What it is now; nothing if it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) after: Option<Value>,
}

/// All differences, in the order of the definition's members.
pub(super) fn differences(before: &Value, after: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(&Place::default(), Some(before), Some(after), &mut found);
    found
}

/// The differences as lines: `-` for what was, `+` for what is.
pub(super) fn to_lines(differences: &[Difference]) -> Vec<String> {
    let mut lines = Vec::new();
    for Difference { part, before, after } in differences {
        match (before, after) {
            (Some(Value::String(before)), Some(Value::String(after))) => {
                lines.push(format!("{part}:"));
                for (sign, line) in signed_lines(before, after) {
                    lines.push(format!("  {sign} {}", line.trim_end_matches('\n')));
                }
            }
            (before, after) => {
                let state = match (before, after) {
                    (None, _) => " (new)",
                    (_, None) => " (removed)",
                    _ => "",
                };
                lines.push(format!("{part}{state}:"));
                lines.extend(before.iter().map(|it| format!("  - {}", shown(it))));
                lines.extend(after.iter().map(|it| format!("  + {}", shown(it))));
            }
        }
    }
    lines
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.replace('\n', "\n      "),
        other => other.to_string(),
    }
}

/// A position within a definition, as the user sees it.
#[derive(Debug, Clone, Default)]
struct Place {
    words: Vec<String>,
    /// The next key is the name of a parameter.
    names_follow: bool,
}

impl Place {
    fn inside(&self, key: &str) -> Self {
        let mut words = self.words.clone();
        if self.names_follow {
            words.push(format!("parameter `{key}`"));
            return Self { words, names_follow: false };
        }
        match (key, words.is_empty()) {
            // Nearly everything is in there, so it is not mentioned.
            ("inputSchema", true) => {}
            ("properties", _) => return Self { words, names_follow: true },
            _ => words.push(key.to_owned()),
        }
        Self { words, names_follow: false }
    }

    fn shown(&self) -> String {
        if self.words.is_empty() { "inputSchema".into() } else { self.words.join(": ") }
    }
}

fn compare(
    place: &Place,
    before: Option<&Value>,
    after: Option<&Value>,
    found: &mut Vec<Difference>,
) {
    if before == after {
        return;
    }
    let none = Map::new();
    let members = match (before, after) {
        (Some(Value::Object(before)), Some(Value::Object(after))) => Some((before, after)),
        // Parameters that are all added or removed at once are listed one by one.
        (Some(Value::Object(before)), None) if place.names_follow => Some((before, &none)),
        (None, Some(Value::Object(after))) if place.names_follow => Some((&none, after)),
        _ => None,
    };
    let Some((before_members, after_members)) = members else {
        let (before, after) = (before.cloned(), after.cloned());
        found.push(Difference { part: place.shown(), before, after });
        return;
    };
    let new = after_members.keys().filter(|key| !before_members.contains_key(*key));
    for key in before_members.keys().chain(new) {
        compare(&place.inside(key), before_members.get(key), after_members.get(key), found);
    }
}

#[cfg(test)]
mod tests;
