//! Reads what a person pastes to add servers: a command line, a URL, JSON or TOML of any client, or
//! the line with which another client adds a server.
//!
//! The page of a hub calls it. What must stay true: it decides nothing and writes nothing; what a
//! shell would do besides starting a program is refused instead of lost, and no problem quotes a
//! value.

mod added;
mod command;
mod json;
mod names;
mod pasted;
#[cfg(test)]
mod tests;
mod words;

pub use pasted::{PasteProblem, PastedServer};

/// The longest text that is read.
pub const MAX_PASTE_BYTES: usize = 64 * 1024;

/// The most servers of one text.
const MAX_SERVERS: usize = 50;

/// The servers of a text, at least one.
pub fn read_paste(text: &str) -> Result<Vec<PastedServer>, PasteProblem> {
    if MAX_PASTE_BYTES < text.len() {
        return Err(PasteProblem::new("this is longer than 64 KiB; paste one server at a time"));
    }
    let text = without_fences(text);
    let text = text.trim().trim_start_matches('\u{feff}');
    if text.is_empty() {
        return Err(PasteProblem::new("paste a command, a URL, or JSON"));
    }
    let servers = match text {
        json if is_json(json) => json::read(json)?,
        toml if toml.starts_with("[mcp_servers") => json::read_toml(toml)?,
        line => vec![command::read(line)?],
    };
    match servers.len() {
        0 => Err(PasteProblem::new("there is no server in it; paste an entry of one")),
        count if MAX_SERVERS < count => Err(PasteProblem::new(format!(
            "these are more than {MAX_SERVERS} servers; paste fewer"
        ))),
        _ => Ok(servers),
    }
}

/// The text without the lines that begin and end a block of code in Markdown.
fn without_fences(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("```"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Whether the text is JSON, or members of an object without its braces.
fn is_json(text: &str) -> bool {
    if text.starts_with(['{', '[']) && !text.starts_with("[mcp_servers") {
        return true;
    }
    let name = text.strip_prefix('"').and_then(|rest| rest.split_once('"'));
    let comment = text.starts_with("//") || text.starts_with("/*");
    comment || name.is_some_and(|(_, rest)| rest.trim_start().starts_with(':'))
}
