//! Shows the content blocks of a result to people: text as text, structure as JSON, media described
//! or saved.
//!
//! `call`, `read`, `prompt` and `watch` use it. What must stay true: a server cannot choose where a
//! file is saved.

use anyhow::Context as _;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::resources::ResourceContents;
use hobnob_terminal::render;
use serde_json::Value;
use std::borrow::Cow;
use std::fs::OpenOptions;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

/// How many file names `save` tries before it gives up.
const MAX_FILE_NAMES: u32 = 10_000;

/// What happens to images, audio and binary resources.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Media<'a> {
    /// They are described in one line.
    Described,
    /// They are written to new files in this folder, named `stem-NUMBER.EXTENSION`.
    Saved { folder: &'a Path, stem: &'a str },
}

/// A content block in a form that people can read.
#[derive(Debug)]
pub(crate) enum ReadableContent<'a> {
    /// The text of the server, unchanged.
    Text(&'a str),
    /// Hobnob's description of a block that is not text.
    Remark(String),
}

/// Makes one content block readable, and saves media if that is wanted.
pub(crate) fn readable<'a>(
    content: &'a Content,
    media: Media<'_>,
) -> anyhow::Result<ReadableContent<'a>> {
    match content {
        Content::Text(it) => Ok(ReadableContent::Text(&it.text)),
        Content::Image(it) => binary("image", &it.mime_type, &it.data, media),
        Content::Audio(it) => binary("audio", &it.mime_type, &it.data, media),
        Content::ResourceLink(it) => {
            Ok(ReadableContent::Remark(format!("[resource {}: {}]", it.name, it.uri)))
        }
        Content::Resource(it) => readable_resource(&it.resource, media),
        Content::Unknown(raw) => Ok(ReadableContent::Text(raw.get())),
    }
}

/// Prints one content block on standard output.
pub(crate) fn show(content: &Content, media: Media<'_>) -> anyhow::Result<()> {
    print(&readable(content, media)?)
}

/// Prints the contents of a resource on standard output.
pub(crate) fn resource(contents: &ResourceContents, media: Media<'_>) -> anyhow::Result<()> {
    print(&readable_resource(contents, media)?)
}

fn print(content: &ReadableContent<'_>) -> anyhow::Result<()> {
    match content {
        ReadableContent::Text(words) => text(words),
        ReadableContent::Remark(words) => render::line(words),
    }
}

fn readable_resource<'a>(
    contents: &'a ResourceContents,
    media: Media<'_>,
) -> anyhow::Result<ReadableContent<'a>> {
    match contents {
        ResourceContents::Text(it) => Ok(ReadableContent::Text(&it.text)),
        ResourceContents::Blob(it) => {
            let kind = it.mime_type.as_deref().unwrap_or("application/octet-stream");
            binary("binary data", kind, &it.blob, media)
        }
    }
}

/// Whether a person reads standard output.
pub(crate) fn is_on_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Writes a text with a line break at its end: unchanged for programs, made safe for a terminal.
pub(crate) fn text(words: &str) -> anyhow::Result<()> {
    render::text(&for_stdout(words))
}

/// Writes a text: byte for byte for programs; made safe and with a last line break for a terminal.
pub(crate) fn exact(words: &str) -> anyhow::Result<()> {
    if is_on_terminal() { text(words) } else { piece(words) }
}

/// Writes a part of a text at once: unchanged for programs, made safe for a terminal.
pub(crate) fn piece(words: &str) -> anyhow::Result<()> {
    render::piece(&for_stdout(words))
}

/// Prints JSON with indentation, so that people can read it.
pub(crate) fn pretty(json: &str) -> anyhow::Result<()> {
    let value: Value = serde_json::from_str(json)?;
    text(&serde_json::to_string_pretty(&value)?)
}

fn for_stdout(words: &str) -> Cow<'_, str> {
    if is_on_terminal() { render::safe(words) } else { Cow::Borrowed(words) }
}

fn binary(
    what: &str,
    kind: &str,
    data: &str,
    media: Media<'_>,
) -> anyhow::Result<ReadableContent<'static>> {
    let bytes = decode(data)?;
    let size = bytes.len();
    let words = match media {
        Media::Described => format!("[{what}, {kind}, {size} bytes; save it with --save DIR]"),
        Media::Saved { folder, stem } => {
            let path = save(folder, stem, kind, &bytes)?;
            format!("[{what}, {kind}, {size} bytes: {}]", path.display())
        }
    };
    Ok(ReadableContent::Remark(words))
}

/// Decodes the Base64 data of a server.
pub(crate) fn decode(data: &str) -> anyhow::Result<Vec<u8>> {
    BASE64_STANDARD.decode(data).context("the server sent data that is not valid Base64")
}

/// Writes a file under a free name. The server determines only the stem, without special
/// characters, and an extension from a fixed list.
fn save(folder: &Path, stem: &str, kind: &str, bytes: &[u8]) -> anyhow::Result<PathBuf> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let legal = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => letter,
        _ => '_',
    };
    let stem: String = stem.chars().take(64).map(legal).collect();
    for number in 1..=MAX_FILE_NAMES {
        let path = folder.join(format!("{stem}-{number}.{}", extension(kind)));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                let written = file.write_all(bytes);
                written.with_context(|| format!("cannot write {}", path.display()))?;
                return Ok(path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(error).with_context(|| format!("cannot write {}", path.display()));
            }
        }
    }
    anyhow::bail!("{} has too many files named {stem}; choose another folder", folder.display())
}

fn extension(kind: &str) -> &'static str {
    match kind.split(';').next().unwrap_or_default().trim() {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        "audio/wav" | "audio/x-wav" | "audio/wave" => "wav",
        "audio/mpeg" | "audio/mp3" => "mp3",
        "audio/ogg" => "ogg",
        "application/pdf" => "pdf",
        "application/json" => "json",
        _ => "bin",
    }
}
