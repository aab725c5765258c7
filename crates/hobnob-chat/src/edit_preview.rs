//! What a call would change, read from its arguments: the lines of a diff, and the arguments without
//! the texts that the diff shows.
//!
//! The screen shows it when a call begins, so before a person is asked about it. Tools of servers name
//! their arguments as they like; the usual names are known here. What must stay true: nothing of the
//! arguments is left out of both, and files are only read for our own tool, whose paths are of this
//! machine.

use hobnob_llm::ToolUse;
use hobnob_terminal::render::signed_lines;
use serde_json::{Map, Value};
use std::path::Path;

#[cfg(test)]
mod tests;

/// Our own tool that replaces the content of a file.
const OWN_WRITE: &str = "files_write";
/// Names of the text that is there, and of the one that takes its place.
const REPLACEMENTS: [(&str, &str); 5] = [
    ("old", "new"),
    ("old_text", "new_text"),
    ("oldText", "newText"),
    ("old_string", "new_string"),
    ("old_str", "new_str"),
];
/// Names of a list of replacements.
const LISTS: [&str; 2] = ["edits", "replacements"];
/// Names of the whole content of a file.
const CONTENTS: [&str; 3] = ["content", "contents", "file_text"];
/// Names of a diff.
const PATCHES: [&str; 2] = ["patch", "diff"];
/// The largest file that is read to compare it.
const MAX_FILE: u64 = 1 << 20;

/// What a call would change.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EditPreview {
    /// The arguments that the lines do not show, as JSON text.
    pub(super) arguments: String,
    /// Lines behind `-`, `+` or a space, as they came: they are not safe yet.
    pub(super) lines: Vec<String>,
}

impl EditPreview {
    /// Reads the arguments of a call; nothing if it is no edit.
    pub(super) fn of(call: &ToolUse, project: &Path) -> Option<Self> {
        let mut arguments: Map<String, Value> = serde_json::from_str(call.input.as_str()).ok()?;
        let lines = replacement(&mut arguments)
            .or_else(|| replacements(&mut arguments))
            .or_else(|| patch(&mut arguments))
            .or_else(|| whole_file(&call.name, &mut arguments, project))?;
        Some(Self { arguments: Value::Object(arguments).to_string(), lines })
    }
}

/// One replacement among the arguments.
fn replacement(arguments: &mut Map<String, Value>) -> Option<Vec<String>> {
    let is_text = |name: &str| arguments.get(name).is_some_and(Value::is_string);
    let fits = |(old, new): &&(&str, &str)| is_text(old) && is_text(new);
    let (old, new) = REPLACEMENTS.iter().find(fits)?;
    let (old, new) = (arguments.remove(*old)?, arguments.remove(*new)?);
    Some(compared(old.as_str()?, new.as_str()?))
}

/// A list of replacements and nothing else in it.
fn replacements(arguments: &mut Map<String, Value>) -> Option<Vec<String>> {
    let is_list = |name: &&&str| arguments.get(**name).is_some_and(Value::is_array);
    let name = *LISTS.iter().find(is_list)?;
    let mut list = arguments.get(name)?.as_array()?.clone();
    let mut lines = Vec::new();
    for (at, edit) in list.iter_mut().enumerate() {
        let edit = edit.as_object_mut()?;
        if at != 0 {
            lines.push(" ⋮".to_owned());
        }
        lines.extend(replacement(edit)?);
    }
    // What an entry says besides its texts stays visible.
    match list.iter().all(|edit| edit.as_object().is_some_and(Map::is_empty)) {
        true => drop(arguments.remove(name)),
        false => drop(arguments.insert(name.to_owned(), Value::Array(list))),
    }
    Some(lines)
}

/// A diff that the model wrote itself.
fn patch(arguments: &mut Map<String, Value>) -> Option<Vec<String>> {
    let has_diff = |value: &Value| value.as_str().is_some_and(is_diff);
    let fits = |name: &&&str| arguments.get(**name).is_some_and(has_diff);
    let name = *PATCHES.iter().find(fits)?;
    let patch = arguments.remove(name)?;
    Some(patch.as_str()?.lines().map(str::to_owned).collect())
}

/// Whether a text has a diff in it: a hunk that says where it belongs.
pub(super) fn is_diff(text: &str) -> bool {
    let hunk = |line: &str| line.starts_with("@@ -") && line[3..].contains("@@");
    text.lines().any(hunk)
}

/// The whole content of a file, compared with what the file has now if that is known.
fn whole_file(
    tool: &str,
    arguments: &mut Map<String, Value>,
    project: &Path,
) -> Option<Vec<String>> {
    let path = arguments.iter().find(|(name, value)| is_path(name) && value.is_string())?.1;
    let is_binary = arguments.get("encoding").is_some_and(|it| it == "base64");
    let before = match tool {
        OWN_WRITE => present(&project.join(path.as_str()?)),
        _ => String::new(),
    };
    let is_text = |name: &&&str| arguments.get(**name).is_some_and(Value::is_string);
    let name = *CONTENTS.iter().find(is_text).filter(|_| !is_binary)?;
    let content = arguments.remove(name)?;
    Some(compared(&before, content.as_str()?))
}

fn is_path(name: &str) -> bool {
    matches!(name, "path" | "file" | "file_path" | "filePath" | "filename")
}

/// What a file has now; nothing if it is not there, is no text, or is too large to compare.
fn present(path: &Path) -> String {
    let small = |about: std::fs::Metadata| about.is_file() && about.len() <= MAX_FILE;
    match std::fs::metadata(path).is_ok_and(small) {
        true => std::fs::read_to_string(path).unwrap_or_default(),
        false => String::new(),
    }
}

/// Unchanged lines that are shown around a change.
const AROUND: usize = 2;

/// The lines of a change, with few that stay as they are.
fn compared(before: &str, after: &str) -> Vec<String> {
    let all = signed_lines(before, after);
    let changed: Vec<usize> =
        all.iter().enumerate().filter(|(_, (sign, _))| *sign != ' ').map(|(at, _)| at).collect();
    let near = |at: usize| {
        let next = changed.partition_point(|it| *it < at);
        let close = |it: Option<&usize>| it.is_some_and(|it| it.abs_diff(at) <= AROUND);
        close(changed.get(next)) || next.checked_sub(1).is_some_and(|it| close(changed.get(it)))
    };
    let mut lines: Vec<String> = Vec::new();
    for (at, (sign, line)) in all.iter().enumerate() {
        if near(at) {
            lines.push(format!("{sign}{}", line.trim_end_matches(['\n', '\r'])));
        } else if lines.last().is_some_and(|last| last != " ⋮") {
            lines.push(" ⋮".to_owned());
        }
    }
    if lines.last().is_some_and(|last| last == " ⋮") {
        lines.pop();
    }
    lines
}
