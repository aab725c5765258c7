//! Translates variables of editors: `${env:X}` becomes `${X}`, and an input becomes a variable.
//!
//! `source` passes the entries of VS Code and Cursor through here. What cannot be translated stays
//! as it is, with a note for the user.

use serde_json::Value;

/// The values of the editor's folder variables, if they are known.
pub(super) struct Folders {
    pub(super) project: Option<String>,
}

/// Rewrites every string of an entry, and returns notes for the user.
pub(super) fn translate(entry: &mut Value, folders: &Folders) -> Vec<String> {
    let mut notes = Vec::new();
    rewrite(entry, folders, &mut notes);
    notes.sort();
    notes.dedup();
    notes
}

fn rewrite(value: &mut Value, folders: &Folders, notes: &mut Vec<String>) {
    match value {
        Value::String(text) => *text = rewrite_text(text, folders, notes),
        Value::Array(items) => items.iter_mut().for_each(|it| rewrite(it, folders, notes)),
        Value::Object(members) => {
            members.values_mut().for_each(|it| rewrite(it, folders, notes));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn rewrite_text(text: &str, folders: &Folders, notes: &mut Vec<String>) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        written.push_str(before);
        match after.split_once('}') {
            Some((inside, behind)) => {
                written.push_str(&rewrite_variable(inside, folders, notes));
                rest = behind;
            }
            None => {
                written.push_str("${");
                rest = after;
            }
        }
    }
    written + rest
}

fn rewrite_variable(inside: &str, folders: &Folders, notes: &mut Vec<String>) -> String {
    if let Some(name) = inside.strip_prefix("env:") {
        return format!("${{{name}}}");
    }
    if let Some(input) = inside.strip_prefix("input:") {
        let variable = variable_name(input);
        // A variable that is unset stops the server with a clear error; a literal would not.
        notes.push(format!(
            "asks for the input `{input}`: set the environment variable `{variable}` instead"
        ));
        return format!("${{{variable}}}");
    }
    match (inside, &folders.project) {
        ("userHome", _) if cfg!(windows) => "${USERPROFILE}".into(),
        ("userHome", _) => "${HOME}".into(),
        ("workspaceFolder", Some(project)) => project.clone(),
        ("pathSeparator" | "/", _) => std::path::MAIN_SEPARATOR_STR.into(),
        _ => {
            notes.push(format!(
                "uses `${{{inside}}}`, which only the editor can fill in: replace it"
            ));
            format!("${{{inside}}}")
        }
    }
}

/// The name of an input as a variable's name: `api-key` becomes `API_KEY`.
fn variable_name(input: &str) -> String {
    let letter = |it: char| if it.is_ascii_alphanumeric() { it.to_ascii_uppercase() } else { '_' };
    let name: String = input.chars().map(letter).collect();
    if name.starts_with(|it: char| it.is_ascii_alphabetic()) {
        name
    } else {
        format!("INPUT_{name}")
    }
}
