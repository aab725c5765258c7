//! Handles everything a server sends: answers, notifications, requests, and the connection's end.
//!
//! The carrier calls this on the task that reads the transport. Nothing in here waits. An answer is
//! found by its id, so unexpected messages in between do no harm.

use crate::error::RequestError;
use crate::events::ServerEvent;
use crate::peer::Peer;
use crate::peer::server_questions::ServerQuestion;
use crate::question_routing;
use hobnob_mcp_engine::StreamEvent;
use hobnob_mcp_transport::{Loss, Receiver};
use hobnob_mcp_types::elicitation::ElicitationCompleteParams;
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::json::field;
use hobnob_mcp_types::logging::LoggingMessageParams;
use hobnob_mcp_types::progress::{CancelledParams, ProgressParams};
use hobnob_mcp_types::resources::ResourceUriParams;
use hobnob_mcp_types::subscriptions::ListenParams;
use hobnob_mcp_types::{
    Era, Incoming, Message, MessageKind, Method, MethodName, Notification, Params, Request,
    RequestId, Response, RpcError, Undecodable, meta,
};
use serde_json::value::RawValue;
use std::sync::{Arc, Weak};

/// How many messages of one batch a server may send; only 2025-03-26 has batches.
const MAX_BATCH: usize = 100;

/// The receiver that a carrier holds; it must not keep the peer alive.
pub(crate) struct Inbox(pub(crate) Weak<Peer>);

impl Receiver for Inbox {
    fn received(&self, message: Result<Incoming, Undecodable>, exchange: Option<&RequestId>) {
        let Some(peer) = self.0.upgrade() else { return };
        peer.sender.trace_received(message.as_ref());
        let invalid = match message {
            Ok(Incoming::One(message)) => return on_message(&peer, message, exchange),
            Ok(Incoming::Many(batch)) => match batch.split(MAX_BATCH) {
                Ok(messages) => {
                    for message in messages {
                        match message {
                            Ok(message) => on_message(&peer, message, exchange),
                            Err(invalid) => on_invalid(&peer, invalid, None),
                        }
                    }
                    return;
                }
                Err(invalid) => invalid,
            },
            Err(invalid) => invalid,
        };
        on_invalid(&peer, invalid, exchange);
    }

    fn lost(&self, id: &RequestId, why: Loss) {
        let Some(peer) = self.0.upgrade() else { return };
        let request = id.as_number().and_then(|number| peer.pending().take(number));
        if let Some(request) = request {
            request.end(Err(RequestError::Lost(why)));
        }
    }

    fn ended(&self, why: &str) {
        let Some(peer) = self.0.upgrade() else { return };
        peer.end(why);
        peer.events.on_event(ServerEvent::Ended(why.into()));
    }
}

fn on_message(peer: &Arc<Peer>, message: Message, exchange: Option<&RequestId>) {
    match message {
        Message::Response(response) => on_response(peer, response),
        Message::Notification(notification) => on_notification(peer, notification, exchange),
        Message::Request(request) => on_request(peer, request, exchange),
    }
}

fn on_response(peer: &Peer, response: Response) {
    let number = response.id.as_ref().and_then(RequestId::as_number);
    let request = number.and_then(|number| peer.pending().take(number));
    match request {
        Some(request) => request.end(response.outcome.map_err(RequestError::Rpc)),
        // Late answers to abandoned requests come here too.
        None => {
            if let Some(number) = number {
                peer.pending().answered_late(number);
            }
            tracing::debug!("an answer to nothing we wait for");
        }
    }
}

fn on_notification(peer: &Peer, notification: Notification, exchange: Option<&RequestId>) {
    let MethodName::Known(method) = notification.method else { return };
    let params = notification.params;
    match method {
        Method::Progress => on_progress(peer, &params),
        Method::LogMessage => on_log_message(peer, &params, exchange),
        Method::Cancelled => {
            let params = params.decode::<CancelledParams>().ok();
            if let Some(id) = params.and_then(|params| params.request_id) {
                on_cancelled(peer, &id);
            }
        }
        Method::ToolsListChanged => peer.events.on_event(ServerEvent::ToolsChanged),
        Method::PromptsListChanged => peer.events.on_event(ServerEvent::PromptsChanged),
        Method::ResourcesListChanged => peer.events.on_event(ServerEvent::ResourcesChanged),
        Method::ResourcesUpdated => {
            if let Ok(params) = params.decode::<ResourceUriParams>() {
                peer.events.on_event(ServerEvent::ResourceUpdated(params.uri.into()));
            }
        }
        Method::ElicitationComplete => {
            if let Ok(ElicitationCompleteParams { elicitation_id, .. }) = params.decode() {
                peer.pages.add(&elicitation_id);
                peer.events.on_event(ServerEvent::ElicitationComplete(elicitation_id.into()));
            }
        }
        Method::SubscriptionsAcknowledged => on_acknowledged(peer, &params, exchange),
        _ => tracing::trace!(method = method.as_str(), "notification ignored"),
    }
}

