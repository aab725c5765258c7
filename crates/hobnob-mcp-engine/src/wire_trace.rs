//! The wire trace: logs which messages pass and how they are structured, without any of their
//! values.
//!
//! Server, client and toolbox log under one target; the server adds how long calls take. While the
//! trace is off, it costs one check of the log level. Anything a peer sends may be a secret, so the
//! trace has only text that is ours or was checked: known methods, ids, short plain keys, types and
//! sizes.

use crate::fault::ArgumentProblems;
use hobnob_mcp_types::json::{elements, entries, object, unescape};
use hobnob_mcp_types::{
    Incoming, Message, Method, MethodName, Request, RequestId, Response, Undecodable,
};
use tracing::Level;

/// The target of all trace lines. Connections that are always traced log at `INFO`, all others at
/// `DEBUG`.
pub const WIRE_TARGET: &str = "hobnob::wire";

/// The longest shape of a message that is logged.
const MAX_SHAPE_BYTES: usize = 2048;
/// How deep a message is traversed.
const MAX_DEPTH: usize = 6;
/// Members of one object that are named; the rest is counted.
const MAX_MEMBERS: usize = 32;
/// The longest key or id that is repeated; of a longer one only the length is logged.
const MAX_WORD_BYTES: usize = 48;
/// Digits in a key or textual id that is repeated: secrets have more.
const MAX_DIGITS: usize = 4;

/// Which connections are traced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WireTrace {
    /// Those for which the log level enables it.
    #[default]
    ByLevel,
    /// This connection, at every log level that includes `INFO`.
    Always,
}

/// The direction of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireDirection {
    /// From the peer to this process.
    Received,
    /// From this process to the peer.
    Sent,
}

impl WireDirection {
    fn word(self) -> &'static str {
        match self {
            Self::Received => "received",
            Self::Sent => "sent",
        }
    }
}

impl WireTrace {
    /// Whether the trace is enabled.
    #[inline]
    pub fn is_on(self) -> bool {
        match self {
            Self::ByLevel => tracing::enabled!(target: WIRE_TARGET, Level::DEBUG),
            Self::Always => tracing::enabled!(target: WIRE_TARGET, Level::INFO),
        }
    }

    /// Logs the shape of a message sent to the peer of this name.
    #[inline]
    pub fn sent(self, peer: &str, message: &str) {
        if self.is_on() {
            self.write(peer, WireDirection::Sent, message.len(), &redacted(message));
        }
    }

    /// Logs the shape of a message received from the peer of this name.
    #[inline]
    pub fn received(self, peer: &str, message: Result<&Incoming, &Undecodable>) {
        if self.is_on() {
            self.write_received(peer, message);
        }
    }

    /// Logs the shape of a request that arrives outside a connection's stream of messages.
    #[inline]
    pub fn received_request(self, peer: &str, request: &Request) {
        if self.is_on() {
            let text = named(&request.method, request.params.raw(), Some(&request.id));
            self.write(peer, WireDirection::Received, text.len(), &redacted(&text));
        }
    }

    /// Logs which arguments of a call did not match the tool's schema.
    #[inline]
    pub fn unfit_arguments(self, tool: &str, wrong: &ArgumentProblems) {
        if self.is_on() {
            self.write_unfit(tool, wrong);
        }
    }

    #[cold]
    fn write_unfit(self, tool: &str, wrong: &ArgumentProblems) {
        for problem in &wrong.problems {
            let (path, received) = (shown_path(&problem.path), problem.received);
            match self {
                Self::ByLevel => {
                    tracing::debug!(target: WIRE_TARGET, tool, path, received, "unfit argument");
                }
                Self::Always => {
                    tracing::info!(target: WIRE_TARGET, tool, path, received, "unfit argument");
                }
            }
        }
    }

    #[cold]
    fn write_received(self, peer: &str, message: Result<&Incoming, &Undecodable>) {
        let text = match message {
            Ok(Incoming::One(message)) => text_of(message),
            Ok(Incoming::Many(_)) => "[]".to_owned(),
            Err(refused) => {
                let code = refused.error.code.0;
                return self.write_unreadable(peer, code);
            }
        };
        self.write(peer, WireDirection::Received, text.len(), &redacted(&text));
    }

    #[cold]
    fn write(self, peer: &str, direction: WireDirection, bytes: usize, shape: &str) {
        let direction = direction.word();
        match self {
            Self::ByLevel => {
                tracing::debug!(target: WIRE_TARGET, peer, direction, bytes, shape, "message");
            }
            Self::Always => {
                tracing::info!(target: WIRE_TARGET, peer, direction, bytes, shape, "message");
            }
        }
    }

    fn write_unreadable(self, peer: &str, code: i64) {
        match self {
            Self::ByLevel => {
                tracing::debug!(target: WIRE_TARGET, peer, code, "a message cannot be read");
            }
            Self::Always => {
                tracing::info!(target: WIRE_TARGET, peer, code, "a message cannot be read");
            }
        }
    }
}

