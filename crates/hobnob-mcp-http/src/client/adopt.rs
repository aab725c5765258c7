//! Whose answer a message is: what comes back on a request's own HTTP answer belongs to it, even
//! when the server has lost its id on the way.

use hobnob_mcp_transport::log_replaced;
use hobnob_mcp_types::json::{ObjectWriter, entries};
use hobnob_mcp_types::{Incoming, Message, MessageKind, RequestId, Undecodable};

#[cfg(test)]
mod tests;

/// How many messages one array may hold.
const BATCH: usize = 1024;

/// Where a text came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The whole body of the answer to a request's POST.
    Body,
    /// The whole body of a refusal. Some servers make up an id for it.
    Refusal,
    /// One event on the request's own stream.
    Event,
}

/// What a text holds for the request it came back for.
#[derive(Debug)]
pub(super) struct Adopted {
    /// The messages, each of its own.
    pub(super) messages: Vec<Result<Incoming, Undecodable>>,
    /// Whether the request's answer is among them.
    pub(super) answered: bool,
}

/// Reads a text that came back for the request `id`.
pub(super) fn adopt(bytes: &[u8], id: &RequestId, origin: Origin) -> Adopted {
    let mut answered = false;
    let mut messages = Vec::new();
    let mut take = |message: Result<Message, Undecodable>| {
        let (message, answers) = own(message, id, origin);
        answered |= answers;
        messages.push(message.map(Incoming::One));
    };
    match decode(bytes, id) {
        Ok(Incoming::One(message)) => take(Ok(message)),
        Ok(Incoming::Many(batch)) => match batch.split(BATCH) {
            Ok(batch) => batch.into_iter().for_each(take),
            Err(refused) => take(Err(refused)),
        },
        Err(refused) => take(Err(refused)),
    }
    Adopted { messages, answered }
}

/// A result without an id is no JSON-RPC, so it is given one before it is decoded.
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

/// Gives an answer the id of its request, and tells whether it is that request's answer.
fn own(
    message: Result<Message, Undecodable>,
    id: &RequestId,
    origin: Origin,
) -> (Result<Message, Undecodable>, bool) {
    match message {
        Ok(Message::Response(mut response)) => {
            let is_ours = match &response.id {
                None => true,
                Some(_) if origin == Origin::Refusal => true,
                Some(known) => same(known, id),
            };
            if is_ours {
                response.id = Some(id.clone());
            }
            (Ok(Message::Response(response)), is_ours)
        }
        // An answer that cannot be read is still the answer; on a stream, another may follow what
        // is not recognised as one.
        Err(refused) => {
            let is_ours = match (&refused.id, refused.kind) {
                (_, MessageKind::Call) => false,
                (Some(known), _) => same(known, id),
                (None, MessageKind::Answer) => true,
                (None, MessageKind::Unknown) => origin != Origin::Event,
            };
            (Err(refused), is_ours)
        }
        Ok(message) => (Ok(message), false),
    }
}

/// The same id, or the same digits once as a number and once as text.
fn same(known: &RequestId, id: &RequestId) -> bool {
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
