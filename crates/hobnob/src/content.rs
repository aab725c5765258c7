//! Shows the content blocks of a result to people: text as text, structure as JSON, media described
//! or saved.
//!
//! `call`, `read`, `prompt` and `watch` use it. Nothing of a file name is the server's choice.

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

/// File names that are tried before `save` gives up.
const NUMBERS: u32 = 10_000;

/// What happens to images, audio and binary resources.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Media<'a> {
    /// They are described in one line.
    Described,
    /// They are written to new files in this folder, named `stem-NUMBER.EXTENSION`.
    Saved { folder: &'a Path, stem: &'a str },
}

/// What a content block is to a reader.
#[derive(Debug)]
pub(crate) enum ReadableContent<'a> {
    /// The server's own words, unchanged.
    Text(&'a str),
    /// What Hobnob says about a block that is no text.
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

/// Writes a text: as it is for programs, made safe for a terminal; a line break at its end.
pub(crate) fn text(words: &str) -> anyhow::Result<()> {
    render::text(&for_stdout(words))
}

/// Writes a text to the byte as it is for programs; for a terminal made safe, with a line break at
/// its end.
pub(crate) fn exact(words: &str) -> anyhow::Result<()> {
    if is_on_terminal() { text(words) } else { piece(words) }
}

/// Writes a part of a text at once: as it is for programs, made safe for a terminal.
pub(crate) fn piece(words: &str) -> anyhow::Result<()> {
    render::piece(&for_stdout(words))
}

/// Shows JSON so that it can be read.
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

/// Writes a file under a name that is free. Nothing of the name is the server's choice except
/// what is known to be harmless.
fn save(folder: &Path, stem: &str, kind: &str, bytes: &[u8]) -> anyhow::Result<PathBuf> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let legal = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => letter,
        _ => '_',
    };
    let stem: String = stem.chars().take(64).map(legal).collect();
    for number in 1..=NUMBERS {
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
