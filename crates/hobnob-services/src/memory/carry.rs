//! Export and import of memories: JSON lines, or Markdown with a header for each memory.
//!
//! What must stay true: importing an export restores every memory word for word, for any content.

use super::views::time_text;
use hobnob_store::Time;
use hobnob_store::memory::{Memory, MemoryId, ScopeKind, Tag};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How memories are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    /// One JSON object on each line.
    #[default]
    Jsonl,
    /// A header between lines of `---`, then the content.
    Markdown,
}

/// A memory as it was parsed, before its values are checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UncheckedMemory {
    pub(super) id: Option<MemoryId>,
    pub(super) namespace: String,
    pub(super) tags: Vec<String>,
    pub(super) scope: ScopeKind,
    pub(super) source: Option<String>,
    pub(super) created: Option<Time>,
    pub(super) expires: Option<Time>,
    pub(super) content: String,
}

/// One entry of the text: a memory, or what is wrong with it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The number of its first line, counted from 1.
    pub(super) number: usize,
    pub(super) parsed: Result<UncheckedMemory, String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    namespace: String,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default = "project")]
    scope: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    #[serde(default)]
    content: String,
}

fn project() -> String {
    "project".into()
}

impl Entry {
    fn of(memory: &Memory) -> Self {
        Self {
            id: Some(memory.id.to_string()),
            namespace: memory.namespace.as_str().into(),
            tags: memory.tags.iter().map(|tag: &Tag| tag.as_str().to_owned()).collect(),
            scope: memory.scope.kind().as_str().into(),
            source: memory.source.clone(),
            created_at: Some(time_text(memory.created)),
            expires_at: memory.expires.map(time_text),
            content: memory.content.clone(),
        }
    }

    fn parsed(self) -> Result<UncheckedMemory, String> {
        let time = |name: &str, text: Option<String>| match text {
            None => Ok(None),
            Some(text) => match text.parse::<jiff::Timestamp>() {
                Ok(stamp) => Ok(Some(Time::from_millis(stamp.as_millisecond()))),
                Err(_) => Err(format!("{name}: not a time such as 2026-03-14T09:30:00Z")),
            },
        };
        let scope = ScopeKind::parse(&self.scope).ok_or("scope: project, user or org")?;
        let id = match &self.id {
            None => None,
            Some(id) => Some(MemoryId::parse(id).ok_or("id: not one of ours")?),
        };
        Ok(UncheckedMemory {
            id,
            namespace: self.namespace,
            tags: self.tags,
            scope,
            source: self.source,
            created: time("created_at", self.created_at)?,
            expires: time("expires_at", self.expires_at)?,
            content: self.content,
        })
    }
}

/// Writes memories one after the other in a format.
pub(super) fn write_all(memories: &[Memory], format: Format) -> String {
    let mut text = String::new();
    for memory in memories {
        match format {
            Format::Jsonl => write_line(&mut text, memory),
            Format::Markdown => write_section(&mut text, memory),
        }
    }
    text
}

fn write_line(text: &mut String, memory: &Memory) {
    // A struct of strings can always be serialised.
    text.push_str(&serde_json::to_string(&Entry::of(memory)).unwrap_or_default());
    text.push('\n');
}

fn write_section(text: &mut String, memory: &Memory) {
    let entry = Entry::of(memory);
    text.push_str("---\n");
    let mut field = |name: &str, value: &str| {
        let quoted = serde_json::to_string(value).unwrap_or_default();
        text.push_str(&format!("{name}: {quoted}\n"));
    };
    if let Some(id) = &entry.id {
        field("id", id);
    }
    field("namespace", &entry.namespace);
    for tag in &entry.tags {
        field("tag", tag);
    }
    field("scope", &entry.scope);
    let others = [("source", &entry.source), ("created_at", &entry.created_at)];
    for (name, value) in others.into_iter().chain([("expires_at", &entry.expires_at)]) {
        if let Some(value) = value {
            field(name, value);
        }
    }
    text.push_str("---\n\n");
    for line in entry.content.split('\n') {
        // Escape a line that could be mistaken for the next header.
        if line.trim_start_matches('\\').starts_with("---") {
            text.push('\\');
        }
        text.push_str(line);
        text.push('\n');
    }
    text.push('\n');
}

