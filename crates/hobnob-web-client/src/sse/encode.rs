//! Writes server-sent events. The server's streams call this once per message. What must stay true:
//! no content can end the event early or add a field to it.

use bytes::{BufMut, Bytes, BytesMut};

/// A comment, which readers skip. It keeps proxies from closing a quiet stream.
pub const KEEP_ALIVE: Bytes = Bytes::from_static(b": keepalive\n\n");

/// One event to send.
#[derive(Clone, Copy, Debug, Default)]
pub struct OutgoingEvent<'a> {
    /// The event's type; readers take `message` when there is none.
    pub event: Option<&'a str>,
    /// What a reader sends back as `Last-Event-ID` to go on after this event.
    pub id: Option<&'a str>,
    /// How many milliseconds a reader waits before it connects again.
    pub retry_ms: Option<u64>,
    /// The payload, usually one line of JSON.
    pub data: &'a [u8],
}

impl OutgoingEvent<'_> {
    /// Appends the framed event to `out`.
    pub fn encode(&self, out: &mut impl BufMut) {
        if let Some(event) = self.event {
            put_line(out, b"event: ", event.as_bytes());
        }
        if let Some(id) = self.id {
            put_line(out, b"id: ", id.as_bytes());
        }
        if let Some(retry_ms) = self.retry_ms {
            out.put_slice(b"retry: ");
            put_decimal(out, retry_ms);
            out.put_u8(b'\n');
        }
        put_data(out, self.data);
        out.put_u8(b'\n');
    }

    /// Returns the framed event, built in one allocation of the right size.
    pub fn to_bytes(&self) -> Bytes {
        // Twenty digits of retry, the names of the fields and the line ends.
        const FRAME: usize = 64;
        let fields = self.event.map_or(0, str::len) + self.id.map_or(0, str::len);
        let mut out = BytesMut::with_capacity(FRAME + fields + self.data.len());
        self.encode(&mut out);
        out.freeze()
    }
}

/// Appends one event without a type.
pub fn encode_event(out: &mut impl BufMut, id: Option<&str>, retry_ms: Option<u64>, data: &[u8]) {
    OutgoingEvent { event: None, id, retry_ms, data }.encode(out);
}

fn put_data(out: &mut impl BufMut, data: &[u8]) {
    let mut rest = data;
    // JSON from our own writer has no line ends, so this loop usually does not run.
    while let Some(at) = memchr::memchr2(b'\n', b'\r', rest) {
        out.put_slice(b"data: ");
        out.put_slice(&rest[..at]);
        out.put_u8(b'\n');
        let crlf = rest[at] == b'\r' && rest.get(at + 1) == Some(&b'\n');
        rest = &rest[at + 1 + usize::from(crlf)..];
    }
    out.put_slice(b"data: ");
    out.put_slice(rest);
    out.put_u8(b'\n');
}

/// Writes a field of one line. A line end inside it would begin a new field, and a NUL would make
/// readers ignore the id, so each becomes a space.
fn put_line(out: &mut impl BufMut, name: &[u8], value: &[u8]) {
    out.put_slice(name);
    let mut rest = value;
    while let Some(at) = memchr::memchr3(b'\n', b'\r', 0, rest) {
        out.put_slice(&rest[..at]);
        out.put_u8(b' ');
        rest = &rest[at + 1..];
    }
    out.put_slice(rest);
    out.put_u8(b'\n');
}

fn put_decimal(out: &mut impl BufMut, mut number: u64) {
    let mut digits = [0_u8; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.put_slice(&digits[start..]);
}
