//! The program around a client, as far as servers may ask it something.
//!
//! A question that belongs to a call goes to whoever made the call; the host is asked for the
//! rest, and for what it always answers itself.

use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_types::capabilities::ClientCapabilities;
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::{ErrorCode, RpcError};
use serde_json::value::RawValue;

/// Answers what a server asks of its client: roots, sampling, elicitation.
///
/// A terminal shows the question, a gateway passes it to its own caller, [`DeclineAll`] declines.
pub trait Host: Send + Sync + 'static {
    /// What may be asked. Declared to the server before anything else.
    fn capabilities(&self) -> ClientCapabilities;

    /// Whether it answers this itself, whoever is calling. What it does not know goes to whoever
    /// made the call that it belongs to.
    fn knows(&self, _question: &InputRequest) -> bool {
        false
    }

    /// Whether a question that comes while no call is running waits for the next one, because all
    /// calls are made by the one who should answer it. It does not wait for ever: after a while it is
    /// answered here.
    fn waits_for_call(&self, _question: &InputRequest) -> bool {
        false
    }

    /// Answers one question with the JSON of its result. Dropping the future takes it back.
    fn answer<'a>(
        &'a self,
        question: &'a InputRequest,
    ) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>>;
}

/// A host without a user or a model: it declares no capabilities and declines every question.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeclineAll;

impl Host for DeclineAll {
    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::default()
    }

    fn answer<'a>(
        &'a self,
        _question: &'a InputRequest,
    ) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>> {
        Box::pin(std::future::ready(Err(nobody_to_ask())))
    }
}

/// The answer to a server whose question nobody can be asked.
pub(crate) fn nobody_to_ask() -> RpcError {
    RpcError::new(ErrorCode::METHOD_NOT_FOUND, "nobody is there to be asked")
}
