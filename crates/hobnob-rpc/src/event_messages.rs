//! Events as messages: the subscription, the event, its sequence number, its provenance, and the
//! hash of its method.

use crate::directory::RpcMethod;
use hobnob_mcp_engine::StreamEvent;
use hobnob_mcp_types::json::write_string;
use std::fmt::Write as _;

const SEQUENCE: &str = r#","sequence":"#;
/// Decimal digits of the largest `u64`.
const MAX_DIGITS: usize = 20;

/// The parts that all messages of one subscription share, as JSON text.
#[derive(Debug)]
pub(crate) struct EventMessages {
    envelope: String,
    begin: String,
    end: String,
}

impl EventMessages {
    /// Messages about a call of the method `name`. `view` is the name of the server.
    pub(crate) fn new(name: &str, subscription: u64, view: &str, method: &RpcMethod) -> Self {
        let mut envelope = String::from(r#"{"jsonrpc":"2.0","method":"#);
        write_string(&mut envelope, name);
        envelope.push_str(r#","params":"#);
        let begin = format!(r#"{{"subscription":{subscription},"result":"#);
        let mut end = String::from(r#","provenance":["#);
        write_string(&mut end, view);
        end.push(',');
        write_string(&mut end, &method.service);
        // A hash consists of hexadecimal digits, so it needs no escaping.
        let _ = write!(end, r#"],"hash":"{}"}}"#, method.hash);
        Self { envelope, begin, end }
    }

    /// An event as a whole message.
    pub(crate) fn message(&self, event: &StreamEvent, sequence: u64) -> String {
        let room = self.envelope.len() + self.params_room(event, sequence) + 1;
        let mut out = String::with_capacity(room);
        out.push_str(&self.envelope);
        self.write_params(&mut out, event, sequence);
        out.push('}');
        out
    }

    /// Only the `params` of a message, for a response with all events.
    pub(crate) fn params(&self, event: &StreamEvent, sequence: u64) -> String {
        let mut out = String::with_capacity(self.params_room(event, sequence));
        self.write_params(&mut out, event, sequence);
        out
    }

    fn write_params(&self, out: &mut String, event: &StreamEvent, sequence: u64) {
        out.push_str(&self.begin);
        event.write_json(out);
        out.push_str(SEQUENCE);
        write_number(out, sequence);
        out.push_str(&self.end);
    }

    /// The exact number of bytes of the parameters, unless something must be escaped.
    fn params_room(&self, event: &StreamEvent, sequence: u64) -> usize {
        let number = sequence.checked_ilog10().unwrap_or_default() as usize + 1;
        self.begin.len() + event.json_room() + SEQUENCE.len() + number + self.end.len()
    }
}

/// Appends a number without `fmt`, for speed: every event has one.
fn write_number(out: &mut String, mut number: u64) {
    let mut digits = [b'0'; MAX_DIGITS];
    let mut first = MAX_DIGITS;
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    // Digits are always valid UTF-8.
    out.push_str(std::str::from_utf8(&digits[first..]).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::{EventMessages, write_number};
    use hobnob_mcp_engine::StreamEvent;

    #[test]
    fn numbers_are_written_as_usual() {
        for number in [0, 7, 10, 4_815, u64::from(u32::MAX), u64::MAX] {
            let mut out = String::from("n");
            write_number(&mut out, number);
            assert_eq!(out, format!("n{number}"));
        }
    }

    /// Spare capacity would cost another allocation when the message is sent.
    #[test]
    fn a_message_fills_its_room_exactly() {
        let (envelope, begin, end) = ("{".into(), "[".into(), "]".into());
        let messages = EventMessages { envelope, begin, end };
        for sequence in [0, 9, 10, 99_999, u64::MAX] {
            let event = StreamEvent::content("plain text").with("more", &1);
            for text in [messages.message(&event, sequence), messages.params(&event, sequence)] {
                assert_eq!(text.capacity(), text.len(), "{text}");
            }
        }
    }
}
