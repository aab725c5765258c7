//! What the members of a message say about it: its kind, its method, its id, its client.
//!
//! `passing_message` reads one for each recorded message. The texts are a peer's own and may be
//! anything, so they are cut, and what cannot be read is absent.

use hobnob_mcp_types::Revision;
use hobnob_mcp_types::json::{entries, field, unescape};
use hobnob_text::first_chars;
use hobnob_ui::RecordedKind;

/// The longest name of a method or client, and the longest id, that is kept beside a message.
const MAX_NAME_CHARS: usize = 200;

/// The members of a message that describe it.
#[derive(Debug, Clone, Default)]
pub(super) struct Envelope {
    pub(super) method: Option<Box<str>>,
    pub(super) id: Option<Box<str>>,
    /// The request that a notification is about, by its id or its progress token. Ids and tokens are
    /// JSON.
    pub(super) about: Option<Box<str>>,
    /// The token under which the sender wants progress, as JSON.
    pub(super) progress_token: Option<Box<str>>,
    /// What the sender calls itself.
    pub(super) client: Option<Box<str>>,
    pub(super) revision: Option<&'static str>,
}

impl Envelope {
    /// The kind of a readable text, and its members.
    pub(super) fn read(text: &str) -> (RecordedKind, Self) {
        if text.starts_with('[') {
            return (RecordedKind::Batch, Self::default());
        }
        let mut envelope = Self::default();
        let mut kind = RecordedKind::Notification;
        for (name, value) in entries(text) {
            match &*name {
                "method" => envelope.method = string(value),
                "id" => envelope.id = (value.len() <= MAX_NAME_CHARS).then(|| value.into()),
                "params" => envelope.read_params(value),
                "result" => kind = RecordedKind::Answer,
                "error" => kind = RecordedKind::Error,
                _ => {}
            }
        }
        if envelope.method.is_some() && envelope.id.is_some() {
            kind = RecordedKind::Request;
        }
        (kind, envelope)
    }

    fn read_params(&mut self, params: &str) {
        let owned = |value: &str| (value.len() <= MAX_NAME_CHARS).then(|| value.into());
        self.about = field(params, "progressToken").or(field(params, "requestId")).and_then(owned);
        let meta = field(params, "_meta").unwrap_or("{}");
        self.progress_token = field(meta, "progressToken").and_then(owned);
        let info = field(params, "clientInfo")
            .or_else(|| field(meta, "io.modelcontextprotocol/clientInfo"));
        self.client = info.and_then(|info| field(info, "name")).and_then(string);
        let revision = field(meta, "io.modelcontextprotocol/protocolVersion").and_then(string);
        self.revision = revision.and_then(|text| Revision::parse(&text)).map(Revision::as_str);
    }
}

/// The value of a JSON string, shortened.
fn string(value: &str) -> Option<Box<str>> {
    let inside = value.strip_prefix('"')?.strip_suffix('"')?;
    unescape(inside).map(|text| short_name(&text))
}

/// The beginning of a name that a peer chose.
pub(super) fn short_name(name: &str) -> Box<str> {
    first_chars(name, MAX_NAME_CHARS).into()
}
