//! The cut-off parts of a result, in pages that can be sent as they are.

use super::cut::cut_escaped;
use crate::rewrite::quoted;
use hobnob_mcp_types::json::{ObjectWriter, write_string};

/// The prefix of all addresses of stored results.
pub(super) const RESULTS: &str = "hobnob://results/";
/// Bytes of a page besides its data: addresses, type, metadata, and the note on the next page.
const PAGE_OVERHEAD: usize = 1024;
/// Estimated bytes that a piece or a page takes in memory besides its text.
const PIECE_OVERHEAD: usize = 64;
/// A longer text is not a MIME type.
const MAX_TYPE_BYTES: usize = 128;

/// One cut-off part of a result.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    mime_type: Box<str>,
    data: Data,
}

#[derive(Debug, PartialEq, Eq)]
enum Data {
    /// JSON-escaped text, without its quotes.
    Escaped(String),
    /// Binary data in base64.
    Base64(String),
}

impl Piece {
    /// A piece of JSON-escaped text, without its quotes.
    pub(super) fn escaped(mime_type: &str, inside: &str) -> Self {
        Self { mime_type: sound_type(mime_type, "text/plain"), data: Data::Escaped(inside.into()) }
    }

    /// A piece of plain text, which is escaped here.
    pub(super) fn text(mime_type: &str, text: &str) -> Self {
        let mut inside = quoted(text);
        inside.pop();
        inside.remove(0);
        Self { mime_type: sound_type(mime_type, "text/plain"), data: Data::Escaped(inside) }
    }

    /// A piece of binary data in base64.
    pub(super) fn base64(mime_type: &str, text: &str) -> Self {
        let mime_type = sound_type(mime_type, "application/octet-stream");
        Self { mime_type, data: Data::Base64(text.into()) }
    }

    fn bytes(&self) -> &str {
        match &self.data {
            Data::Escaped(text) | Data::Base64(text) => text,
        }
    }

    /// The next part of the piece, at most `limit` bytes.
    fn part<'a>(&self, rest: &'a str, limit: usize) -> &'a str {
        match self.data {
            Data::Escaped(_) => cut_escaped(rest, limit),
            // Four characters are three bytes, so each part can be decoded alone.
            Data::Base64(_) => {
                let end = rest.floor_char_boundary((limit / 4 * 4).min(rest.len()));
                rest.get(..end).unwrap_or_default()
            }
        }
    }
}

fn sound_type(mime_type: &str, otherwise: &str) -> Box<str> {
    let sound = mime_type.contains('/')
        && mime_type.len() <= MAX_TYPE_BYTES
        && mime_type.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ');
    if sound { mime_type.into() } else { otherwise.into() }
}

/// The cut-off parts of one result, complete, under one address.
#[derive(Debug, PartialEq, Eq)]
pub struct SpillContent {
    id: Box<str>,
    pieces: Vec<Piece>,
    /// The piece of each page, and the range of the piece's bytes.
    pages: Vec<(usize, std::ops::Range<usize>)>,
    size: usize,
}

impl SpillContent {
    pub(super) fn new(id: String, pieces: Vec<Piece>, cap_bytes: usize) -> Self {
        // The longest escape has twelve bytes, so a page of at least 64 is never empty.
        let limit = cap_bytes.saturating_sub(PAGE_OVERHEAD).max(64);
        let mut pages = Vec::new();
        for (index, piece) in pieces.iter().enumerate() {
            let (bytes, mut start) = (piece.bytes(), 0);
            while let Some(rest) = bytes.get(start..).filter(|rest| !rest.is_empty()) {
                let length = piece.part(rest, limit).len().max(1);
                pages.push((index, start..start + length));
                start += length;
            }
        }
        let size = pieces.iter().map(|piece| piece.bytes().len()).sum();
        Self { id: id.into(), pieces, pages, size }
    }

    /// The id at the end of the address.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The address at which clients read it.
    pub fn uri(&self) -> String {
        format!("{RESULTS}{}", self.id)
    }

    /// The size of the content in bytes of JSON text.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Estimated memory use: many small pieces take more than their text.
    pub(super) fn weight(&self) -> usize {
        self.size + PIECE_OVERHEAD * (self.pieces.len() + self.pages.len())
    }

    /// The number of pages.
    pub fn pages(&self) -> usize {
        self.pages.len()
    }

    /// The MIME type of the first piece.
    pub(super) fn mime_type(&self) -> &str {
        self.pieces.first().map_or("text/plain", |piece| &piece.mime_type)
    }

    /// The body of a `resources/read` for one page, from 1; `None` if there is no such page.
    pub(super) fn read(&self, uri: &str, page: usize) -> Option<String> {
        let (piece, range) = self.pages.get(page.checked_sub(1)?)?;
        let piece = self.pieces.get(*piece)?;
        let data = piece.bytes().get(range.clone())?;
        let mut out = String::with_capacity(data.len() + PAGE_OVERHEAD);
        out.push_str("{\"contents\":[");
        let mut contents = ObjectWriter::new(&mut out);
        contents.string("uri", uri).string("mimeType", &piece.mime_type);
        let key = match piece.data {
            Data::Escaped(_) => "text",
            Data::Base64(_) => "blob",
        };
        let value = contents.key(key);
        value.push('"');
        value.push_str(data);
        value.push('"');
        let pages = self.pages();
        let meta = format!(
            "{{\"hobnob/page\":{page},\"hobnob/pages\":{pages},\"hobnob/size\":{}}}",
            self.size
        );
        contents.raw("_meta", &meta);
        contents.end();
        if page < pages {
            let next = format!("{}?page={}", self.uri(), page + 1);
            let note = format!("This is page {page} of {pages}. Read {next} to go on.");
            out.push_str(",{\"uri\":");
            write_string(&mut out, &next);
            out.push_str(",\"mimeType\":\"text/plain\",\"text\":");
            write_string(&mut out, &note);
            out.push('}');
        }
        out.push_str("]}");
        Some(out)
    }
}
