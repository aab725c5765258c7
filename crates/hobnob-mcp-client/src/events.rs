//! What a server says without being asked, and the program's handler for it.
//!
//! The inbox and the subscriptions of a connection call the handler, from the task that reads the
//! transport: whoever implements it must never wait. [`Client::events`](crate::Client::events) is
//! the same as a stream.

use hobnob_mcp_engine::StreamEvent;
use hobnob_mcp_types::logging::LoggingMessageParams;

/// A notification of the server, or something that happened to the connection.
#[derive(Debug, Clone)]
pub enum ServerEvent {
    /// The list of tools is another one now.
    ToolsChanged,
    /// The list of prompts is another one now.
    PromptsChanged,
    /// The list of resources or of resource templates is another one now.
    ResourcesChanged,
    /// The resource with this URI has new contents.
    ResourceUpdated(Box<str>),
    /// The resource with this URI cannot be subscribed to: the server refuses it, or does not
    /// send updates for it.
    SubscriptionRefused(Box<str>),
    /// The user has visited the page of a URL elicitation (2025-11-25), by the id the server gave.
    ElicitationComplete(Box<str>),
    /// A log message. A handler gets those that belong to no call, a stream gets all of them.
    LogMessage(LoggingMessageParams),
    /// How far a call of this client is. Only a stream has it: a handler's program passes
    /// [`Notes`](hobnob_mcp_engine::Notes) with each call.
    Progress(ProgressEvent),
    /// An event of a call of this client: output of a program, a piece of a model's answer. Only a
    /// stream has it.
    Call(CallEvent),
    /// The server sent something that is no message of the protocol; says what is wrong with it.
    InvalidMessage(Box<str>),
    /// So many events were dropped here, because you read the stream too slowly. Read the lists
    /// and resources that you use again. Only a stream has it.
    Missed(u64),
    /// The connection is over; says why.
    Ended(Box<str>),
}

/// How far a call is.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgressEvent {
    /// The tool or prompt that is called, or the resource that is read.
    pub target: Box<str>,
    /// The amount done so far; it grows.
    pub progress: f64,
    /// What `progress` will be at the end, if the server knows.
    pub total: Option<f64>,
    /// A text for people.
    pub message: Option<String>,
}

/// Something that a call said while it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallEvent {
    /// The tool that is called.
    pub target: Box<str>,
    /// Its kind and its text; a server sends no more of it.
    pub event: StreamEvent,
}

/// Takes the events of one connection, in their order.
pub trait EventHandler: Send + Sync + 'static {
    /// Runs on the task that reads the transport, so it must return at once.
    fn on_event(&self, event: ServerEvent);
}

/// The handler of a program that wants no events.
#[derive(Debug, Clone, Copy, Default)]
pub struct IgnoreEvents;

impl EventHandler for IgnoreEvents {
    fn on_event(&self, _event: ServerEvent) {}
}
