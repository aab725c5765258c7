//! Content negotiation: what a client can read (`Accept`), and whether it sent JSON
//! (`Content-Type`). The endpoint calls it before it chooses between one JSON answer and a stream.
//! The exact values of real clients are recognised first; everything else is parsed per RFC 9110.

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};

#[cfg(test)]
mod tests;

/// The two content types of answers, and which of them the client accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepts {
    /// The client accepts `application/json`, the type of most answers.
    pub json: bool,
    /// The client accepts `text/event-stream`, which notifications and server requests need.
    pub event_stream: bool,
}

impl Accepts {
    const BOTH: Self = Self { json: true, event_stream: true };

    /// Reads every `Accept` header of a request; without one, both types are accepted.
    pub fn of(headers: &HeaderMap) -> Self {
        let mut values = headers.get_all(ACCEPT).iter();
        let Some(first) = values.next() else {
            return Self::BOTH;
        };
        match (known_value(first.as_bytes()), values.next()) {
            (Some(known), None) => known,
            _ => parse(headers.get_all(ACCEPT).iter()),
        }
    }

    /// The same, but with streams only if a header names their type. `*/*` or a missing header does
    /// not, as long as JSON is accepted.
    pub fn named(self, headers: &HeaderMap) -> Self {
        let names_streams = |value: &HeaderValue| {
            let named = b"text/event-stream";
            value.as_bytes().windows(named.len()).any(|part| part.eq_ignore_ascii_case(named))
        };
        let is_named = headers.get_all(ACCEPT).iter().any(names_streams);
        Self { event_stream: self.event_stream && (is_named || !self.json), ..self }
    }
}

/// Recognises the header values that nearly every client sends.
fn known_value(value: &[u8]) -> Option<Accepts> {
    match value {
        b"application/json, text/event-stream"
        | b"text/event-stream, application/json"
        | b"application/json,text/event-stream"
        | b"*/*" => Some(Accepts::BOTH),
        b"text/event-stream" => Some(Accepts { json: false, event_stream: true }),
        b"application/json" => Some(Accepts { json: true, event_stream: false }),
        _ => None,
    }
}

/// Whether a type is accepted: the most specific range that matches it decides, in any order.
#[derive(Default)]
struct Verdict {
    specificity: u8,
    welcome: bool,
}

impl Verdict {
    fn consider(&mut self, specificity: u8, welcome: bool) {
        match specificity.cmp(&self.specificity) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => self.welcome |= welcome,
            std::cmp::Ordering::Greater => *self = Self { specificity, welcome },
        }
    }
}

fn parse<'a>(values: impl Iterator<Item = &'a HeaderValue>) -> Accepts {
    let (mut json, mut event_stream) = (Verdict::default(), Verdict::default());
    for value in values {
        for range in split_unquoted(value.as_bytes(), b',') {
            let mut parts = split_unquoted(range, b';');
            let media_type = parts.next().unwrap_or_default().trim_ascii();
            let welcome = !parts.any(is_zero_quality);
            if media_type.eq_ignore_ascii_case(b"application/json") {
                json.consider(3, welcome);
            } else if media_type.eq_ignore_ascii_case(b"text/event-stream") {
                event_stream.consider(3, welcome);
            } else if media_type.eq_ignore_ascii_case(b"application/*") {
                json.consider(2, welcome);
            } else if media_type.eq_ignore_ascii_case(b"text/*") {
                event_stream.consider(2, welcome);
            } else if media_type == b"*/*" {
                json.consider(1, welcome);
                event_stream.consider(1, welcome);
            }
        }
    }
    Accepts { json: json.welcome, event_stream: event_stream.welcome }
}

/// Whether a parameter is `q=0`, `q=0.` or `q=0.000`, with which a client refuses a type.
fn is_zero_quality(parameter: &[u8]) -> bool {
    let (name, value) = split_parameter(parameter);
    let digits = value.strip_prefix(b"0");
    name.eq_ignore_ascii_case(b"q")
        && digits.is_some_and(|rest| match rest.split_first() {
            None => true,
            Some((point, zeros)) => *point == b'.' && zeros.iter().all(|&digit| digit == b'0'),
        })
}

/// Whether the body is announced as JSON: `application/json`, at most with `charset=utf-8`.
///
/// Anything else is refused with 415. This also stops forms on other sites, which can send only a
/// few types without a preflight.
pub fn is_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => names_json(value.as_bytes()),
        _ => false,
    }
}

fn names_json(value: &[u8]) -> bool {
    if value == b"application/json" {
        return true;
    }
    let mut parts = split_unquoted(value, b';');
    let media_type = parts.next().unwrap_or_default().trim_ascii();
    media_type.eq_ignore_ascii_case(b"application/json")
        && parts.all(|parameter| {
            let (name, value) = split_parameter(parameter);
            let bare = value.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
            parameter.trim_ascii().is_empty()
                || name.eq_ignore_ascii_case(b"charset")
                    && bare.unwrap_or(value).eq_ignore_ascii_case(b"utf-8")
        })
}

fn split_parameter(parameter: &[u8]) -> (&[u8], &[u8]) {
    match parameter.iter().position(|&byte| byte == b'=') {
        Some(at) => (parameter[..at].trim_ascii(), parameter[at + 1..].trim_ascii()),
        None => (parameter.trim_ascii(), b""),
    }
}

/// Splits at a separator that is not inside a quoted string.
fn split_unquoted(text: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |&byte| {
        let literal = std::mem::take(&mut escaped);
        match byte {
            _ if literal => false,
            b'"' => {
                quoted = !quoted;
                false
            }
            b'\\' if quoted => {
                escaped = true;
                false
            }
            _ => !quoted && byte == separator,
        }
    })
}