/// A decoded message as text again, without `jsonrpc`; only an enabled trace or an open tap pays.
pub(crate) fn text_of(message: &Message) -> String {
    match message {
        Message::Request(it) => named(&it.method, it.params.raw(), Some(&it.id)),
        Message::Notification(it) => named(&it.method, it.params.raw(), None),
        Message::Response(Response { id, outcome }) => object(|object| {
            if let Some(id) = id {
                id.write(object.key("id"));
            }
            match outcome {
                Ok(result) => object.raw("result", result),
                Err(error) => {
                    object.raw("error", &serde_json::to_string(error).unwrap_or_default())
                }
            };
        }),
    }
}

pub(crate) fn named(method: &MethodName, params: &str, id: Option<&RequestId>) -> String {
    object(|object| {
        if let Some(id) = id {
            id.write(object.key("id"));
        }
        object.string("method", method.as_str()).raw("params", params);
    })
}

/// A path into the arguments, with names that a caller may have invented replaced by their length.
pub(crate) fn shown_path(path: &str) -> String {
    let shown = |name: &str| {
        // Indexes of lists follow a name; digits without brackets are a part of it.
        let word = name.find('[').map_or(name, |at| &name[..at]);
        let indexes = &name[word.len()..];
        let are_indexes = indexes.bytes().all(|it| it.is_ascii_digit() || b"[]".contains(&it));
        match is_plain(word) && are_indexes && indexes.len() <= MAX_WORD_BYTES {
            true => name.to_owned(),
            false => format!("key({})", name.len()),
        }
    };
    let mut path: String = path.split('.').map(shown).collect::<Vec<_>>().join(".");
    path.truncate(MAX_SHAPE_BYTES);
    path
}

/// A JSON message's structure without values, bounded, in ASCII; a final `…` marks a cut.
/// `{"id":7,"method":"tools/call","params":{"name":string(11)}}` is an example.
pub fn redacted(json: &str) -> String {
    let mut shape = Shape { out: String::new(), full: false };
    match json.trim_start().starts_with('{') {
        true => shape.message(json),
        false => shape.value(json, 0),
    }
    if shape.full {
        shape.out.push('…');
    }
    shape.out
}

struct Shape {
    out: String,
    /// Whether the rest was cut off.
    full: bool,
}

impl Shape {
    /// The envelope: its id, method and error code may be shown.
    fn message(&mut self, json: &str) {
        self.object(json, 0, |shape, key, value| match key {
            "id" => shape.id(value),
            "method" => match unquoted(value).as_deref().and_then(Method::parse) {
                Some(method) => shape.push(&format!("\"{}\"", method.as_str())),
                None => shape.value(value, 1),
            },
            "error" => shape.object(value, 1, |shape, key, value| match key {
                "code" if value.parse::<i64>().is_ok() => shape.push(value),
                _ => shape.value(value, 2),
            }),
            _ => shape.value(value, 1),
        });
    }

    fn id(&mut self, value: &str) {
        let is_number = value.len() <= 20 && value.parse::<i64>().is_ok();
        match is_number || unquoted(value).is_some_and(|text| is_plain(&text)) {
            true => self.push(value),
            false => self.value(value, 1),
        }
    }

    fn object(&mut self, json: &str, depth: usize, member: impl Fn(&mut Self, &str, &str)) {
        let members = entries(json);
        self.push("{");
        for (at, (key, value)) in members.iter().enumerate() {
            if self.full {
                return;
            }
            if at > 0 {
                self.push(",");
            }
            if at == MAX_MEMBERS || depth >= MAX_DEPTH {
                self.push(&format!("{} more", members.len() - at));
                break;
            }
            match is_plain(key) {
                true => self.push(&format!("\"{key}\":")),
                false => self.push(&format!("key({}):", key.len())),
            }
            member(self, key, value);
        }
        self.push("}");
    }

    fn value(&mut self, json: &str, depth: usize) {
        let json = json.trim();
        match json.as_bytes().first() {
            Some(b'{') => {
                self.object(json, depth, |shape, _, value| shape.value(value, depth + 1));
            }
            Some(b'[') => self.array(json, depth),
            Some(b'"') => self.push(&format!("string({})", json.len().saturating_sub(2))),
            Some(b't' | b'f') => self.push("boolean"),
            Some(b'n') => self.push("null"),
            Some(_) => self.push("number"),
            None => self.push("nothing"),
        }
    }

    /// Items mostly have the same structure: shows their number and the structure of the first.
    fn array(&mut self, json: &str, depth: usize) {
        let items = elements(json);
        self.push(&format!("[{}", items.len()));
        if let Some(first) = items.first().filter(|_| depth < MAX_DEPTH) {
            self.push(": ");
            self.value(first, depth + 1);
        }
        self.push("]");
    }

    fn push(&mut self, text: &str) {
        if self.full || self.out.len() + text.len() > MAX_SHAPE_BYTES {
            self.full = true;
            return;
        }
        self.out.push_str(text);
    }
}

fn unquoted(json: &str) -> Option<String> {
    let inside = json.trim().strip_prefix('"')?.strip_suffix('"')?;
    unescape(inside).map(|text| text.into_owned())
}

/// Whether a key or an id may be repeated: short, without spaces, and with few digits.
fn is_plain(word: &str) -> bool {
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-/$".contains(&byte);
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    (1..=MAX_WORD_BYTES).contains(&word.len()) && word.bytes().all(legal) && digits <= MAX_DIGITS
}
