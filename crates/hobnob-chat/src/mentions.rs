//! `@` in what the person says: files of the project and resources of servers, as text for the model.
//!
//! What must stay true: what is not there, too large or no text is said to the person and not sent.

use hobnob_mcp_client::Client;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

#[cfg(test)]
mod tests;

/// The most bytes of one file or resource.
const MAX_BYTES: usize = 256 << 10;
/// The most mentions of one text.
const MAX_MENTIONS: usize = 20;

/// A text with what it mentions.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WithMentions {
    /// What the model is told.
    pub(super) text: String,
    /// What could not be added, for the person.
    pub(super) problems: Vec<String>,
}

/// Adds what a text mentions behind it.
pub(super) async fn with_mentions(text: &str, project: &Path, client: &Client) -> WithMentions {
    let mut with = WithMentions { text: text.to_owned(), problems: Vec::new() };
    for mention in mentions(text) {
        let (kind, found) = match mention.contains("://") {
            true => {
                let read = client.read_text(mention).await;
                ("resource", read.map_err(|error| error.to_string()).and_then(fits))
            }
            false => match read(&project.join(mention)) {
                // Words with an @ are often no file at all.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                read => ("file", read.map_err(|error| error.to_string())),
            },
        };
        match found {
            Ok(found) => {
                with.text.push_str(&format!("\n\n<{kind} name=\"{mention}\">\n{found}\n</{kind}>"));
            }
            Err(why) => with.problems.push(format!("@{mention}: {why}")),
        }
    }
    with
}

/// The words that begin with `@`, each once, without the punctuation behind them.
fn mentions(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for word in text.split_whitespace().filter_map(|word| word.strip_prefix('@')) {
        let word = word.trim_end_matches([',', '.', ';', ':', '?', '!', ')']);
        if !word.is_empty() && !found.contains(&word) && found.len() < MAX_MENTIONS {
            found.push(word);
        }
    }
    found
}

fn read(path: &Path) -> io::Result<String> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let (mut text, limit) = (String::new(), MAX_BYTES as u64 + 1);
    file.take(limit).read_to_string(&mut text)?;
    fits(text).map_err(io::Error::other)
}

fn fits(text: String) -> Result<String, String> {
    match text.len() <= MAX_BYTES {
        true => Ok(text),
        false => Err(format!("it has more than {MAX_BYTES} bytes")),
    }
}
