//! Previews an edit from the arguments of its call: the lines of a diff, and the arguments without
//! the texts that the diff shows.
//!
//! The screen shows the preview when a call begins, before the hub asks the person about it.
//! Servers name their arguments as they like; the usual names are known here. What must stay true:
//! every argument is in the diff or in the rest, and only our own tool makes the preview read a
//! file, because only its paths are certain to be on this machine.

use hobnob_llm::ToolUse;
use hobnob_terminal::render::signed_lines;
use serde_json::{Map, Value};
use std::path::Path;

#[cfg(test)]
mod tests;

/// Our own tool that replaces the content of a file.
const OWN_WRITE_TOOL: &str = "files_write";
/// Argument names of the text to replace, and of its replacement.
const REPLACEMENT_KEYS: [(&str, &str); 5] = [
    ("old", "new"),
    ("old_text", "new_text"),
    ("oldText", "newText"),
    ("old_string", "new_string"),
    ("old_str", "new_str"),
];
/// Argument names of a list of replacements.
const LIST_KEYS: [&str; 2] = ["edits", "replacements"];
/// Argument names of the whole content of a file.
const CONTENT_KEYS: [&str; 3] = ["content", "contents", "file_text"];
/// Argument names of a diff.
const PATCH_KEYS: [&str; 2] = ["patch", "diff"];
/// Bytes of the largest file that the preview reads to compare it.
const MAX_FILE: u64 = 1 << 20;

/// What a call would change.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EditPreview {
    /// The arguments that the lines do not show, as JSON text.
    pub(super) arguments: String,
    /// Lines after `-`, `+` or a space; not yet made safe to show.
    pub(super) lines: Vec<String>,
}

impl EditPreview {
    /// Reads the arguments of a call; `None` if it is not an edit.
    pub(super) fn of(call: &ToolUse, project: &Path) -> Option<Self> {
        let mut arguments: Map<String, Value> = serde_json::from_str(call.input.as_str()).ok()?;
        let lines = replacement(&mut arguments)
            .or_else(|| replacements(&mut arguments))
            .or_else(|| patch(&mut arguments))
            .or_else(|| whole_file(&call.name, &mut arguments, project))?;
        Some(Self { arguments: Value::Object(arguments).to_string(), lines })
    }
}

/// Takes one replacement out of the arguments.
fn replacement(arguments: &mut Map<String, Value>) -> Option<Vec<String>> {
    let is_text = |name: &str| arguments.get(name).is_some_and(Value::is_string);
    let fits = |(old, new): &&(&str, &str)| is_text(old) && is_text(new);
    let (old, new) = REPLACEMENT_KEYS.iter().find(fits)?;
    let (old, new) = (arguments.remove(*old)?, arguments.remove(*new)?);
    Some(diff_lines(old.as_str()?, new.as_str()?))
}

/// Takes a list of replacements out of the arguments; every entry must be a replacement.
fn replacements(arguments: &mut Map<String, Value>) -> Option<Vec<String>> {
    let is_list = |name: &&&str| arguments.get(**name).is_some_and(Value::is_array);
    let name = *LIST_KEYS.iter().find(is_list)?;
    let mut list = arguments.get(name)?.as_array()?.clone();
    let mut lines = Vec::new();
    for (at, edit) in list.iter_mut().enumerate() {
        let edit = edit.as_object_mut()?;
        if at != 0 {
            lines.push(" ⋮".to_owned());
        }
        lines.extend(replacement(edit)?);
    }
    // Other members of an entry stay among the arguments, where the person sees them.
    match list.iter().all(|edit| edit.as_object().is_some_and(Map::is_empty)) {
        true => drop(arguments.remove(name)),
        false => drop(arguments.insert(name.to_owned(), Value::Array(list))),
    }
    Some(lines)
}

/// Takes out a diff that the model wrote itself.
fn patch(arguments: &mut Map<String, Value>) -> Option<Vec<String>> {
    let has_diff = |value: &Value| value.as_str().is_some_and(is_diff);
    let fits = |name: &&&str| arguments.get(**name).is_some_and(has_diff);
    let name = *PATCH_KEYS.iter().find(fits)?;
    let patch = arguments.remove(name)?;
    Some(patch.as_str()?.lines().map(str::to_owned).collect())
}

/// Whether a text contains a diff: at least one hunk header.
pub(super) fn is_diff(text: &str) -> bool {
    let hunk = |line: &str| line.starts_with("@@ -") && line[3..].contains("@@");
    text.lines().any(hunk)
}

/// Takes out the new content of a file, and compares it with the present content if that is known.
fn whole_file(
    tool: &str,
    arguments: &mut Map<String, Value>,
    project: &Path,
) -> Option<Vec<String>> {
    let path = arguments.iter().find(|(name, value)| is_path(name) && value.is_string())?.1;
    let is_binary = arguments.get("encoding").is_some_and(|it| it == "base64");
    let before = match tool {
        OWN_WRITE_TOOL => present_content(&project.join(path.as_str()?)),
        _ => String::new(),
    };
    let is_text = |name: &&&str| arguments.get(**name).is_some_and(Value::is_string);
    let name = *CONTENT_KEYS.iter().find(is_text).filter(|_| !is_binary)?;
    let content = arguments.remove(name)?;
    Some(diff_lines(&before, content.as_str()?))
}

fn is_path(name: &str) -> bool {
    matches!(name, "path" | "file" | "file_path" | "filePath" | "filename")
}

/// The present content of a file; empty if the file is missing, not text, or too large to compare.
fn present_content(path: &Path) -> String {
    let small = |about: std::fs::Metadata| about.is_file() && about.len() <= MAX_FILE;
    match std::fs::metadata(path).is_ok_and(small) {
        true => std::fs::read_to_string(path).unwrap_or_default(),
        false => String::new(),
    }
}

/// Unchanged lines that a diff shows around each change.
const CONTEXT_LINES: usize = 2;

/// The diff of two texts; ` ⋮` stands for unchanged lines that are not shown.
fn diff_lines(before: &str, after: &str) -> Vec<String> {
    let all = signed_lines(before, after);
    let changed: Vec<usize> =
        all.iter().enumerate().filter(|(_, (sign, _))| *sign != ' ').map(|(at, _)| at).collect();
    let near = |at: usize| {
        let next = changed.partition_point(|it| *it < at);
        let close = |it: Option<&usize>| it.is_some_and(|it| it.abs_diff(at) <= CONTEXT_LINES);
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
