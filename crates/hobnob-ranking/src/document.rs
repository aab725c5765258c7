//! The indexed words of one tool, by field.
//!
//! The owner of a catalogue makes one document per tool. The number of words is limited, so that no
//! definition, however long, makes an index large.

use crate::intent::Intent;
use crate::words::{parts, terms};
use serde_json::Value;

/// A field of a tool. The order is that of the weights in `index`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolField {
    Name,
    Title,
    /// The first sentence of the description.
    Lead,
    Description,
    Argument,
    /// The schema's descriptions of arguments.
    ArgumentText,
    Server,
}

impl ToolField {
    pub(crate) const ALL: [Self; 7] = [
        Self::Name,
        Self::Title,
        Self::Lead,
        Self::Description,
        Self::Argument,
        Self::ArgumentText,
        Self::Server,
    ];
}

/// Maximum number of indexed words per field.
const WORD_LIMIT: usize = 600;

/// Bytes of a description that are read.
const TEXT_LIMIT: usize = 16 * 1024;

/// Bytes after a description's first sentence that are embedded.
const EMBEDDED_REST: usize = 150;

/// Maximum nesting of objects in a schema, and maximum number of arguments.
const DEPTH_LIMIT: usize = 5;
const ARGUMENT_LIMIT: usize = 200;

/// One tool, ready to be indexed.
#[derive(Debug, Clone)]
pub struct ToolDocument {
    pub(crate) name: String,
    /// The name without the prefix that a hub added.
    pub(crate) own_name: String,
    /// What the tool does, if its name has a known verb.
    pub(crate) intent: Option<Intent>,
    pub(crate) terms: [Vec<String>; ToolField::ALL.len()],
    /// The text to embed.
    text: String,
}

impl ToolDocument {
    /// Reads a tool from its definition as servers list it: `name`, `title`, `description` and
    /// `inputSchema`. A missing member or one of another type counts as empty. `server` is the name
    /// of the server, which may also prefix the tool's name.
    pub fn from_definition(server: &str, definition: &Value) -> Self {
        let member = |key: &str| definition.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = own_name(server, member("name"));
        let description = start_of(member("description"), TEXT_LIMIT);
        let (lead, rest) = first_sentence(description);
        let mut arguments = Arguments::default();
        arguments.read(definition.get("inputSchema").unwrap_or(&Value::Null), 0);
        let mut document = Self {
            name: member("name").to_owned(),
            own_name: name.to_owned(),
            intent: Intent::of_name(&parts(name)),
            terms: Default::default(),
            text: embedding_text(server, name, member("title"), lead, rest),
        };
        document.set(ToolField::Name, terms(name));
        document.set(ToolField::Title, terms(member("title")));
        document.set(ToolField::Lead, terms(lead));
        document.set(ToolField::Description, terms(rest));
        document
            .set(ToolField::Argument, arguments.names.iter().flat_map(|it| terms(it)).collect());
        document.set(ToolField::ArgumentText, arguments.words);
        document.set(ToolField::Server, terms(server));
        document
    }

    /// The text to embed for this tool, for a caller that has an embedding model.
    pub fn embedding_text(&self) -> &str {
        &self.text
    }

    fn set(&mut self, field: ToolField, mut words: Vec<String>) {
        words.truncate(WORD_LIMIT);
        self.terms[field as usize] = words;
    }
}

/// The name without a hub's prefix: `mcp__git__git_status` becomes `git_status`.
fn own_name<'a>(server: &str, name: &'a str) -> &'a str {
    let name = name.strip_prefix("mcp__").unwrap_or(name);
    let rest = name.strip_prefix(server).and_then(|rest| rest.strip_prefix("__"));
    rest.filter(|rest| !rest.is_empty()).unwrap_or(name)
}

fn first_sentence(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let ends = text.char_indices().zip(text.char_indices().skip(1));
    let end = ends.map(|((at, letter), (_, next))| (at, letter, next)).find(|(_, letter, next)| {
        *letter == '\n' || (matches!(letter, '.' | '!' | '?') && next.is_whitespace())
    });
    end.map_or((text, ""), |(at, _, _)| text.split_at(at))
}

/// The first `limit` bytes at most, cut at a character boundary.
fn start_of(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or_default()
}

/// Embeds only the beginning: a whole description with arguments would blur the vector.
fn embedding_text(server: &str, name: &str, title: &str, lead: &str, rest: &str) -> String {
    let name = parts(name).join(" ");
    let title = if title.is_empty() { String::new() } else { format!("{title}. ") };
    let rest = start_of(rest, EMBEDDED_REST);
    format!("{server}: {name}. {title}{lead}{rest}")
}

/// The arguments of a schema, in order.
#[derive(Default)]
struct Arguments {
    names: Vec<String>,
    words: Vec<String>,
}

impl Arguments {
    fn read(&mut self, schema: &Value, depth: usize) {
        if DEPTH_LIMIT < depth {
            return;
        }
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            for (name, property) in properties {
                if ARGUMENT_LIMIT <= self.names.len() {
                    return;
                }
                self.names.push(start_of(name, TEXT_LIMIT).to_owned());
                self.describe(property);
                self.read(property, depth + 1);
            }
        }
        if let Some(items) = schema.get("items") {
            self.read(items, depth + 1);
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            for choice in schema.get(key).and_then(Value::as_array).into_iter().flatten() {
                self.describe(choice);
                self.read(choice, depth + 1);
            }
        }
    }

    fn describe(&mut self, property: &Value) {
        let choices = property.get("enum").and_then(Value::as_array).into_iter().flatten();
        let texts = property.get("description").into_iter().chain(choices);
        for text in texts.filter_map(Value::as_str) {
            if self.words.len() < WORD_LIMIT {
                self.words.extend(terms(start_of(text, TEXT_LIMIT)));
            }
        }
    }
}

#[cfg(test)]
mod tests;
