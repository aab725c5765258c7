//! Detects the layout of a JSON file, and formats new values in it. `json_text` inserts them.
//!
//! What must stay true: a file on one line stays on one line, and its line breaks stay the same.

use serde_json::Value;

/// The layout of a text, as far as it matters for new members.
pub(super) struct JsonLayout {
    lines: LineStyle,
    newline: &'static str,
    /// One step of indentation.
    unit: String,
    /// The white space that follows a colon or a comma on the same line.
    gap: &'static str,
}

/// Whether members have lines of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineStyle {
    Several,
    One,
}

impl JsonLayout {
    /// The layout of a text whose comments are blanked out.
    pub(super) fn of(plain: &str) -> Self {
        let newline = if plain.contains("\r\n") { "\r\n" } else { "\n" };
        let body = plain.trim();
        let lines = match body.contains('\n') || body.len() <= "{ }".len() {
            true => LineStyle::Several,
            false => LineStyle::One,
        };
        let unit = plain.lines().find_map(|line| {
            let indent = indent_of(line);
            (!indent.is_empty() && indent.len() < line.trim_end().len()).then(|| indent.to_owned())
        });
        let gap = if body.contains("\":") && !body.contains("\": ") { "" } else { " " };
        Self { lines, newline, unit: unit.unwrap_or_else(|| "  ".into()), gap }
    }

    pub(super) fn is_on_one_line(&self) -> bool {
        self.lines == LineStyle::One
    }

    /// A line break and this indentation.
    pub(super) fn line(&self, indent: &str) -> String {
        format!("{}{indent}", self.newline)
    }

    pub(super) fn deeper(&self, indent: &str) -> String {
        format!("{indent}{}", self.unit)
    }

    pub(super) fn gap(&self) -> &'static str {
        self.gap
    }

    /// A key and its value, at this indentation.
    pub(super) fn member(&self, key: &str, value: &Value, indent: &str) -> String {
        format!("{}:{}{}", Value::from(key), self.gap, self.value(value, indent))
    }

    /// A value; objects have a line for each member, lists have one line.
    pub(super) fn value(&self, value: &Value, indent: &str) -> String {
        let between = format!(",{}", self.gap);
        match value {
            Value::Object(members) if members.is_empty() => "{}".into(),
            Value::Object(members) if self.is_on_one_line() => {
                let parts = members.iter().map(|(key, value)| self.member(key, value, indent));
                format!("{{{}}}", parts.collect::<Vec<_>>().join(&between))
            }
            Value::Object(members) => {
                let inside = self.deeper(indent);
                let line = self.line(&inside);
                let parts = members
                    .iter()
                    .map(|(key, value)| format!("{line}{}", self.member(key, value, &inside)));
                let parts: Vec<String> = parts.collect();
                format!("{{{}{}}}", parts.join(","), self.line(indent))
            }
            Value::Array(items) => {
                let parts: Vec<_> = items.iter().map(|item| self.value(item, indent)).collect();
                format!("[{}]", parts.join(&between))
            }
            plain => plain.to_string(),
        }
    }
}

/// The white space at the start of a line.
pub(super) fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}
