//! Typed events of a running call: output of a program, part of a model's answer, the end of a
//! stream.
//!
//! Services make events, [`Notes`](crate::Notes) carry them, and each view delivers them in its own
//! way: MCP as progress notifications whose message is the event's text for people, streams as the
//! JSON object. An event's source and number are added at delivery, never here.

use hobnob_mcp_types::json::write_string;
use serde::Serialize;
use std::borrow::Cow;

/// The longest kind accepted from a peer.
const MAX_KIND_BYTES: usize = 64;

/// The start of an event's JSON; its kind follows.
const JSON_START: &str = r#"{"type":"#;
/// Bytes of the quotation marks around a string.
const QUOTES: usize = 2;
const JSON_END: &str = "}";

/// An event of a running call. Its kind says what its members mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamEvent {
    kind: Cow<'static, str>,
    text: EventText,
    /// Further members as JSON text, each with a leading comma.
    members: String,
}

/// The part of an event that people read.
#[derive(Debug, Clone, PartialEq, Eq)]
enum EventText {
    /// The event has only members.
    Absent,
    /// The text is also a member of the event.
    Member { name: TextMember, text: String },
    /// The text is not a member of the event.
    Beside(String),
}

/// The name of the member that holds an event's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextMember {
    /// `text`: what a model says.
    Text,
    /// `data`: what a program writes.
    Data,
    /// `message`: the text of every other kind of event.
    Message,
}

impl TextMember {
    /// The JSON in front of the value.
    fn json(self) -> &'static str {
        match self {
            Self::Text => r#","text":"#,
            Self::Data => r#","data":"#,
            Self::Message => r#","message":"#,
        }
    }
}

impl StreamEvent {
    /// The key in `_meta` that holds an event's kind when the event travels as progress.
    pub const META_KEY: &'static str = "dev.hobnob/event";
    /// The kind of an event that begins a stream; some streams have none.
    pub const START: &'static str = "start";
    /// The kind of a piece of text that is the result or a part of it.
    pub const CONTENT: &'static str = "content";
    /// The kind of a piece of a model's reasoning before its answer.
    pub const THINKING: &'static str = "thinking";
    /// The kind of an event that reports a model's use of a tool.
    pub const TOOL_USE: &'static str = "tool_use";
    /// The kind of an event that reports such a tool's result.
    pub const TOOL_RESULT: &'static str = "tool_result";
    /// The kind of the event that ends a failed stream.
    pub const ERROR: &'static str = "error";
    /// The kind of the event that ends a successful stream.
    pub const COMPLETE: &'static str = "complete";

    /// An event without members; `kind` is a word in lower case.
    pub fn new(kind: impl Into<Cow<'static, str>>) -> Self {
        Self { kind: kind.into(), text: EventText::Absent, members: String::new() }
    }

    /// The start of a stream; add members for details.
    pub fn start() -> Self {
        Self::new(Self::START)
    }

    /// A piece of text, which may end inside a word.
    pub fn content(text: impl Into<String>) -> Self {
        Self::new(Self::CONTENT).with_text(TextMember::Text, text)
    }

    /// A piece of a model's reasoning.
    pub fn thinking(text: impl Into<String>) -> Self {
        Self::new(Self::THINKING).with_text(TextMember::Text, text)
    }

    /// A model's use of a tool, with the tool's input.
    pub fn tool_use(tool: &str, input: &impl Serialize) -> Self {
        let message = format!("Using tool: {tool}");
        Self::new(Self::TOOL_USE).with("tool_name", tool).with("input", input).for_people(message)
    }

    /// The end of a stream that failed.
    pub fn error(message: &str) -> Self {
        Self::new(Self::ERROR).with("message", message)
    }

    /// The end of a stream that did not fail; add members for details.
    pub fn complete() -> Self {
        Self::new(Self::COMPLETE)
    }

