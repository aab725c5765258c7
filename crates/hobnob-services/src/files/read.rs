//! The tool that reads: a whole file, or a window of bytes or lines; binary content as a blob.

use super::action::Performed;
use super::address::address_of;
use super::reply::FileReply;
use super::service::PresentedFiles;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hobnob_machine::files::{FileBody, FileOutcome, FilePart};
use hobnob_mcp_toolbox::{Context, ToolError};
use hobnob_mcp_types::content::Content;
use hobnob_mcp_types::resources::ResourceContents;
use hobnob_policy::{FileOperation, ReadWindow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bytes to read if the caller sets no limit.
const DEFAULT_BYTES: u32 = 64 * 1024;
/// The line count of a window that names only its first line: as many as fit.
const ALL_LINES: u64 = u64::MAX;

/// Which file, and which part of it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadArguments {
    /// File: absolute path, `file:` address, or the name of a granted folder and the way down
    path: String,
    /// First line to read, counted from 1
    #[schemars(range(min = 1))]
    line: Option<u64>,
    /// How many lines at most
    #[schemars(range(min = 1))]
    lines: Option<u64>,
    /// First byte to read, counted from 0; not together with lines
    offset: Option<u64>,
    /// How many bytes at most; 65536 if not given
    #[schemars(range(min = 1, max = 1_048_576))]
    max_bytes: Option<u32>,
}

/// The window of a file that was asked for, and where to go on.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ShownPart {
    /// Absolute path of the file or folder
    path: String,
    /// The text; absent if the part is no UTF-8 text
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Whether the part is no text and stands in the content as a blob
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    binary: bool,
    /// Bytes of the whole file
    size: u64,
    /// Where the part begins, in bytes
    offset: u64,
    /// Whether the file goes on after this part
    more: bool,
    /// The `line` that goes on after this part, if it ends with a whole line
    #[serde(skip_serializing_if = "Option::is_none")]
    next_line: Option<u64>,
    /// The `offset` that goes on after this part
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    /// SHA-256 of the whole file, if all of it was read; `files_write` takes it as `expected_hash`
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
}

pub(super) async fn read(
    arguments: ReadArguments,
    context: Context<PresentedFiles>,
) -> Result<FileReply<ShownPart>, ToolError> {
    let presented = context.state();
    let limit = u64::from(arguments.max_bytes.unwrap_or(DEFAULT_BYTES));
    let window = match (arguments.line, arguments.lines, arguments.offset) {
        (None, None, None) => ReadWindow::Whole,
        (None, None, Some(start)) => ReadWindow::Bytes { start, length: limit },
        (first, count, None) => {
            ReadWindow::Lines { first: first.unwrap_or(1), count: count.unwrap_or(ALL_LINES) }
        }
        (_, _, Some(_)) => {
            return Err(presented.invalid("offset: give a window of lines or of bytes, not both"));
        }
    };
    let first_line = match window {
        ReadWindow::Whole => Some(1),
        ReadWindow::Lines { first, .. } => Some(first),
        ReadWindow::Bytes { .. } => None,
    };
    let operation = FileOperation::Read { window, limit };
    let Performed { outcome, place } =
        presented.perform(&context, &arguments.path, operation).await?;
    let FileOutcome::Read(part) = outcome else { return Err(presented.unexpected(&outcome)) };
    let uri = address_of(&place.path());
    Ok(shown_part(place.text(), &uri, part, first_line))
}

fn shown_part(
    path: String,
    uri: &str,
    part: FilePart,
    first_line: Option<u64>,
) -> FileReply<ShownPart> {
    let FilePart { body, start, size, more, hash } = part;
    let hash = hash.map(|hash| hash.to_string());
    let part = |text: Option<String>, length: usize, next_line: Option<u64>| ShownPart {
        path,
        binary: text.is_none(),
        text,
        size,
        offset: start,
        more,
        next_line,
        next_offset: more.then_some(start + length as u64),
        hash,
    };
    match body {
        FileBody::Text(text) => {
            let lines = text.bytes().filter(|byte| *byte == b'\n').count() as u64;
            let whole_lines = more && text.ends_with('\n');
            let next_line = first_line.filter(|_| whole_lines).map(|first| first + lines);
            let data = part(Some(text.clone()), text.len(), next_line);
            let mut content = vec![Content::text(text)];
            content.extend(continuation(&data).map(Content::text));
            FileReply { content, data }
        }
        FileBody::Binary(bytes) => {
            let blob = ResourceContents::blob(uri, mime_type(uri), STANDARD.encode(&bytes));
            let data = part(None, bytes.len(), None);
            let words = format!("{} of {size} bytes, which are no UTF-8 text", bytes.len());
            let mut content = vec![Content::text(words), Content::resource(blob)];
            content.extend(continuation(&data).map(Content::text));
            FileReply { content, data }
        }
    }
}

/// How to read on, in a block of its own so that it is not mistaken for a part of the file.
fn continuation(part: &ShownPart) -> Option<String> {
    let next = match (part.next_line, part.next_offset) {
        (_, None) => return None,
        (Some(line), Some(_)) => format!("line {line}"),
        (None, Some(offset)) => format!("offset {offset}"),
    };
    Some(format!("[the file has {} bytes; it goes on at {next}]", part.size))
}

/// The MIME type of a binary file, by the extension of its name.
pub(super) fn mime_type(uri: &str) -> &'static str {
    let end = uri.rsplit(['.', '/']).next().unwrap_or_default().to_ascii_lowercase();
    match end.as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        "gz" => "application/gzip",
        "mp3" => "audio/mpeg",
        "wav" => "audio/wav",
        _ => "application/octet-stream",
    }
}
