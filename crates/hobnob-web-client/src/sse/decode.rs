//! Reading server-sent events as they arrive, by the rules of the WHATWG HTML standard.
//! The client pushes each chunk from the wire and takes the events it completed.
//! What must stay true: no field of an event outgrows the cap, however its sender cuts it up. A
//! payload that does is not stored; an [`OversizedPayload`] says what is known of it.

use super::oversized::OversizedPayload;

/// One complete event, as its blank line ended it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event<S = ()> {
    /// The event's type, when the sender gave one; otherwise it is a `message`.
    pub event: Option<Box<str>>,
    /// The last id seen on the stream so far; empty when there was none, or it was reset.
    pub id: Box<str>,
    /// The payload. Bytes, because whether they are text is for the JSON decoder to say.
    pub data: Vec<u8>,
    /// What is known of the payload, if it outgrew the cap and was passed over.
    pub oversized: Option<S>,
}

/// An event outgrew the cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("server-sent event is larger than {limit} bytes")]
pub struct EventTooLarge {
    /// The cap in bytes.
    pub limit: usize,
}

/// Turns chunks into events; `P` reads the payloads that outgrow the cap.
#[derive(Debug)]
pub struct Decoder<P: OversizedPayload = ()> {
    limit: usize,
    /// The begun line that the last chunk did not finish.
    line: Vec<u8>,
    /// The last chunk ended in CR, so a LF at the start of the next one belongs to it.
    after_carriage_return: bool,
    /// Only the very first line may begin with a byte order mark.
    first_line: bool,
    event: Option<Box<str>>,
    /// The payload so far; every data line has left a LF at its end.
    data: Vec<u8>,
    /// Looks through a payload that has outgrown the cap.
    outgrown: Option<P>,
    /// The begun line alone has outgrown the cap.
    long_line: Option<LongLine>,
    last_id: Box<str>,
    retry_ms: Option<u64>,
}

/// What a line is that is too long to be stored.
#[derive(Clone, Copy, Debug)]
enum LongLine {
    Data,
    Other,
}

/// The smallest cap: the name of a field must be seen before its line is too long.
const LEAST: usize = 16;

impl<P: OversizedPayload> Decoder<P> {
    /// A decoder for the start of a stream, for events of at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self {
            limit: limit.max(LEAST),
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

    /// Whether what is being read right now has outgrown the cap.
    pub fn has_outgrown(&self) -> bool {
        self.outgrown.is_some() || self.long_line.is_some()
    }

    /// Takes the next chunk and appends the events it completes. What is left unfinished when the
    /// stream ends is no event.
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

    /// The event's payload is passed over from here on; what there is of it was looked through.
    fn outgrow(&mut self, value: &[u8]) {
        let before = std::mem::take(&mut self.data);
        let payload = self.outgrown.get_or_insert_default();
        payload.push(&before);
        payload.push(value);
    }

    /// Only the very first line of a stream may begin with a byte order mark.
    fn without_mark<'a>(&mut self, line: &'a [u8]) -> &'a [u8] {
        match std::mem::take(&mut self.first_line) {
            true => line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line),
            false => line,
        }
    }

    /// A line that lies whole in the chunk is read where it is; only a split one is put together.
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
        // The capacity stays for the next split line, unless a large event has left it oversized.
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

    /// Digits only. A number beyond 64 bits is no sensible wait and is ignored like other noise.
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
        // The LF that the last data line left goes; without a data line there is no event.
        if self.data.pop().is_some() || oversized.is_some() {
            let data = std::mem::take(&mut self.data);
            events.push(Event { event, id: self.last_id.clone(), data, oversized });
        }
    }
}
