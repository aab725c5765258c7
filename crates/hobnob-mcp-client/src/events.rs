//! What a server says without being asked, and the program's handler for it.
//!
//! The inbox and the subscriptions of a connection call the handler, from the task that reads the
//! transport: whoever implements it must never wait.

use hobnob_mcp_types::logging::LoggingMessageParams;

/// A notification of the server, or something that happened to the connection.
#[derive(Debug)]
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
    /// A log message that belongs to no call.
    LogMessage(LoggingMessageParams),
    /// The server sent something that is no message of the protocol; says what is wrong with it.
    InvalidMessage(Box<str>),
    /// The connection is over; says why.
    Ended(Box<str>),
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
