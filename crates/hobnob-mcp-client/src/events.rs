//! What a server sends unasked, and the program's handler for it.
//!
//! The inbox and the subscriptions of a connection call the handler on the task that reads the
//! transport, so a handler must never wait. [`Client::events`](crate::Client::events) offers the
//! same events as a stream.

use hobnob_mcp_engine::StreamEvent;
use hobnob_mcp_types::logging::LoggingMessageParams;

/// A notification of the server, or something that happened to the connection.
#[derive(Debug, Clone)]
pub enum ServerEvent {
    /// The list of tools has changed.
    ToolsChanged,
    /// The list of prompts has changed.
    PromptsChanged,
    /// The list of resources or of resource templates has changed.
    ResourcesChanged,
    /// The contents of the resource with this URI have changed.
    ResourceUpdated(Box<str>),
    /// The resource with this URI cannot be subscribed to: the server refuses it, or does not
    /// send updates for it.
    SubscriptionRefused(Box<str>),
    /// The user has visited the page of a URL elicitation (2025-11-25) with this id.
    ElicitationComplete(Box<str>),
    /// A log message. A handler gets messages that belong to no call, a stream gets all of them.
    LogMessage(LoggingMessageParams),
    /// The progress of a call of this client. Only streams have it: a program with a handler passes
    /// [`Notes`](hobnob_mcp_engine::Notes) with each call.
    Progress(ProgressEvent),
    /// An event of a call of this client: output of a program, a piece of a model's answer. Only
    /// streams have it.
    Call(CallEvent),
    /// The server sent something that is not a protocol message; holds what is wrong with it.
    InvalidMessage(Box<str>),
    /// This many events were dropped here, because you read the stream too slowly. Read the lists
    /// and resources that you use again. Only streams have it.
    Missed(u64),
    /// The connection has ended; holds the reason.
    Ended(Box<str>),
}

/// The progress of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgressEvent {
    /// The tool or prompt that is called, or the resource that is read.
    pub target: Box<str>,
    /// The amount done so far; it grows with each event.
    pub progress: f64,
    /// The value of `progress` at the end, if the server knows it.
    pub total: Option<f64>,
    /// A message for people.
    pub message: Option<String>,
}

/// An event that a call reported while it ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallEvent {
    /// The tool that is called.
    pub target: Box<str>,
    /// The kind and the text of the event, which is all that a server sends of it.
    pub event: StreamEvent,
}

/// Handles the events of one connection, in order.
pub trait EventHandler: Send + Sync + 'static {
    /// Runs on the task that reads the transport, so it must return at once.
    fn on_event(&self, event: ServerEvent);
}

/// A handler that ignores every event.
#[derive(Debug, Clone, Copy, Default)]
pub struct IgnoreEvents;

impl EventHandler for IgnoreEvents {
    fn on_event(&self, _event: ServerEvent) {}
}
