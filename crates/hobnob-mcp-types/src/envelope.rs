//! The JSON-RPC envelope: decoded once, `params` and `result` left as text.
//!
//! Transports pass in whole texts; the edges take the messages. A text that decodes here has only
//! one meaning: it has no duplicate keys, and no key that differs from one of ours only by case.

use crate::envelope_scan::{EnvelopeParts, MessageKind};
use crate::error::{ErrorCode, RpcError};
use crate::id::RequestId;
use crate::json::{Cursor, JsonError, Span, is_half_pair, replace_lone_surrogates};
use crate::lookalike::is_disguised;
use crate::method::MethodName;
use crate::params::{ParamFields, Params};
use crate::result_text::{ResultText, begins_like_keyword};
use std::borrow::Cow;

/// One JSON-RPC message, its body still text.
#[derive(Debug)]
pub enum Message {
    /// Has a `method` and an `id`: the peer waits for a response.
    Request(Request),
    /// Has a `method` and no `id`: it is never answered.
    Notification(Notification),
    /// Has a `result` or an `error`: it answers one of our requests.
    Response(Response),
}

/// A request of the peer, which must be answered once.
#[derive(Debug)]
pub struct Request {
    /// The id that the response must repeat.
    pub id: RequestId,
    /// The method the peer calls; it may be one we do not know.
    pub method: MethodName,
    /// The parameters as text; an absent `params` reads as an empty object.
    pub params: Params,
}

/// A message of the peer that wants no answer.
#[derive(Debug)]
pub struct Notification {
    /// The method that says what it is about.
    pub method: MethodName,
    /// The parameters as text; an absent `params` reads as an empty object.
    pub params: Params,
}

/// An answer to one of our own requests.
#[derive(Debug)]
pub struct Response {
    /// The id we asked under; a peer that could not read it leaves it out.
    pub id: Option<RequestId>,
    /// The result as JSON text, or the error.
    pub outcome: Result<ResultText, RpcError>,
}

/// A text that is one message, or many.
#[derive(Debug)]
pub enum Incoming {
    /// A single message, which is the normal case.
    One(Message),
    /// An array; whether that is allowed depends on the revision, so it is not opened yet.
    Many(Batch),
}

/// Why a text is not a message, and which call it belongs to if that much could be read.
#[derive(Debug)]
pub struct Undecodable {
    /// What the sender gets as an answer.
    pub error: RpcError,
    /// The id in the text, if it has exactly one that is legal.
    pub id: Option<RequestId>,
    /// Whether the text is a call or an answer, as far as its members say.
    pub kind: MessageKind,
}

/// An array of messages, still as text.
#[derive(Debug, Clone)]
pub struct Batch(String);

/// The members of an envelope. Anything that differs from one of them only by case is refused,
/// since a peer behind us might read it as the real one.
const MEMBERS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

impl Incoming {
    /// Decodes a text.
    ///
    /// A lone surrogate escape (`"\ud800"`, as JavaScript writes strings that were cut within a
    /// character) is replaced by U+FFFD, as other implementations do; [`Self::decode_noting`]
    /// reports how many.
    pub fn decode(text: String) -> Result<Self, Undecodable> {
        Self::decode_noting(text, |_| ())
    }

    /// Like [`Self::decode`]; calls `replaced` with the number of lone surrogates, if any.
    pub fn decode_noting(text: String, replaced: impl FnOnce(usize)) -> Result<Self, Undecodable> {
        Self::decode_text(text.into(), replaced)
    }

    /// Decodes the bytes of a line or a body. Only what the message keeps is copied.
    pub fn decode_bytes(bytes: &[u8]) -> Result<Self, Undecodable> {
        Self::decode_bytes_noting(bytes, |_| ())
    }

    /// Like [`Self::decode_bytes`]; if it replaces lone surrogates, it calls `replaced` with their
    /// number.
    pub fn decode_bytes_noting(
        bytes: &[u8],
        replaced: impl FnOnce(usize),
    ) -> Result<Self, Undecodable> {
        // Every byte of every message is validated here, so the check uses SIMD. It does not report
        // where the text is wrong; `not_utf8` finds that with the slower check.
        match simdutf8::basic::from_utf8(bytes) {
            Ok(text) => Self::decode_text(text.into(), replaced),
            Err(_) => Err(Undecodable::not_utf8(bytes)),
        }
    }