/// Parses all entries of a text, in order; an unreadable one is reported with its line. The
/// iterator is lazy, since a text of empty entries has far more of them than fit into memory.
pub(super) fn read_all(text: &str, format: Format) -> Box<dyn Iterator<Item = Line> + '_> {
    match format {
        Format::Jsonl => {
            let lines = text.split('\n').enumerate().filter(|(_, line)| !line.trim().is_empty());
            Box::new(lines.map(|(at, line)| Line { number: at + 1, parsed: read_line(line) }))
        }
        Format::Markdown => Box::new(read_sections(text)),
    }
}

fn read_line(line: &str) -> Result<UncheckedMemory, String> {
    serde_json::from_str::<Entry>(line).map_err(|error| error.to_string())?.parsed()
}

fn read_sections(text: &str) -> impl Iterator<Item = Line> {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut at = lines.iter().position(is_bar).unwrap_or(lines.len());
    let before = lines[..at].iter().any(|line| !line.trim().is_empty());
    let parsed = Err("text before the first `---`".to_owned());
    let before = before.then_some(Line { number: 1, parsed });
    let sections = std::iter::from_fn(move || {
        let (line, next) = section(&lines, at)?;
        at = next;
        Some(line)
    });
    before.into_iter().chain(sections)
}

/// Whether a line is `---`; some editors end lines with CR and LF.
fn is_bar(line: &&str) -> bool {
    line.trim_end_matches('\r') == "---"
}

/// The section that begins in this line, and the line where the next one begins.
fn section<'a>(lines: &[&'a str], at: usize) -> Option<(Line, usize)> {
    let bar = lines.get(at)?;
    let header = lines[at + 1..].iter().position(is_bar);
    let Some(header) = header.map(|length| at + 1 + length) else {
        let parsed = Err("the header has no end".into());
        return Some((Line { number: at + 1, parsed }, lines.len()));
    };
    let next = lines[header + 1..].iter().position(is_bar);
    let next = next.map_or(lines.len(), |length| header + 1 + length);
    // Strip CR only if this section's header has it: exported content keeps its own line ends.
    let end = if bar.ends_with('\r') { "\r" } else { "" };
    let plain = |lines: &[&'a str]| -> Vec<&'a str> {
        lines.iter().map(|line| line.strip_suffix(end).unwrap_or(line)).collect()
    };
    // One line end separates a content from the next header; one more ends the text.
    let closing = if next == lines.len() { 2 } else { 1 };
    let body = plain(&lines[header + 1..next]);
    let parsed = read_section(&plain(&lines[at + 1..header]), without_closing(&body, closing));
    Some((Line { number: at + 1, parsed }, next))
}

fn read_section(header: &[&str], body: &[&str]) -> Result<UncheckedMemory, String> {
    let mut entry = Entry {
        id: None,
        namespace: String::new(),
        tags: Vec::new(),
        scope: project(),
        source: None,
        created_at: None,
        expires_at: None,
        content: String::new(),
    };
    for line in header.iter().filter(|line| !line.trim().is_empty()) {
        let (name, value) = line.split_once(':').ok_or_else(|| format!("`{line}` has no `:`"))?;
        let value = value.trim();
        let value = match value.starts_with('"') {
            true => serde_json::from_str(value).map_err(|error| format!("{name}: {error}"))?,
            false => value.to_owned(),
        };
        match name.trim() {
            "id" => entry.id = Some(value),
            "namespace" => entry.namespace = value,
            "tag" => entry.tags.push(value),
            "scope" => entry.scope = value,
            "source" => entry.source = Some(value),
            "created_at" => entry.created_at = Some(value),
            "expires_at" => entry.expires_at = Some(value),
            other => return Err(format!("`{other}` is not a field of a memory")),
        }
    }
    entry.content = body_text(body);
    entry.parsed()
}

/// A section's lines without the empty lines around its content.
fn without_closing<'a, 'b>(body: &'a [&'b str], closing: usize) -> &'a [&'b str] {
    let mut body = match body {
        ["", rest @ ..] => rest,
        body => body,
    };
    for _ in 0..closing {
        if let [rest @ .., ""] = body {
            body = rest;
        }
    }
    body
}

/// The content, with escaped lines restored.
fn body_text(body: &[&str]) -> String {
    let plain = |line: &&str| {
        let marked = line.starts_with('\\') && line.trim_start_matches('\\').starts_with("---");
        if marked { line[1..].to_owned() } else { (*line).to_owned() }
    };
    body.iter().map(plain).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