fn on_progress(peer: &Peer, params: &Params) {
    let Ok(params) = params.decode::<ProgressParams>() else { return };
    let Some(token) = params.progress_token.0.as_number() else { return };
    let notes = peer.pending().progress_notes(token);
    let Some(notes) = notes else { return };
    match event(params.meta.as_deref(), params.message.as_deref()) {
        Some(event) => notes.event(event),
        None => notes.progress(params.progress, params.total, params.message.as_deref()),
    }
}

/// The event in a progress message, if its `_meta` names the event's kind.
fn event(meta: Option<&RawValue>, message: Option<&str>) -> Option<StreamEvent> {
    let member = field(meta?.get(), StreamEvent::META_KEY)?;
    let kind = member.strip_prefix('"')?.strip_suffix('"')?;
    StreamEvent::from_progress(kind, message)
}

fn on_log_message(peer: &Peer, params: &Params, exchange: Option<&RequestId>) {
    let Ok(message) = params.decode::<LoggingMessageParams>() else { return };
    let notes = {
        let pending = peer.pending();
        match exchange.and_then(RequestId::as_number) {
            Some(number) => pending.get(number).and_then(|request| request.notes.clone()),
            None => pending.newest_notes(),
        }
    };
    match notes {
        Some(notes) => notes.log(message.level, message.logger.as_deref(), &message.data),
        None => peer.events.on_event(ServerEvent::LogMessage(message)),
    }
}

/// The server cancels its own question. The id is the server's, so it does not refer to a request
/// of ours with the same number. The exception is the listen request that a modern server ends:
/// such a server has no requests of its own.
fn on_cancelled(peer: &Peer, id: &RequestId) {
    if peer.questions.close(id) {
        return;
    }
    let number = id.as_number().filter(|_| peer.sender.speaks(Era::Modern));
    let listen = number.and_then(|number| peer.pending().take_listen(number));
    if let Some(listen) = listen {
        listen.end(Err(RequestError::Lost(Loss::Broken("the server cancelled".into()))));
    }
}

/// The server says which notifications it will send. On a pipe only the `_meta` says for which
/// listen request.
fn on_acknowledged(peer: &Peer, params: &Params, exchange: Option<&RequestId>) {
    let Ok(ListenParams { notifications, meta }) = params.decode() else { return };
    let named = meta
        .as_deref()
        .and_then(|meta| field(meta.get(), meta::SUBSCRIPTION_ID))
        .and_then(|id| serde_json::from_str::<RequestId>(id).ok());
    let number = named.as_ref().or(exchange).and_then(RequestId::as_number);
    if let Some(number) = number {
        peer.pending().acknowledge(number, notifications);
    }
}

/// An answer that cannot be decoded is still the answer to its request, which fails at once. A
/// request of the server is refused; its id is the server's own and refers to none of ours.
fn on_invalid(peer: &Peer, invalid: Undecodable, exchange: Option<&RequestId>) {
    let Undecodable { error, id, kind } = invalid;
    let ours = match kind {
        MessageKind::Call => None,
        // A line without any member of an envelope is probably log output.
        MessageKind::Unknown => exchange,
        MessageKind::Answer => id.as_ref().or(exchange),
    };
    let number = ours.and_then(RequestId::as_number);
    let request = number.and_then(|number| peer.pending().take(number));
    if let Some(request) = request {
        return request.end(Err(RequestError::Unreadable(error)));
    }
    if let (MessageKind::Call, Some(id)) = (kind, &id) {
        peer.sender.respond(id, Err(&error));
    }
    peer.events.on_event(ServerEvent::InvalidMessage(error.message.into()));
}

fn on_request(peer: &Arc<Peer>, request: Request, exchange: Option<&RequestId>) {
    let Request { id, method, params } = request;
    if method == MethodName::Known(Method::Ping) {
        return peer.sender.respond(&id, Ok("{}"));
    }
    let request = match input_request(&method, &params) {
        Ok(request) => request,
        Err(error) => return peer.sender.respond(&id, Err(&error)),
    };
    let Some(closed) = peer.questions.open(&id) else {
        let error = RpcError::invalid_request("too many open questions, or one id twice");
        return peer.sender.respond(&id, Err(&error));
    };
    let exchange = exchange.and_then(RequestId::as_number);
    question_routing::route(peer, ServerQuestion { id, request, exchange, closed });
}

/// The requests that a server may send to its client.
fn input_request(method: &MethodName, params: &Params) -> Result<InputRequest, RpcError> {
    match method {
        MethodName::Known(Method::RootsList) => Ok(InputRequest::ListRoots(params.decode()?)),
        MethodName::Known(Method::CreateMessage) => {
            Ok(InputRequest::CreateMessage(params.decode()?))
        }
        MethodName::Known(Method::Elicit) => Ok(InputRequest::Elicit(params.decode()?)),
        other => Err(RpcError::method_not_found(other.as_str())),
    }
}