    fn decode_text(text: Cow<'_, str>, replaced: impl FnOnce(usize)) -> Result<Self, Undecodable> {
        match Cursor::new(&text).peek() {
            Some(b'[') => Ok(Self::Many(Batch(text.into_owned()))),
            _ => Message::decode_noting(text, replaced).map(Self::One),
        }
    }
}

impl Batch {
    /// The text of the whole array.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Decodes the messages. An empty array, or more than `max` elements, is refused as a whole.
    pub fn split(mut self, max: usize) -> Result<Vec<Result<Message, Undecodable>>, Undecodable> {
        match self.spans(max) {
            Err(error) if is_lone_surrogate(error, &self.0) => {
                replace_lone_surrogates(&mut self.0);
                self.spans(max)
            }
            spans => spans,
        }
        .map_err(|error| Undecodable::json_error(error, &self.0))?
        .map(|spans| {
            let decode = |span: Span| Message::decode_noting(span.of(&self.0).into(), |_| ());
            spans.into_iter().map(decode).collect()
        })
    }

    /// Finds the messages, or says why their number is refused.
    fn spans(&self, max: usize) -> Result<Result<Vec<Span>, Undecodable>, JsonError> {
        let mut spans = Vec::new();
        let mut count = 0usize;
        let mut cursor = Cursor::new(&self.0);
        let walked = cursor.array(|span| {
            count += 1;
            if count <= max {
                spans.push(span);
            }
        });
        walked.and_then(|()| cursor.finish())?;
        if count == 0 {
            return Ok(Err(Undecodable::invalid("an empty batch")));
        }
        if count > max {
            let message = format!("a batch of {count} messages, the limit is {max}");
            return Ok(Err(Undecodable::invalid(message)));
        }
        Ok(Ok(spans))
    }
}

/// The members that the first pass over a message finds.
#[derive(Default)]
struct Members {
    jsonrpc: Option<Span>,
    id: Option<Span>,
    method: Option<Span>,
    params: Option<Span>,
    result: Option<Span>,
    error: Option<Span>,
    disguised: Option<Span>,
    fields: ParamFields,
    /// The number of strings in the result that begin like a keyword.
    keywords: usize,
}

impl Message {
    /// Decodes the text of one message; an array is refused.
    pub fn decode(text: String) -> Result<Self, Undecodable> {
        Self::decode_noting(text.into(), |_| ())
    }

    fn decode_noting(
        mut text: Cow<'_, str>,
        replaced: impl FnOnce(usize),
    ) -> Result<Self, Undecodable> {
        let mut members = Members::default();
        let mut walked = members.walk(&text);
        if walked.is_err_and(|error| is_lone_surrogate(error, &text)) {
            replaced(replace_lone_surrogates(text.to_mut()));
            members = Members::default();
            walked = members.walk(&text);
        }
        walked.map_err(|error| Undecodable::json_error(error, &text))?;
        let id = members.id.map(|span| span.of(&text));
        let known_id = id.and_then(RequestId::from_json);
        let refuse = |message: &'static str| {
            let error = RpcError::invalid_request(message);
            Err(Undecodable { error, id: known_id.clone(), kind: members.kind() })
        };
        if members.disguised.is_some() {
            return refuse("a member differs from a JSON-RPC member only by case");
        }
        if members.jsonrpc.map(|span| span.of(&text)) != Some("\"2.0\"") {
            return refuse("`jsonrpc` must be \"2.0\"");
        }
        if id.is_some() && known_id.is_none() {
            let absent = id == Some("null") && members.error.is_some();
            if !absent {
                return refuse("`id` must be a string or an integer, not null");
            }
        }
        match (members.method, members.result, members.error) {
            (Some(method), None, None) => members.call(method, known_id, text.into_owned()),
            (None, Some(result), None) if known_id.is_some() => {
                let result = ResultText::new(result.of(&text), members.keywords);
                Ok(Self::Response(Response { id: known_id, outcome: Ok(result) }))
            }
            (None, None, Some(error)) => match serde_json::from_str(error.of(&text)) {
                Ok(error) => Ok(Self::Response(Response { id: known_id, outcome: Err(error) })),
                Err(_) => refuse("`error` must have an integer `code` and a string `message`"),
            },
            (None, None, None) => refuse("neither a request nor a response: no `method`"),
            _ => refuse("`method`, `result` and `error` exclude each other"),
        }
    }
}

