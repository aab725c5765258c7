//! What servers answer, for people: text as text, structure as JSON, media described or saved.

use crate::render;
use anyhow::Context as _;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::resources::ResourceContents;
use serde_json::Value;
use std::borrow::Cow;
use std::fs::OpenOptions;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

/// Files of one kind that are tried before giving up on a free name.
const NUMBERS: u32 = 10_000;

/// Where media go.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Media<'a> {
    /// Nowhere: they are described.
    Described,
    /// Into this folder, under names that begin with this.
    Saved {
        /// The folder.
        folder: &'a Path,
        /// How names begin.
        stem: &'a str,
    },
}

/// Shows one piece.
pub(crate) fn show(content: &Content, media: Media<'_>) -> anyhow::Result<()> {
    match content {
        Content::Text(it) => text(&it.text),
        Content::Image(it) => binary("image", &it.mime_type, &it.data, media),
        Content::Audio(it) => binary("audio", &it.mime_type, &it.data, media),
        Content::ResourceLink(it) => render::line(&format!("[resource {}: {}]", it.name, it.uri)),
        Content::Resource(it) => resource(&it.resource, media),
        Content::Unknown(raw) => text(raw.get()),
    }
}

/// Shows what a resource holds.
pub(crate) fn resource(contents: &ResourceContents, media: Media<'_>) -> anyhow::Result<()> {
    match contents {
        ResourceContents::Text(it) => text(&it.text),
        ResourceContents::Blob(it) => {
            let kind = it.mime_type.as_deref().unwrap_or("application/octet-stream");
            binary("binary data", kind, &it.blob, media)
        }
    }
}

/// Writes a text: as it is for programs, made safe for a terminal.
pub(crate) fn text(words: &str) -> anyhow::Result<()> {
    render::text(&for_stdout(words))
}

/// Shows JSON so that it can be read.
pub(crate) fn pretty(json: &str) -> anyhow::Result<()> {
    let value: Value = serde_json::from_str(json)?;
    text(&serde_json::to_string_pretty(&value)?)
}

fn for_stdout(words: &str) -> Cow<'_, str> {
    if io::stdout().is_terminal() { render::safe(words) } else { Cow::Borrowed(words) }
}

fn binary(what: &str, kind: &str, data: &str, media: Media<'_>) -> anyhow::Result<()> {
    let bytes = decode(data)?;
    let size = bytes.len();
    match media {
        Media::Described => {
            render::line(&format!("[{what}, {kind}, {size} bytes; --save DIR keeps it]"))
        }
        Media::Saved { folder, stem } => {
            let path = save(folder, stem, kind, &bytes)?;
            render::line(&format!("[{what}, {kind}, {size} bytes: {}]", path.display()))
        }
    }
}

/// What stands in Base64.
pub(crate) fn decode(data: &str) -> anyhow::Result<Vec<u8>> {
    BASE64_STANDARD.decode(data).context("the server's data is not Base64")
}

/// Writes a file under a name that is free. Nothing of the name is the server's choice except
/// what is known to be harmless.
fn save(folder: &Path, stem: &str, kind: &str, bytes: &[u8]) -> anyhow::Result<PathBuf> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("the folder {} cannot be made", folder.display()))?;
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
                written.with_context(|| format!("{} cannot be written", path.display()))?;
                return Ok(path);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                return Err(error).with_context(|| format!("{} cannot be written", path.display()));
            }
        }
    }
    anyhow::bail!("{} has no free name for {stem}; save into another folder", folder.display())
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
