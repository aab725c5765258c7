//! Cuts a result of `tools/call` down to the cap, and explains the cut inside the result.

use super::cut::{cut_escaped, fair_share};
use super::pages::{Piece, SpillContent};
use crate::rewrite::{Member, members, quoted, string_value};
use hobnob_mcp_engine::NoRandomness;
use hobnob_mcp_types::json::{elements, field, object};

/// The smallest effective cap: the explanation must fit, too.
pub const MIN_CAP_BYTES: usize = 2048;
/// Bytes reserved for the explanation, the link and the braces around them.
const RESERVED_BYTES: usize = 1200;
/// A text cut shorter than this is left out: it would say nothing.
const MIN_TEXT_BYTES: usize = 16;

/// A result within the cap.
#[derive(Debug, PartialEq, Eq)]
pub enum Capped {
    /// The result was short enough and is unchanged.
    Fits(String),
    /// The result was cut, and `rest` contains what was cut off.
    Cut {
        /// The result to pass on to the client.
        body: String,
        /// The content to store until the client reads it.
        rest: SpillContent,
    },
}

/// Cuts a result of `tools/call` (JSON text) down to the cap.
///
/// `make_id` is called only if something is cut; ids must be hard to guess and plain ASCII.
pub fn cap(
    body: String,
    cap_bytes: usize,
    make_id: impl FnOnce() -> Result<Box<str>, NoRandomness>,
) -> Result<Capped, NoRandomness> {
    let cap_bytes = cap_bytes.max(MIN_CAP_BYTES);
    if body.len() <= cap_bytes {
        return Ok(Capped::Fits(body));
    }
    let parts = members(&body).unwrap_or_default();
    let mut cutter = Cutter::default();
    if parts.is_empty() {
        cutter.pieces.push(Piece::text("application/json", &body));
    }
    cutter.measure(&parts, cap_bytes.saturating_sub(RESERVED_BYTES));
    let id = String::from(make_id()?);
    let mut rest = SpillContent::new(id.clone(), std::mem::take(&mut cutter.pieces), cap_bytes);
    let mut out = cutter.assemble(&parts, &ending(&cutter, &rest, body.len(), cap_bytes));
    if out.len() > cap_bytes {
        // The explanation exceeds the reserve: pass on nothing else and store everything.
        let whole = Piece::text("application/json", &body);
        rest = SpillContent::new(id, vec![whole], cap_bytes);
        let alone = Cutter { forced_error: cutter.forced_error, ..Cutter::default() };
        out = alone.assemble(&[], &ending(&alone, &rest, body.len(), cap_bytes));
    }
    Ok(Capped::Cut { body: out, rest })
}

/// Which parts of one result are passed on, and which are stored.
#[derive(Default)]
struct Cutter {
    /// The content blocks to pass on.
    blocks: Vec<String>,
    /// The parts to store.
    pieces: Vec<Piece>,
    /// The members that are not passed on.
    dropped: Vec<Box<str>>,
    /// Whether the structured content is gone, so that the result must not count as a success.
    forced_error: bool,
}

