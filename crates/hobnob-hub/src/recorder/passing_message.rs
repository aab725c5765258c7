//! A message that passes, before it is masked and kept: what it says, and who it is for.
//!
//! `message_recorder` makes one of each message that the tap passes on.

use super::envelope::{Envelope, short_name};
use hobnob_mcp_engine::{ClientId, MessagePeer, PassedMessage, WireDirection};
use hobnob_mcp_types::Revision;
use hobnob_ui::{MessageDirection, MessageSide, RecordedKind, RecordedMessage};
use jiff::Timestamp;

/// The longest text of a message that is kept.
pub(super) const MAX_TEXT_BYTES: usize = 128 << 10;

/// A longer part of the text is masked, so that no secret is cut in two and missed.
const MASKING_MARGIN: usize = 16 << 10;

/// Who a request, and so its answer, is exchanged with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PeerKey {
    Client(ClientId),
    /// The number of a connection to a server.
    Server(u64),
}

/// A message that passes.
#[derive(Debug, Clone)]
pub(super) struct PassingMessage {
    pub(super) at: Timestamp,
    pub(super) peer: PeerKey,
    pub(super) direction: MessageDirection,
    pub(super) kind: RecordedKind,
    pub(super) envelope: Envelope,
    pub(super) server: Option<Box<str>>,
    /// The client for which a request is sent to a server.
    pub(super) caller: Option<ClientId>,
    pub(super) call: Option<u64>,
    pub(super) exchange: Option<u64>,
    pub(super) bytes: usize,
    /// The beginning of the message, with its secrets.
    pub(super) text: String,
}

impl PassingMessage {
    pub(super) fn new(passed: PassedMessage<'_>) -> Self {
        let (kind, mut envelope) = match passed.is_readable {
            true => Envelope::read(passed.text),
            false => (RecordedKind::Unreadable, Envelope::default()),
        };
        let known = passed.revision.map(Revision::as_str);
        envelope.revision = known.or(envelope.revision);
        let (peer, server) = match passed.peer {
            MessagePeer::Server { name, connection } => {
                // What a server's message says about a client is not about its sender.
                envelope.client = None;
                (PeerKey::Server(connection), Some(name.into()))
            }
            MessagePeer::Client { id, name } => {
                envelope.client = envelope.client.or_else(|| name.map(short_name));
                (PeerKey::Client(id), None)
            }
        };
        let client = passed.caller.and_then(|caller| caller.client.as_ref());
        if let Some(client) = client {
            envelope.client = Some(short_name(&client.name));
        }
        let kept = passed.text.floor_char_boundary(MAX_TEXT_BYTES + MASKING_MARGIN);
        Self {
            at: Timestamp::now(),
            peer,
            direction: match passed.direction {
                WireDirection::Received => MessageDirection::Received,
                WireDirection::Sent => MessageDirection::Sent,
            },
            kind,
            envelope,
            server,
            caller: passed.caller.map(|caller| caller.client_id),
            call: passed.caller.map(|caller| caller.arrival.micros()),
            exchange: None,
            bytes: passed.text.len(),
            text: passed.text[..kept].to_owned(),
        }
    }

    pub(super) fn side(&self) -> MessageSide {
        match self.peer {
            PeerKey::Client(_) => MessageSide::Client,
            PeerKey::Server(_) => MessageSide::Server,
        }
    }

    /// The message as it is kept, with its masked text.
    pub(super) fn recorded(&self, number: u64, mut masked: String) -> RecordedMessage {
        let is_cut = MAX_TEXT_BYTES < self.bytes;
        masked.truncate(masked.floor_char_boundary(MAX_TEXT_BYTES));
        RecordedMessage {
            number,
            at: self.at,
            side: self.side(),
            direction: self.direction,
            kind: self.kind,
            client: self.envelope.client.clone(),
            server: self.server.clone(),
            method: self.envelope.method.clone(),
            id: self.envelope.id.clone(),
            call: self.call,
            exchange: self.exchange,
            revision: self.envelope.revision,
            bytes: self.bytes,
            is_cut,
            text: masked.into(),
        }
    }
}
