//! What a page of the documentation has a reader type, in its order. The tests of the README and of
//! the book use it.

use std::path::Path;

#[path = "../../src/tests/documentation/blocks.rs"]
#[expect(dead_code, reason = "the checks of commands in the text are in the program's own tests")]
mod fences;

pub(crate) use fences::{Block, blocks};

/// One thing that a reader does.
pub(crate) enum Step<'page> {
    /// Types a command.
    Type(TypedCommand<'page>),
    /// Writes a text to a file, or adds it to the file.
    Write { file: &'page str, text: &'page str },
}

/// A command, perhaps of several lines, with the line of its block on the page.
pub(crate) struct TypedCommand<'page> {
    pub(crate) text: String,
    pub(crate) line: usize,
    /// The lines that it is shown to print; none, where no output is shown.
    pub(crate) output: Option<Vec<&'page str>>,
    /// Why it cannot be run in a test; it is only parsed then.
    pub(crate) needs: Option<&'page str>,
}

/// Everything that a reader of these blocks does.
pub(crate) fn steps<'page>(blocks: &[Block<'page>]) -> Vec<Step<'page>> {
    let mut steps = Vec::new();
    for block in blocks {
        let needs = block.attribute("needs");
        let typed = |text: String, output| {
            Step::Type(TypedCommand { text, line: block.line, output, needs })
        };
        match block.language {
            "sh" => steps.extend(commands(block.text).into_iter().map(|it| typed(it, None))),
            "console" => {
                steps.extend(
                    shown(block.text).into_iter().map(|(it, output)| typed(it, Some(output))),
                );
            }
            _ => steps
                .extend(block.attribute("file").map(|file| Step::Write { file, text: block.text })),
        }
    }
    steps
}

/// The commands of a script: lines are joined until the shell takes them as whole.
fn commands(script: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut open = String::new();
    for line in script.lines() {
        open.push_str(line);
        if is_whole(&open) {
            commands.push(std::mem::take(&mut open));
        } else {
            open.push('\n');
        }
    }
    assert!(open.trim().is_empty(), "this command has no end: {open}");
    let is_command = |it: &String| !it.trim().is_empty() && !it.trim().starts_with('#');
    commands.retain(is_command);
    commands
}

/// Whether the shell waits for no further line.
fn is_whole(command: &str) -> bool {
    if command.ends_with('\\') {
        return false;
    }
    let parsed = std::process::Command::new("bash").args(["-n", "-c", command]).output().unwrap();
    // An open document is only warned of.
    parsed.status.success() && parsed.stderr.is_empty()
}

/// The commands after each prompt, with the lines that follow them.
fn shown(text: &str) -> Vec<(String, Vec<&str>)> {
    let mut shown: Vec<(String, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("$ "), shown.last_mut()) {
            (Some(command), _) => shown.push((command.to_owned(), Vec::new())),
            (None, Some((command, output))) if output.is_empty() && !is_whole(command) => {
                // The shell's prompt for a further line.
                *command = format!("{command}\n{}", line.strip_prefix("> ").unwrap_or(line));
            }
            (None, Some((_, output))) => output.push(line),
            (None, None) => panic!("this is output of nothing: {line}"),
        }
    }
    shown
}

/// The repository's folder.
pub(crate) fn repository() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
