//! Reads server-sent events as they arrive, by the rules of the WHATWG HTML standard. The client
//! pushes each chunk from the wire and takes the events it completed. What must stay true: no field
//! of an event outgrows the limit, however its sender cuts it up. A payload beyond the limit is not
//! stored; an [`OversizedPayload`] summarises it. Any other line beyond the limit is ignored.

use super::oversized::OversizedPayload;

/// One complete event, as its blank line ended it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event<S = ()> {
    /// The event's type, if the sender gave one; otherwise the type is `message`.
    pub event: Option<Box<str>>,
    /// The last id seen on the stream so far; empty if there was none, or the sender reset it.
    pub id: Box<str>,
    /// The payload, as bytes: the JSON decoder decides whether they are text.
    pub data: Vec<u8>,
    /// The summary of a payload that outgrew the limit and was not stored.
    pub oversized: Option<S>,
}

/// The error of a client that cannot go on after an oversized event; the decoder never returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("server-sent event is larger than {limit} bytes")]
pub struct EventTooLarge {
    /// The limit in bytes.
    pub limit: usize,
}

/// Turns chunks into events; `P` reads the payloads that outgrow the limit.
#[derive(Debug)]
pub struct Decoder<P: OversizedPayload = ()> {
    limit: usize,
    /// The unfinished line at the end of the last chunk.
    line: Vec<u8>,
    /// The last chunk ended in CR, so a LF at the start of the next one belongs to it.
    after_carriage_return: bool,
    /// Only the very first line may begin with a byte order mark.
    first_line: bool,
    event: Option<Box<str>>,
    /// The payload so far; every data line has left a LF at its end.
    data: Vec<u8>,
    /// Reads the payload once it has outgrown the limit.
    outgrown: Option<P>,
    /// The kind of the unfinished line, if the line alone has outgrown the limit.
    long_line: Option<LongLine>,
    last_id: Box<str>,
    retry_ms: Option<u64>,
}

/// The field of a line that is too long to be stored.
#[derive(Clone, Copy, Debug)]
enum LongLine {
    Data,
    Other,
}

/// The smallest limit: the decoder must see the name of a field before its line is too long.
const MIN_LIMIT: usize = 16;

impl<P: OversizedPayload> Decoder<P> {
    /// A decoder for the start of a stream, for events of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit: limit.max(MIN_LIMIT),
            outgrown: None,
            long_line: None,
            line: Vec::new(),
            after_carriage_return: false,
            first_line: true,
            event: None,
            data: Vec::new(),
            last_id: Box::default(),
            retry_ms: None,
        }
    }

    /// The id to resume after; empty when the stream has none.
    pub fn last_event_id(&self) -> &str {
        &self.last_id
    }

    /// The wait before reconnecting that the stream asked for last.
    pub fn retry_ms(&self) -> Option<u64> {
        self.retry_ms
    }

    /// Whether the event being read right now has outgrown the limit.
    pub fn has_outgrown(&self) -> bool {
        self.outgrown.is_some() || self.long_line.is_some()
    }

    /// Takes the next chunk and appends the events it completes. An event that is unfinished when
    /// the stream ends is dropped, as the standard says.
    pub fn push(&mut self, chunk: &[u8], events: &mut Vec<Event<P::Summary>>) {
        let mut rest = chunk;
        if self.after_carriage_return && !rest.is_empty() {
            self.after_carriage_return = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(at) = memchr::memchr2(b'\n', b'\r', rest) {
            let (line, end) = rest.split_at(at);
            self.finish_line(line, events);
            rest = match end {
                [b'\r', b'\n', rest @ ..] => rest,
                [b'\r'] => {
                    self.after_carriage_return = true;
                    &[]
                }
                [_, rest @ ..] => rest,
                [] => &[],
            };
        }
        self.extend_line(rest);
    }

    fn extend_line(&mut self, bytes: &[u8]) {
        match (self.long_line, &mut self.outgrown) {
            (Some(LongLine::Data), Some(payload)) => payload.push(bytes),
            (Some(_), _) => {}
            (None, _) if self.line.len() + bytes.len() > self.limit => self.begin_long_line(bytes),
            (None, _) => self.line.extend_from_slice(bytes),
        }
    }

    fn begin_long_line(&mut self, bytes: &[u8]) {
        let mut line = std::mem::take(&mut self.line);
        line.extend_from_slice(bytes);
        let line = self.without_mark(&line);
        self.long_line = Some(match line.strip_prefix(b"data:") {
            Some(value) => {
                self.outgrow(value);
                LongLine::Data
            }
            None => LongLine::Other,
        });
    }

    /// Stops storing the payload: `P` reads the part stored so far and everything after it.
    fn outgrow(&mut self, value: &[u8]) {
        let before = std::mem::take(&mut self.data);
        let payload = self.outgrown.get_or_insert_default();
        payload.push(&before);
        payload.push(value);
    }

    /// Strips the byte order mark, which only the very first line of a stream may begin with.
    fn without_mark<'a>(&mut self, line: &'a [u8]) -> &'a [u8] {
        match std::mem::take(&mut self.first_line) {
            true => line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line),
            false => line,
        }
    }

    /// Reads a line in place if it lies whole in the chunk; only a split line is assembled first.
    fn finish_line(&mut self, end: &[u8], events: &mut Vec<Event<P::Summary>>) {
        if self.long_line.is_some() || self.line.len() + end.len() > self.limit {
            self.extend_line(end);
            self.long_line = None;
            return;
        }
        if self.line.is_empty() {
            return self.take_line(end, events);
        }
        let mut line = std::mem::take(&mut self.line);
        line.extend_from_slice(end);
        self.take_line(&line, events);
        line.clear();
        // Keep the buffer for the next split line, unless a large event has made it oversized.
        if line.capacity() <= 16 * 1024 {
            self.line = line;
        }
    }

    fn take_line(&mut self, line: &[u8], events: &mut Vec<Event<P::Summary>>) {
        let line = self.without_mark(line);
        if line.is_empty() {
            return self.dispatch(events);
        }
        let (field, value) = match memchr::memchr(b':', line) {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (line, &line[line.len()..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" if self.outgrown.is_some() || self.data.len() + value.len() > self.limit => {
                self.outgrow(value);
            }
            b"data" => {
                self.data.reserve(value.len() + 1);
                self.data.extend_from_slice(value);
                self.data.push(b'\n');
            }
            b"event" => self.event = Some(String::from_utf8_lossy(value).into()),
            b"id" if memchr::memchr(0, value).is_none() => {
                self.last_id = String::from_utf8_lossy(value).into();
            }
            b"retry" => self.take_retry(value),
            // Comments have an empty field name; unknown fields are ignored, as the standard says.
            _ => {}
        }
    }

    /// Accepts digits only; a number beyond 64 bits is no sensible wait and is ignored like noise.
    fn take_retry(&mut self, value: &[u8]) {
        let digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
        let number = std::str::from_utf8(value).ok().filter(|_| digits);
        if let Some(retry_ms) = number.and_then(|number| number.parse().ok()) {
            self.retry_ms = Some(retry_ms);
        }
    }

    fn dispatch(&mut self, events: &mut Vec<Event<P::Summary>>) {
        let event = self.event.take().filter(|name| !name.is_empty());
        let oversized = self.outgrown.take().map(|payload| payload.summary());
        // Drop the LF that the last data line left. Without a data line there is no event.
        if self.data.pop().is_some() || oversized.is_some() {
            let data = std::mem::take(&mut self.data);
            events.push(Event { event, id: self.last_id.clone(), data, oversized });
        }
    }
}
