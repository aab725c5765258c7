//! The ids of a trace and of its spans, and the context that a caller sends in `traceparent`
//! (W3C Trace Context, <https://www.w3.org/TR/trace-context/>).
//!
//! `call_spans` continues the trace of the caller. What must stay true: text of a caller becomes a
//! context only if it is exactly one, so nothing else of it gets to a receiver.

use hobnob_text::hex;

/// The id of a trace; never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TraceId([u8; 16]);

/// The id of a span; never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpanId([u8; 8]);

impl TraceId {
    /// A new one. Ids have to be unique, not secret.
    pub(crate) fn random() -> Self {
        Self(fastrand::u128(1..).to_be_bytes())
    }

    pub(crate) fn text(self) -> String {
        hex::encode(&self.0)
    }
}

impl SpanId {
    pub(crate) fn random() -> Self {
        Self(fastrand::u64(1..).to_be_bytes())
    }

    pub(crate) fn text(self) -> String {
        hex::encode(&self.0)
    }
}

/// What a caller says about its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallerTrace {
    /// Nothing, or nothing that can be understood: a new trace begins.
    None,
    /// Its trace and its span, which it records.
    Recorded(TraceId, SpanId),
    /// It does not record its trace, so that ours would be a piece without a beginning.
    NotRecorded,
}

impl CallerTrace {
    pub(crate) fn parse(text: Option<&str>) -> Self {
        text.and_then(parse).unwrap_or(Self::None)
    }
}

fn parse(text: &str) -> Option<CallerTrace> {
    let mut fields = text.split('-');
    let (version, trace, span, flags) =
        (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let [version] = lower_hex::<1>(version)?;
    // Later versions may have more fields; version 0 has none, and 255 is no version.
    let has_more = fields.next().is_some();
    if version == u8::MAX || (version == 0 && has_more) {
        return None;
    }
    let (trace, span) = (lower_hex::<16>(trace)?, lower_hex::<8>(span)?);
    if trace == [0; 16] || span == [0; 8] {
        return None;
    }
    let [flags] = lower_hex::<1>(flags)?;
    Some(match flags & 1 {
        0 => CallerTrace::NotRecorded,
        _ => CallerTrace::Recorded(TraceId(trace), SpanId(span)),
    })
}

fn lower_hex<const N: usize>(digits: &str) -> Option<[u8; N]> {
    if digits.len() != 2 * N || digits.bytes().any(|it| it.is_ascii_uppercase()) {
        return None;
    }
    hex::decode_array(digits)
}

#[cfg(test)]
mod tests {
    use super::{CallerTrace, SpanId, TraceId};

    #[test]
    fn a_callers_trace_is_continued_if_it_is_one() {
        let trace = "0af7651916cd43dd8448eb211c80319c";
        let span = "b7ad6b7169203331";
        for (text, is_recorded) in [
            (format!("00-{trace}-{span}-01"), Some(true)),
            (format!("00-{trace}-{span}-03"), Some(true)),
            (format!("01-{trace}-{span}-01-more"), Some(true)),
            (format!("00-{trace}-{span}-00"), Some(false)),
            (format!("00-{trace}-{span}-01-more"), None),
            (format!("ff-{trace}-{span}-01"), None),
            (format!("00-{}-{span}-01", trace.to_uppercase()), None),
            (format!("00-{}-{span}-01", "0".repeat(32)), None),
            (format!("00-{trace}-{}-01", "0".repeat(16)), None),
            (format!("00-{trace}-{span}"), None),
            (format!("00-{trace}-{span}-1"), None),
            (format!("0-{trace}-{span}-01"), None),
            (format!("00-{trace}x-{span}-01"), None),
            (String::new(), None),
        ] {
            let context = CallerTrace::parse(Some(&text));
            match is_recorded {
                None => assert_eq!(context, CallerTrace::None, "{text}"),
                Some(false) => assert_eq!(context, CallerTrace::NotRecorded, "{text}"),
                Some(true) => {
                    let CallerTrace::Recorded(its_trace, its_span) = context else {
                        panic!("{text}: {context:?}")
                    };
                    assert_eq!((its_trace.text(), its_span.text()), (trace.into(), span.into()));
                }
            }
        }
        assert_eq!(CallerTrace::parse(None), CallerTrace::None);
    }

    #[test]
    fn new_ids_have_their_length_and_differ() {
        assert_eq!(TraceId::random().text().len(), 32);
        assert_eq!(SpanId::random().text().len(), 16);
        assert_ne!(TraceId::random(), TraceId::random());
        assert_ne!(SpanId::random(), SpanId::random());
    }
}
