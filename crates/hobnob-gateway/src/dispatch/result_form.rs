//! Writes results as a profile wants them: with an explicit success, with indented data.
//!
//! `call` uses it for views whose profile sets either. Pure: text in, text out; the meaning of
//! a result does not change.

use crate::rewrite::{quoted, string_value};
use hobnob_config::Profile;
use hobnob_mcp_engine::{Answer, CallError, Outcome};
use hobnob_mcp_types::json::{elements, entries, field, object};

#[cfg(test)]
mod tests;

/// How a profile wants its results written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ResultForm {
    /// Whether `isError: false` is written out.
    pub(crate) explicit_success: bool,
    /// Whether a text that repeats the structured data gets a line for each member.
    pub(crate) indent: bool,
}

impl ResultForm {
    /// The form that a view's profile wants.
    pub(crate) fn wished(profile: Option<&Profile>) -> Self {
        profile.map_or_else(Self::default, |profile| Self {
            explicit_success: profile.errors.explicit_success,
            indent: profile.results.indent,
        })
    }

    /// Whether results pass through unchanged.
    pub(crate) fn is_usual(self) -> bool {
        self == Self::default()
    }

    /// Writes a finished tool call in this form.
    pub(crate) fn of(self, done: Result<Outcome, CallError>) -> Result<Outcome, CallError> {
        match done {
            Ok(Outcome::Complete(answer)) => Ok(Outcome::Complete(self.of_answer(answer))),
            other => other,
        }
    }

    fn of_answer(self, answer: Answer) -> Answer {
        let members = entries(&answer.body);
        let member =
            |name: &str| members.iter().find(|(key, _)| key == name).map(|(_, value)| *value);
        let content = match (self.indent, member("content"), member("structuredContent")) {
            (true, Some(content), Some(data)) => indented(content, data),
            _ => None,
        };
        let spells_success = self.explicit_success && member("isError").is_none();
        if content.is_none() && !spells_success {
            return answer;
        }
        let body = object(|object| {
            for (key, value) in &members {
                match &content {
                    Some(content) if key == "content" => object.raw(key, content),
                    _ => object.raw(key, value),
                };
            }
            if spells_success {
                object.raw("isError", "false");
            }
        });
        Answer { body, ..answer }
    }
}

/// The content with its only text indented, if that text is exactly the structured data.
fn indented(content: &str, data: &str) -> Option<String> {
    let blocks = elements(content);
    let [block] = blocks.as_slice() else { return None };
    let text = field(block, "text").and_then(string_value)?;
    if text != data {
        return None;
    }
    let value: serde_json::Value = serde_json::from_str(data).ok()?;
    let text = serde_json::to_string_pretty(&value).ok()?;
    let block = object(|object| {
        for (key, value) in &entries(block) {
            match &**key {
                "text" => object.raw(key, &quoted(&text)),
                _ => object.raw(key, value),
            };
        }
    });
    Some(format!("[{block}]"))
}
