//! Reads what a question mentions: files and resources of servers after an `@`, and the path of a
//! picture that a terminal pastes. Text is appended to the question, pictures go beside it.
//!
//! What must stay true: a file that is missing, too large, or neither text nor picture is reported to
//! the person, and its content is not sent.

use hobnob_agent::{picture_of, picture_words};
use hobnob_llm::ModelImage;
use hobnob_mcp_client::Client;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;

/// The most bytes of one file or resource.
const MAX_BYTES: usize = 256 << 10;
/// The extensions of pictures.
const PICTURE_EXTENSIONS: [&str; 5] = ["png", "jpg", "jpeg", "gif", "webp"];
/// The most bytes of a picture: providers take 5 MB of base64.
const MAX_PICTURE: u64 = 3_900_000;
/// The most mentions of one text.
const MAX_MENTIONS: usize = 20;

/// A text with what it mentions.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WithMentions {
    /// The text with the contents of its mentions, for the model.
    pub(super) text: String,
    /// Mentions that could not be added, in words for the person.
    pub(super) problems: Vec<String>,
    pub(super) pictures: Vec<MentionedPicture>,
}

/// A picture that goes along with a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct MentionedPicture {
    /// What the person typed.
    pub(super) name: String,
    /// The words for it in the text.
    pub(super) words: String,
    pub(super) image: ModelImage,
}

/// Appends the contents of the mentions to a text.
pub(super) async fn with_mentions(text: &str, project: &Path, client: &Client) -> WithMentions {
    let mut with = WithMentions { text: text.to_owned(), ..WithMentions::default() };
    if let Some(path) = pasted_picture(text) {
        with.add_picture(&path.display().to_string(), &path);
    }
    for mention in mentions(text) {
        if is_picture(mention) && project.join(mention).is_file() {
            with.add_picture(&format!("@{mention}"), &project.join(mention));
            continue;
        }
        let (kind, found) = match mention.contains("://") {
            true => {
                let read = client.read_text(mention).await;
                ("resource", read.map_err(|error| error.to_string()).and_then(check_size))
            }
            false => match read(&project.join(mention)) {
                // A word with an @ often means no file at all, so the text is sent anyway.
                Err(error) if error.kind() == io::ErrorKind::NotFound => (
                    "file",
                    Err("there is no such file here; the word was sent as you typed it".into()),
                ),
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

impl WithMentions {
    fn add_picture(&mut self, name: &str, path: &Path) {
        let mut bytes = Vec::new();
        let file = File::open(path);
        let read = file.and_then(|file| file.take(MAX_PICTURE + 1).read_to_end(&mut bytes));
        match (read, picture_of(&bytes)) {
            (Err(error), _) => self.problems.push(format!("{name}: {error}")),
            (Ok(_), None) => self.problems.push(format!(
                "{name}: models take PNG, JPEG, GIF and WebP of up to {} MB",
                MAX_PICTURE / 1_000_000
            )),
            (Ok(_), Some(image)) => {
                // The number tells this picture from an earlier one of the same name.
                let words = picture_words(name, fastrand::u64(..));
                self.text.push_str(&format!("\n\n{words}"));
                self.pictures.push(MentionedPicture { name: name.to_owned(), words, image });
            }
        }
    }
}

/// The picture whose path ends a single line. Terminals write the path, in quotes or with escaped
/// spaces, when a person pastes a picture or drops it on the window. Text of several lines never adds
/// one: a log that names pictures must not send them.
fn pasted_picture(text: &str) -> Option<PathBuf> {
    let text = text.trim();
    let starts = text.char_indices().filter(|(at, letter)| {
        let begins = *at == 0 || text[..*at].ends_with(' ');
        begins && matches!(letter, '/' | '\'' | '"')
    });
    let unquoted = |path: &str| {
        let inner = ['\'', '"']
            .iter()
            .find_map(|quote| path.strip_prefix(*quote).and_then(|path| path.strip_suffix(*quote)));
        inner.map_or_else(|| path.replace("\\ ", " "), str::to_owned)
    };
    let mut paths = starts.map(|(at, _)| PathBuf::from(unquoted(&text[at..])));
    let is_picture = |path: &PathBuf| path.is_absolute() && is_picture(path) && path.is_file();
    paths.find(is_picture).filter(|_| !text.contains('\n'))
}

fn is_picture(path: impl AsRef<Path>) -> bool {
    let extension = path.as_ref().extension().and_then(|it| it.to_str()).unwrap_or_default();
    PICTURE_EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str())
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
    check_size(text).map_err(io::Error::other)
}

fn check_size(text: String) -> Result<String, String> {
    match text.len() <= MAX_BYTES {
        true => Ok(text),
        false => Err(format!("it has more than {MAX_BYTES} bytes")),
    }
}
