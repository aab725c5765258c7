//! The program around a client, which answers the server's questions.
//!
//! A question that belongs to a call goes to the maker of the call; the host answers all others,
//! and those that it always answers itself.

use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_types::capabilities::ClientCapabilities;
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::{ErrorCode, RpcError};
use serde_json::value::RawValue;

/// Answers the questions of a server to its client: for roots, sampling, elicitation.
///
/// A terminal shows the question, a gateway passes it to its own caller, [`DeclineAll`] declines.
pub trait Host: Send + Sync + 'static {
    /// The kinds of question it can answer, which are declared to the server in advance.
    fn capabilities(&self) -> ClientCapabilities;

    /// Whether it answers this question itself, no matter which caller made the call. A question
    /// that it does not know goes to the caller whose call it belongs to.
    fn knows(&self, _question: &InputRequest) -> bool {
        false
    }

    /// Whether a question that comes while no call is running waits for the next call. True if the
    /// one who should answer it also makes all calls. It does not wait for ever: after a while the
    /// host answers it.
    fn waits_for_call(&self, _question: &InputRequest) -> bool {
        false
    }

    /// Answers one question with its result as JSON. Dropping the future withdraws the question.
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
        Box::pin(std::future::ready(Err(declined_question())))
    }
}

/// The answer to a question that the program declines.
pub(crate) fn declined_question() -> RpcError {
    RpcError::new(ErrorCode::METHOD_NOT_FOUND, "this client cannot answer the question")
}
