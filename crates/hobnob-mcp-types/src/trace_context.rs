//! W3C Trace Context: the `traceparent` and `tracestate` that travel in a request's `_meta`
//! (SEP-414), and as HTTP headers.
//!
//! Servers read them, clients and gateways write them. What must stay true: text becomes a context
//! only if it has exactly the format of one, so nothing else travels under these names.

use crate::params::Params;
use std::fmt;
use std::num::{NonZeroU64, NonZeroU128};

/// The key in `_meta`, and the HTTP header, that names the caller's span.
pub const TRACEPARENT: &str = "traceparent";
/// The key in `_meta`, and the HTTP header, with what tracing systems add to it.
pub const TRACESTATE: &str = "tracestate";

/// The flag of a trace whose spans are recorded.
const SAMPLED: u8 = 1;
/// The flags that version 0 defines: whether the trace is recorded, and whether its id is random.
const KNOWN_FLAGS: u8 = SAMPLED | 2;
/// Members of a `tracestate`, and the characters that receivers have to pass on.
const MAX_STATE_MEMBERS: usize = 32;
const MAX_STATE_BYTES: usize = 512;

/// The id of a trace; never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceId(NonZeroU128);

/// The id of a span; never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SpanId(NonZeroU64);

impl TraceId {
    /// The id with this number, which its digits write in hexadecimal.
    pub fn new(number: NonZeroU128) -> Self {
        Self(number)
    }

    /// The number that its 32 digits write.
    pub fn number(self) -> NonZeroU128 {
        self.0
    }
}

impl SpanId {
    /// The id with this number, which its digits write in hexadecimal.
    pub fn new(number: NonZeroU64) -> Self {
        Self(number)
    }

    /// The number that its 16 digits write.
    pub fn number(self) -> NonZeroU64 {
        self.0
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The flags of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceFlags(u8);

impl TraceFlags {
    /// The flags of a trace that begins here and is recorded.
    pub const RECORDED: Self = Self(SAMPLED);

    /// Whether the caller records its spans.
    pub fn is_recorded(self) -> bool {
        self.0 & SAMPLED != 0
    }
}

/// A `traceparent`: a span in its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TraceParent {
    /// The trace that the span is part of.
    pub trace: TraceId,
    /// The span, which is the parent of the spans of the receiver.
    pub span: SpanId,
    /// Whether the trace is recorded.
    pub flags: TraceFlags,
}

impl TraceParent {
    /// Reads the text of a `traceparent`; `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let mut fields = text.split('-');
        let (version, trace, span, flags) =
            (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let [version] = lower_hex::<1>(version)?;
        // Later versions may have more fields; version 0 has none, and 255 is no version.
        if version == u8::MAX || (version == 0 && fields.next().is_some()) {
            return None;
        }
        let [flags] = lower_hex::<1>(flags)?;
        Some(Self {
            trace: TraceId(NonZeroU128::new(u128::from_be_bytes(lower_hex(trace)?))?),
            span: SpanId(NonZeroU64::new(u64::from_be_bytes(lower_hex(span)?))?),
            flags: TraceFlags(flags & KNOWN_FLAGS),
        })
    }

    /// The caller's context in `_meta` of a request; `None` if it has none, or a malformed one.
    pub fn of(params: &Params) -> Option<Self> {
        params.meta(TRACEPARENT).and_then(plain_text).and_then(Self::parse)
    }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { trace, span, flags } = self;
        write!(f, "00-{trace}-{span}-{:02x}", flags.0)
    }
}

/// The `tracestate` in `_meta` of a request; `None` if it has none, or a malformed one.
pub fn tracestate_of(params: &Params) -> Option<&str> {
    params.meta(TRACESTATE).and_then(plain_text).filter(|text| is_tracestate(text))
}

