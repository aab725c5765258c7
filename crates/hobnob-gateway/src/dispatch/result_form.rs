//! Results as a profile wants them written: whether a success says so, and whether data is indented.
//!
//! The router uses it for views whose profile has such wishes. Pure: text in, text out; what a result
//! means stays as it is.

use crate::rewrite::{quoted, string_value};
use hobnob_config::Profile;
use hobnob_mcp_engine::{Answer, CallError, Outcome};
use hobnob_mcp_types::json::{elements, entries, field, object};

#[cfg(test)]
mod tests;

/// What a profile wishes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ResultForm {
    /// `isError: false` is written out.
    pub(crate) explicit_success: bool,
    /// A text that is the result's data has a line for each member.
    pub(crate) indent: bool,
}

impl ResultForm {
    /// The form of a view's results.
    pub(crate) fn wished(profile: Option<&Profile>) -> Self {
        profile.map_or_else(Self::default, |profile| Self {
            explicit_success: profile.errors.explicit_success,
            indent: profile.results.indent,
        })
    }

    /// Whether results stay as they are.
    pub(crate) fn is_usual(self) -> bool {
        self == Self::default()
    }

    /// The end of a tool's call in this form.
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

/// The content with its only text indented, if that text is the data and nothing else.
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