impl Cutter {
    fn measure(&mut self, parts: &[Member<'_>], mut budget: usize) {
        let special = ["content", "structuredContent", "isError"];
        let others = || parts.iter().filter(|part| !special.contains(&&*part.key));
        let weight: usize = others().map(|part| part.whole.len() + 1).sum();
        if weight > budget / 2 {
            for part in others() {
                self.drop_member(part);
            }
        } else {
            budget -= weight;
        }
        if let Some(data) = parts.iter().find(|part| part.key == "structuredContent") {
            match budget.checked_sub(data.whole.len() + 1) {
                Some(left) => budget = left,
                None => {
                    self.drop_member(data);
                    self.forced_error = true;
                }
            }
        }
        if let Some(content) = parts.iter().find(|part| part.key == "content") {
            let blocks = elements(content.value);
            let sizes: Vec<usize> = blocks.iter().map(|block| block.len() + 1).collect();
            let fair_share = fair_share(&sizes, budget);
            for block in blocks {
                self.block(block, fair_share);
            }
        }
    }

    fn drop_member(&mut self, part: &Member<'_>) {
        self.pieces.push(Piece::text("application/json", part.value));
        self.dropped.push((&*part.key).into());
    }

    /// Passes on a block within the share, cuts a text, replaces other blocks by a description.
    fn block(&mut self, block: &str, fair_share: usize) {
        if block.len() < fair_share {
            self.blocks.push(block.to_owned());
            return;
        }
        let instead = match Content::of(block) {
            Content::Text { inside } => {
                self.pieces.push(Piece::escaped("text/plain", inside));
                let around = block.len() - inside.len();
                let room = fair_share.saturating_sub(around + 1);
                (room >= MIN_TEXT_BYTES).then(|| shorten(block, inside, room))
            }
            Content::Other { what, piece } => {
                self.pieces.push(piece);
                Some(text_block(&format!("[{what}: too big, left out here]")))
            }
        };
        self.blocks.extend(instead.filter(|instead| instead.len() < fair_share));
    }

    fn assemble(&self, parts: &[Member<'_>], ending: &str) -> String {
        let mut content = String::from("[");
        for block in &self.blocks {
            content.push_str(block);
            content.push(',');
        }
        content.push_str(ending);
        content.push(']');
        object(|out| {
            let mut missing = true;
            for part in parts.iter().filter(|part| !self.dropped.contains(&Box::from(&*part.key))) {
                match &*part.key {
                    "content" => {
                        out.raw("content", &content);
                        missing = false;
                    }
                    "isError" if self.forced_error => {}
                    _ => {
                        out.members_of(&format!("{{{}}}", part.whole));
                    }
                }
            }
            if missing {
                out.raw("content", &content);
            }
            if self.forced_error {
                out.raw("isError", "true");
            }
        })
    }
}

/// A content block, as cutting sees it.
enum Content<'a> {
    /// A text, as JSON-escaped between its quotes.
    Text { inside: &'a str },
    /// A block that is useless when cut.
    Other { what: String, piece: Piece },
}

impl<'a> Content<'a> {
    fn of(block: &'a str) -> Self {
        let text = |object: &'a str, key: &str| field(object, key).and_then(string_value);
        let kind = text(block, "type").unwrap_or_default();
        let holder =
            if kind == "resource" { field(block, "resource").unwrap_or(block) } else { block };
        let mime = text(holder, "mimeType").unwrap_or_default();
        let mut label = if mime.is_empty() { kind.to_string() } else { format!("{kind}, {mime}") };
        label.truncate(label.floor_char_boundary(160));
        let what = format!("{label}, {} bytes", block.len());
        let inside = |key| field(holder, key)?.strip_prefix('"')?.strip_suffix('"');
        match &*kind {
            "text" => match inside("text") {
                Some(inside) => Self::Text { inside },
                None => Self::Other { what, piece: Piece::text("application/json", block) },
            },
            _ => {
                let blob = text(holder, "data").or_else(|| text(holder, "blob"));
                let piece = match (blob, inside("text")) {
                    (Some(blob), _) if is_base64(&blob) => Piece::base64(&mime, &blob),
                    (_, Some(inside)) => Piece::escaped(&mime, inside),
                    _ => Piece::text("application/json", block),
                };
                Self::Other { what, piece }
            }
        }
    }
}

fn is_base64(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte))
}

/// A text block with only the start of its text; annotations and other members stay.
fn shorten(block: &str, inside: &str, room: usize) -> String {
    let mut patch = crate::rewrite::Patch::new(block);
    patch.replace(inside, cut_escaped(inside, room).to_owned());
    patch.finish().into_owned()
}

fn text_block(text: &str) -> String {
    format!("{{\"type\":\"text\",\"text\":{}}}", quoted(text))
}

/// The explanation and the link to the stored rest.
fn ending(cutter: &Cutter, rest: &SpillContent, size: usize, cap_bytes: usize) -> String {
    let (uri, pages) = (rest.uri(), rest.pages());
    let mut explanation = format!(
        "[This result has {size} bytes, and {cap_bytes} is the most that is passed on at once. \
         What was cut is kept whole for a while: read {uri} for page 1 of {pages}"
    );
    if pages > 1 {
        explanation.push_str(&format!(", {uri}?page=2 to go on"));
    }
    explanation.push_str(".]");
    if cutter.forced_error {
        explanation.push_str(
            " [The structured content was too big and is left out, so this result no longer has \
             the form that the tool promises and is marked as an error; the tool itself answered.]",
        );
    }
    let link = object(|out| {
        out.raw("type", "\"resource_link\"").string("uri", &uri);
        out.string("name", &format!("result-{}", rest.id()));
        out.string("title", "The rest of a long result").string("mimeType", rest.mime_type());
        out.raw("size", &rest.size().to_string());
    });
    format!("{},{link}", text_block(&explanation))
}