impl Members {
    fn kind(&self) -> MessageKind {
        if self.method.is_some() {
            MessageKind::Call
        } else if self.result.or(self.error).or(self.jsonrpc).is_some() {
            MessageKind::Answer
        } else {
            MessageKind::Unknown
        }
    }

    fn walk(&mut self, text: &str) -> Result<(), JsonError> {
        let mut cursor = Cursor::new(text);
        if cursor.peek() != Some(b'{') {
            // JSON that is not an object and text that is not JSON are different errors.
            cursor.value()?;
            return cursor.finish();
        }
        cursor.members(|cursor, key, key_span| {
            let place = match key {
                "jsonrpc" => &mut self.jsonrpc,
                "id" => &mut self.id,
                "method" => &mut self.method,
                "result" => {
                    let (result, keywords) = cursor.value_counting(begins_like_keyword)?;
                    (self.result, self.keywords) = (Some(result), keywords);
                    return Ok(());
                }
                "error" => &mut self.error,
                "params" => {
                    self.params = Some(params(cursor, &mut self.fields)?);
                    return Ok(());
                }
                other => {
                    if is_disguised(other, &MEMBERS) {
                        self.disguised = Some(key_span);
                    }
                    cursor.value()?;
                    return Ok(());
                }
            };
            *place = Some(cursor.value()?);
            Ok(())
        })?;
        cursor.finish()
    }

    fn call(
        self,
        method: Span,
        id: Option<RequestId>,
        text: String,
    ) -> Result<Message, Undecodable> {
        let raw = method.of(&text);
        let plain = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let name = match plain {
            Some(plain) if !plain.contains('\\') => MethodName::parse(plain),
            Some(_) => {
                let name: String = serde_json::from_str(raw).unwrap_or_default();
                MethodName::parse(&name)
            }
            None => {
                let error = RpcError::invalid_request("`method` must be a string");
                return Err(Undecodable { error, id, kind: MessageKind::Call });
            }
        };
        let params = Params::new(text, self.params, self.fields);
        Ok(match id {
            Some(id) => Message::Request(Request { id, method: name, params }),
            None => Message::Notification(Notification { method: name, params }),
        })
    }
}

/// Moves past `params` and notes its members, so that later readers need not search for them.
fn params(cursor: &mut Cursor<'_>, fields: &mut ParamFields) -> Result<Span, JsonError> {
    if cursor.peek() != Some(b'{') {
        return cursor.value();
    }
    let start = cursor.position();
    *fields = ParamFields::read(cursor)?;
    Ok(Span::new(start, cursor.position()))
}

impl Undecodable {
    /// A message that is refused as a whole, without a look at its members.
    pub fn invalid(message: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        Self { error: RpcError::invalid_request(message), id: None, kind: MessageKind::Unknown }
    }

    /// A message over the length limit; `parts` is all the scanner could read of it.
    pub fn too_long(limit: usize, parts: EnvelopeParts) -> Self {
        let message = format!("a message longer than {limit} bytes was skipped");
        Self { error: RpcError::invalid_request(message), id: parts.id, kind: parts.kind }
    }

    /// The id to answer a request under; none if the text is not JSON, as JSON-RPC requires.
    pub fn answer_id(&self) -> Option<&RequestId> {
        self.id.as_ref().filter(|_| self.error.code != ErrorCode::PARSE)
    }

    fn not_utf8(bytes: &[u8]) -> Self {
        let at = std::str::from_utf8(bytes).err().map_or(0, |error| error.valid_up_to());
        let error = RpcError::new(ErrorCode::PARSE, format!("not valid UTF-8 at byte {at}"));
        let EnvelopeParts { id, kind } = EnvelopeParts::of(bytes);
        Self { error, id, kind }
    }

    fn json_error(error: JsonError, text: &str) -> Self {
        let code = match error {
            JsonError::Syntax(_) | JsonError::TooDeep(_) => ErrorCode::PARSE,
            JsonError::DuplicateKey(_) => ErrorCode::INVALID_REQUEST,
        };
        let EnvelopeParts { id, kind } = EnvelopeParts::of(text.as_bytes());
        Self { error: RpcError::new(code, error.to_string()), id, kind }
    }
}

/// Whether a text is refused because of a lone surrogate escape.
fn is_lone_surrogate(error: JsonError, text: &str) -> bool {
    matches!(error, JsonError::Syntax(at) if text.as_bytes().get(at..).is_some_and(is_half_pair))
}