/// Whether this text has the format of a `tracestate`: members such as `key=value`, separated by
/// commas, without control characters.
pub fn is_tracestate(text: &str) -> bool {
    let is_member = |member: &str| {
        let member = member.trim_matches([' ', '\t']);
        let is_key_char =
            |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || b"_-*/@".contains(&c);
        match member.split_once('=') {
            Some((key, value)) => {
                !key.is_empty()
                    && key.bytes().all(is_key_char)
                    && !value.is_empty()
                    && value.bytes().all(|c| (b' '..=b'~').contains(&c) && c != b'=')
            }
            None => member.is_empty(),
        }
    };
    !text.is_empty()
        && text.len() <= MAX_STATE_BYTES
        && text.split(',').count() <= MAX_STATE_MEMBERS
        && text.split(',').all(is_member)
}

/// The text of a JSON string that needs no escapes, as no text of a context does.
fn plain_text(json: &str) -> Option<&str> {
    let text = json.strip_prefix('"')?.strip_suffix('"')?;
    (!text.contains('\\')).then_some(text)
}

fn lower_hex<const N: usize>(digits: &str) -> Option<[u8; N]> {
    let digit = |c: u8| match c {
        b'0'..=b'9' => Some(c - b'0'),
        b'a'..=b'f' => Some(c - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; N];
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{TraceParent, is_tracestate, tracestate_of};
    use crate::Params;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const SPAN: &str = "b7ad6b7169203331";

    #[test]
    fn only_text_of_the_format_is_a_context() {
        for (text, read) in [
            (format!("00-{TRACE}-{SPAN}-01"), Some("01")),
            (format!("00-{TRACE}-{SPAN}-03"), Some("03")),
            // Flags and fields that version 0 does not define are not passed on.
            (format!("00-{TRACE}-{SPAN}-ff"), Some("03")),
            (format!("01-{TRACE}-{SPAN}-01-more"), Some("01")),
            (format!("00-{TRACE}-{SPAN}-00"), Some("00")),
            (format!("00-{TRACE}-{SPAN}-01-more"), None),
            (format!("ff-{TRACE}-{SPAN}-01"), None),
            (format!("00-{}-{SPAN}-01", TRACE.to_uppercase()), None),
            (format!("00-{}-{SPAN}-01", "0".repeat(32)), None),
            (format!("00-{TRACE}-{}-01", "0".repeat(16)), None),
            (format!("00-{TRACE}-{SPAN}"), None),
            (format!("00-{TRACE}-{SPAN}-1"), None),
            (format!("0-{TRACE}-{SPAN}-01"), None),
            (format!("00-{TRACE}x-{SPAN}-01"), None),
            (format!(" 00-{TRACE}-{SPAN}-01"), None),
            (String::new(), None),
        ] {
            let context = TraceParent::parse(&text);
            let wanted = read.map(|flags| format!("00-{TRACE}-{SPAN}-{flags}"));
            assert_eq!(context.map(|it| it.to_string()), wanted, "{text}");
        }
    }

    #[test]
    fn a_state_is_a_list_of_members() {
        let many = |count| vec!["a=b"; count].join(",");
        for (text, is_one) in [
            ("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", true),
            ("a@b=1 , c/d=2,", true),
            (&*many(32), true),
            (&*many(33), false),
            (&*format!("a={}", "b".repeat(510)), true),
            (&*format!("a={}", "b".repeat(511)), false),
            ("", false),
            ("a", false),
            ("a=", false),
            ("=b", false),
            ("A=b", false),
            ("a=b=c", false),
            ("a=\n", false),
            ("a=ä", false),
        ] {
            assert_eq!(is_tracestate(text), is_one, "{text}");
        }
    }

    #[test]
    fn they_are_read_from_meta() {
        let params = |meta: &str| Params::from_json(format!("{{\"_meta\":{meta}}}")).unwrap();
        let parent = format!("00-{TRACE}-{SPAN}-01");
        let both = params(&format!("{{\"traceparent\":\"{parent}\",\"tracestate\":\"a=b\"}}"));
        assert_eq!(TraceParent::of(&both).unwrap().to_string(), parent);
        assert_eq!(tracestate_of(&both), Some("a=b"));
        for meta in ["7", "{}", r#"{"traceparent":7}"#, r#"{"traceparent":"x","tracestate":null}"#]
        {
            assert_eq!(TraceParent::of(&params(meta)), None, "{meta}");
            assert_eq!(tracestate_of(&params(meta)), None, "{meta}");
        }
    }
}
