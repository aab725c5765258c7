//! Attributes messages to requests: an answer in the HTTP response to a request belongs to that
//! request, even if the server has lost the request's id.

use hobnob_mcp_transport::log_replaced;
use hobnob_mcp_types::json::{ObjectWriter, entries};
use hobnob_mcp_types::{Incoming, Message, MessageKind, RequestId, Undecodable};

#[cfg(test)]
mod tests;

/// How many messages one batch may hold.
const MAX_BATCH: usize = 1024;

/// Where a text came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The whole body of the response to a request's POST.
    Body,
    /// The whole body of a refusal. Some servers make up an id for it.
    Refusal,
    /// One event on the request's own stream.
    Event,
}

/// The messages in a text that came back for a request.
#[derive(Debug)]
pub(super) struct Adopted {
    /// The messages, without batches.
    pub(super) messages: Vec<Result<Incoming, Undecodable>>,
    /// Whether the request's answer is among them.
    pub(super) answered: bool,
}

/// Reads a text that came back for the request `id`.
pub(super) fn adopt(bytes: &[u8], id: &RequestId, origin: Origin) -> Adopted {
    let mut answered = false;
    let mut messages = Vec::new();
    let mut take = |message: Result<Message, Undecodable>| {
        let (message, answers) = with_request_id(message, id, origin);
        answered |= answers;
        messages.push(message.map(Incoming::One));
    };
    match decode(bytes, id) {
        Ok(Incoming::One(message)) => take(Ok(message)),
        Ok(Incoming::Many(batch)) => match batch.split(MAX_BATCH) {
            Ok(batch) => batch.into_iter().for_each(take),
            Err(refused) => take(Err(refused)),
        },
        Err(refused) => take(Err(refused)),
    }
    Adopted { messages, answered }
}

/// Decodes a text. A result without an id is not JSON-RPC, so it gets the request's id first.
fn decode(bytes: &[u8], id: &RequestId) -> Result<Incoming, Undecodable> {
    let refused = match Incoming::decode_bytes_noting(bytes, log_replaced) {
        Err(refused) if refused.id.is_none() => refused,
        decoded => return decoded,
    };
    let Ok(text) = std::str::from_utf8(bytes) else { return Err(refused) };
    let members = entries(text);
    let of = |name: &str| members.iter().find(|(key, _)| key == name).map(|(_, value)| *value);
    if of("result").is_none() || of("id").is_some_and(|id| id != "null") {
        return Err(refused);
    }
    let mut named = String::with_capacity(text.len() + 32);
    let mut object = ObjectWriter::new(&mut named);
    id.write(object.key("id"));
    for (key, value) in members.iter().filter(|(key, _)| key != "id") {
        object.raw(key, value);
    }
    object.end();
    Incoming::decode(named)
}

/// Gives an answer the id of its request, and returns whether it is that request's answer.
fn with_request_id(
    message: Result<Message, Undecodable>,
    id: &RequestId,
    origin: Origin,
) -> (Result<Message, Undecodable>, bool) {
    match message {
        Ok(Message::Response(mut response)) => {
            let is_ours = match &response.id {
                None => true,
                Some(_) if origin == Origin::Refusal => true,
                Some(known) => same_id(known, id),
            };
            if is_ours {
                response.id = Some(id.clone());
            }
            (Ok(Message::Response(response)), is_ours)
        }
        // An answer that cannot be read is still the answer. On a stream, a text of unknown kind
        // need not be the answer, which may follow it.
        Err(refused) => {
            let is_ours = match (&refused.id, refused.kind) {
                (_, MessageKind::Call) => false,
                (Some(known), _) => same_id(known, id),
                (None, MessageKind::Answer) => true,
                (None, MessageKind::Unknown) => origin != Origin::Event,
            };
            (Err(refused), is_ours)
        }
        Ok(message) => (Ok(message), false),
    }
}

/// Whether the ids are equal, or have the same digits, one as a number and the other as text.
fn same_id(known: &RequestId, id: &RequestId) -> bool {
    let digits = |id: &RequestId| {
        let json = id.to_json();
        let text = json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        text.map(str::to_owned).unwrap_or(json)
    };
    known == id || {
        let digits = (digits(known), digits(id));
        digits.0 == digits.1 && RequestId::from_json(&digits.0).is_some()
    }
}
