//! The program around a client: it answers what servers ask and hears what they tell.

use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_types::capabilities::ClientCapabilities;
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::logging::LoggingMessageParams;
use hobnob_mcp_types::{ErrorCode, RpcError};
use serde_json::value::RawValue;

/// Answers what a server asks: roots, a model's words, a person's.
///
/// A terminal shows the question, a gateway passes it to its own caller, [`Refuse`] has nobody.
pub trait Host: Send + Sync + 'static {
    /// What may be asked. Declared to the server before anything else.
    fn capabilities(&self) -> ClientCapabilities;

    /// Whether it answers this itself, whoever is calling. What it does not know goes to whoever
    /// made the call that it belongs to.
    fn knows(&self, _question: &InputRequest) -> bool {
        false
    }

    /// Answers one question with the JSON of its result. Dropping the future takes it back.
    fn answer<'a>(
        &'a self,
        question: &'a InputRequest,
    ) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>>;
}

/// Nobody is there to be asked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Refuse;

impl Host for Refuse {
    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities::default()
    }

    fn answer<'a>(
        &'a self,
        _question: &'a InputRequest,
    ) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>> {
        Box::pin(std::future::ready(Err(nobody())))
    }
}

/// The answer where nobody can be asked.
pub(crate) fn nobody() -> RpcError {
    RpcError::new(ErrorCode::METHOD_NOT_FOUND, "nobody is there to be asked")
}

/// Something a server told without being asked.
#[derive(Debug)]
pub enum Heard {
    /// Its list of tools changed.
    Tools,
    /// Its list of prompts changed.
    Prompts,
    /// Its list of resources or templates changed.
    Resources,
    /// One resource changed.
    Resource(Box<str>),
    /// One resource cannot be watched after all: the server refuses it, or does not tell of it.
    Unwatched(Box<str>),
    /// A page that the server wanted visited has been (2025-11-25), by the id it gave.
    Elicited(Box<str>),
    /// A log message that belongs to no call.
    Log(LoggingMessageParams),
    /// Something that is no message of the protocol.
    Garbage(Box<str>),
    /// The connection is over.
    Ended(Box<str>),
}

/// Hears what a server tells; never waits.
pub trait Ear: Send + Sync + 'static {
    /// Takes one event.
    fn heard(&self, event: Heard);
}

/// Listens to nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ignore;

impl Ear for Ignore {
    fn heard(&self, _event: Heard) {}
}
