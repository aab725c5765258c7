//! One typed event of a call that runs: output of a program, a piece of a model's answer, its end.
//!
//! Services make events, [`Notes`](crate::Notes) carry them, and each view delivers them in its own
//! way: MCP as progress whose message is the event's text for people, a stream as the JSON object.
//! Where an event comes from and its number are added at delivery, never here.

use hobnob_mcp_types::json::write_string;
use serde::Serialize;
use std::borrow::Cow;

/// Letters of a kind that comes from elsewhere.
const LONGEST_KIND: usize = 64;

/// What an event begins with as JSON: its kind follows.
const KIND: &str = r#"{"type":"#;
/// Bytes around the text of a string.
const QUOTES: usize = 2;
const END: &str = "}";

/// Something that a call says while it runs, with a kind that tells what its members mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamEvent {
    kind: Cow<'static, str>,
    text: EventText,
    /// Further members as JSON text, each with a comma in front.
    members: String,
}

/// What an event says in words.
#[derive(Debug, Clone, PartialEq, Eq)]
enum EventText {
    /// It has only members.
    Absent,
    /// One member is a text, and that is what people read.
    Member { name: TextMember, text: String },
    /// What people read is no member.
    Beside(String),
}

/// The member of an event that has its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextMember {
    /// `text`, of what a model says.
    Text,
    /// `data`, of what a program writes.
    Data,
    /// `message`, of everything else.
    Message,
}

impl TextMember {
    /// What stands before its value in JSON.
    fn json(self) -> &'static str {
        match self {
            Self::Text => r#","text":"#,
            Self::Data => r#","data":"#,
            Self::Message => r#","message":"#,
        }
    }
}

impl StreamEvent {
    /// The member of `_meta` that has the kind of an event which travels as progress.
    pub const META_KEY: &'static str = "dev.hobnob/event";
    /// The kind of the event that begins a stream; not every stream has one.
    pub const START: &'static str = "start";
    /// The kind of a piece of text that is the result, or part of it.
    pub const CONTENT: &'static str = "content";
    /// The kind of a piece of what a model thinks before it answers.
    pub const THINKING: &'static str = "thinking";
    /// The kind of an event that says which tool a model uses.
    pub const TOOL_USE: &'static str = "tool_use";
    /// The kind of an event that has what such a tool answered.
    pub const TOOL_RESULT: &'static str = "tool_result";
    /// The kind of the event that ends a stream which failed.
    pub const ERROR: &'static str = "error";
    /// The kind of the event that ends a stream which did not fail.
    pub const COMPLETE: &'static str = "complete";

    /// An event without members; `kind` is a word in lower case.
    pub fn new(kind: impl Into<Cow<'static, str>>) -> Self {
        Self { kind: kind.into(), text: EventText::Absent, members: String::new() }
    }

    /// The stream begins; members may say more.
    pub fn start() -> Self {
        Self::new(Self::START)
    }

    /// A piece of text, which need not be a whole word.
    pub fn content(text: impl Into<String>) -> Self {
        Self::new(Self::CONTENT).with_text(TextMember::Text, text)
    }

    /// A piece of what a model thinks.
    pub fn thinking(text: impl Into<String>) -> Self {
        Self::new(Self::THINKING).with_text(TextMember::Text, text)
    }

    /// A model uses a tool, with this input.
    pub fn tool_use(tool: &str, input: &impl Serialize) -> Self {
        let message = format!("Using tool: {tool}");
        Self::new(Self::TOOL_USE).with("tool_name", tool).with("input", input).for_people(message)
    }

    /// The stream ends, because something failed.
    pub fn error(message: &str) -> Self {
        Self::new(Self::ERROR).with("message", message)
    }

    /// The stream ends, and nothing failed. Members say how.
    pub fn complete() -> Self {
        Self::new(Self::COMPLETE)
    }

    /// An event that travelled as progress: its kind and its text for people are all that is left of
    /// it. Nothing if the kind is no word.
    pub fn from_progress(kind: &str, message: Option<&str>) -> Option<Self> {
        let is_word = |kind: &str| kind.bytes().all(|it| it.is_ascii_lowercase() || it == b'_');
        if kind.is_empty() || LONGEST_KIND < kind.len() || !is_word(kind) {
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

    /// Sets a member to a text that is also what people read of the event. It becomes the first
    /// member.
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

    /// Adds a member whose value is JSON text already.
    #[must_use]
    pub fn with_json(mut self, member: &str, json: &str) -> Self {
        self.members.push(',');
        write_string(&mut self.members, member);
        self.members.push(':');
        self.members.push_str(json);
        self
    }

    /// Sets what people read of the event, if it is no member of it.
    #[must_use]
    pub fn for_people(self, message: impl Into<String>) -> Self {
        Self { text: EventText::Beside(message.into()), ..self }
    }

    /// The content type of the event, which is also its member `type`.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// What people read of it, if anything.
    #[must_use]
    pub fn message(&self) -> Option<&str> {
        match &self.text {
            EventText::Absent => None,
            EventText::Member { text, .. } | EventText::Beside(text) => Some(text),
        }
    }

    /// Whether nothing may come after it.
    #[must_use]
    pub fn is_end(&self) -> bool {
        [Self::COMPLETE, Self::ERROR].contains(&&*self.kind)
    }

    /// As many bytes as [`Self::write_json`] appends, unless something must be escaped. Text that
    /// fills its room exactly becomes a message without another allocation.
    #[must_use]
    pub fn json_room(&self) -> usize {
        let text = match &self.text {
            EventText::Absent | EventText::Beside(_) => 0,
            EventText::Member { name, text } => name.json().len() + text.len() + QUOTES,
        };
        KIND.len() + self.kind.len() + QUOTES + text + self.members.len() + END.len()
    }

    /// The event as a JSON object with its kind as `type`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::with_capacity(self.json_room());
        self.write_json(&mut out);
        out
    }

    /// Appends what [`Self::to_json`] gives.
    pub fn write_json(&self, out: &mut String) {
        out.push_str(KIND);
        write_string(out, &self.kind);
        if let EventText::Member { name, text } = &self.text {
            out.push_str(name.json());
            write_string(out, text);
        }
        out.push_str(&self.members);
        out.push_str(END);
    }
}

/// One of the two streams that a program writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OutputStream {
    /// The standard output, which has what a program was run for.
    Stdout,
    /// The standard error, which has what it says about its work.
    Stderr,
}

impl OutputStream {
    /// The word on the wire: `stdout` or `stderr`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }

    /// The stream with this word, if there is one.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Stdout, Self::Stderr].into_iter().find(|stream| stream.as_str() == word)
    }

    /// A piece of what a program wrote to this stream, which need not be a whole line.
    pub fn event(self, text: impl Into<String>) -> StreamEvent {
        StreamEvent::new(self.as_str()).with_text(TextMember::Data, text)
    }
}
