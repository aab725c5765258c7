//! Keys and values in two columns, as `add` and `remove` print what they did.
//!
//! What must stay true: values are made safe for terminals.

use super::safe::safe;
use super::tone::{Tone, paint};

/// Keys and values under each other; values of several lines stay indented.
#[derive(Debug, Default)]
pub struct Block(Vec<(String, String)>);

impl Block {
    /// A block without lines.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a line; the value may have line breaks.
    pub fn pair(&mut self, key: &str, value: &str) -> &mut Self {
        self.0.push((safe(key).into_owned(), safe(value).into_owned()));
        self
    }

    /// Adds a line if there is a value.
    pub fn maybe(&mut self, key: &str, value: Option<&str>) -> &mut Self {
        if let Some(value) = value {
            self.pair(key, value);
        }
        self
    }

    /// The whole block, with a line break at the end.
    pub fn to_text(&self) -> String {
        let widest = self.0.iter().map(|(key, _)| key.chars().count()).max().unwrap_or(0);
        let mut text = String::new();
        for (key, value) in &self.0 {
            let mut lines = value.lines();
            let padding = " ".repeat(widest - key.chars().count());
            let first = lines.next().unwrap_or_default();
            text.push_str(&format!("{}{padding}  {first}", paint(Tone::Dim, key)));
            text.truncate(text.trim_end().len());
            text.push('\n');
            for line in lines {
                text.push_str(&format!("{}  {line}\n", " ".repeat(widest)));
            }
        }
        text
    }
}