    /// Rebuilds an event that travelled as progress, which keeps only the kind and the text for
    /// people. `None` if the kind is not a word in lower case.
    pub fn from_progress(kind: &str, message: Option<&str>) -> Option<Self> {
        let is_word = |kind: &str| kind.bytes().all(|it| it.is_ascii_lowercase() || it == b'_');
        if kind.is_empty() || MAX_KIND_BYTES < kind.len() || !is_word(kind) {
            return None;
        }
        let member = match kind {
            Self::CONTENT | Self::THINKING => TextMember::Text,
            kind if OutputStream::parse(kind).is_some() => TextMember::Data,
            _ => TextMember::Message,
        };
        let event = Self::new(kind.to_owned());
        Some(match message {
            Some(message) => event.with_text(member, message),
            None => event,
        })
    }

    /// Sets the text that people read, which is also the event's first member.
    fn with_text(self, name: TextMember, text: impl Into<String>) -> Self {
        Self { text: EventText::Member { name, text: text.into() }, ..self }
    }

    /// Adds a member. A value that JSON cannot express is left out, and logged.
    #[must_use]
    pub fn with<T: Serialize + ?Sized>(self, member: &str, value: &T) -> Self {
        match serde_json::to_string(value) {
            Ok(json) => self.with_json(member, &json),
            Err(error) => {
                tracing::error!(%error, member, kind = &*self.kind, "an event loses a member");
                self
            }
        }
    }

    /// Adds a member whose value is already JSON text.
    #[must_use]
    pub fn with_json(mut self, member: &str, json: &str) -> Self {
        self.members.push(',');
        write_string(&mut self.members, member);
        self.members.push(':');
        self.members.push_str(json);
        self
    }

    /// Sets the text that people read, if no member holds it.
    #[must_use]
    pub fn for_people(self, message: impl Into<String>) -> Self {
        Self { text: EventText::Beside(message.into()), ..self }
    }

    /// The kind, which is also the member `type` of the JSON form.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The text that people read, if there is one.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        match &self.text {
            EventText::Absent => None,
            EventText::Member { text, .. } | EventText::Beside(text) => Some(text),
        }
    }

    /// Whether this event ends its stream.
    #[must_use]
    pub fn is_end(&self) -> bool {
        [Self::COMPLETE, Self::ERROR].contains(&&*self.kind)
    }

    /// The number of bytes that [`Self::write_json`] appends, if nothing has to be escaped. A
    /// `String` whose capacity is used up exactly becomes a message without another allocation.
    #[must_use]
    pub fn json_room(&self) -> usize {
        let text = match &self.text {
            EventText::Absent | EventText::Beside(_) => 0,
            EventText::Member { name, text } => name.json().len() + text.len() + QUOTES,
        };
        JSON_START.len() + self.kind.len() + QUOTES + text + self.members.len() + JSON_END.len()
    }

    /// The event as a JSON object with its kind as `type`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::with_capacity(self.json_room());
        self.write_json(&mut out);
        out
    }

    /// Appends the text that [`Self::to_json`] returns.
    pub fn write_json(&self, out: &mut String) {
        out.push_str(JSON_START);
        write_string(out, &self.kind);
        if let EventText::Member { name, text } = &self.text {
            out.push_str(name.json());
            write_string(out, text);
        }
        out.push_str(&self.members);
        out.push_str(JSON_END);
    }
}

/// One of a program's two output streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutputStream {
    /// Standard output, the program's result.
    Stdout,
    /// Standard error, the program's diagnostics.
    Stderr,
}

impl OutputStream {
    /// The name on the wire: `stdout` or `stderr`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }

    /// The stream with this name, if there is one.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Stdout, Self::Stderr].into_iter().find(|stream| stream.as_str() == word)
    }

    /// A piece of output on this stream, which may end inside a line.
    pub fn event(self, text: impl Into<String>) -> StreamEvent {
        StreamEvent::new(self.as_str()).with_text(TextMember::Data, text)
    }
}
