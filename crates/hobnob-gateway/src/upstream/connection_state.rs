//! What the server of one connection has reported and the gateway has not acted on yet.
//!
//! The client of the connection writes it, from the task that reads the transport; the task that
//! supervises the connection reads it. Events about resources go straight to the gateway.

use hobnob_mcp_client::{EventHandler, ServerEvent};
use hobnob_mcp_engine::Principal;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

const TOOLS: u8 = 1;
const PROMPTS: u8 = 2;
const RESOURCES: u8 = 4;

/// What a server reports about one of its resources, by the server's own URI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResourceEvent<'a> {
    /// The resource has new contents.
    Updated(&'a str),
    /// The server will not report changes of the resource, so it has to be polled.
    Unwatched(&'a str),
}

/// Receives what servers report about their resources. Implementations must not block.
pub(crate) trait ResourceEvents: Send + Sync {
    /// Takes an event from a connection of the principal `of`.
    fn on_resource(&self, server: &str, of: &Principal, event: ResourceEvent<'_>);
}

/// What the server of one connection has reported and the gateway has not acted on yet.
pub(crate) struct ConnectionState {
    /// Which lists changed, as bits.
    stale: AtomicU8,
    /// Notified when a list has changed.
    pub(crate) list_changed: Notify,
    /// Cancelled when the connection is over.
    pub(crate) ended: CancellationToken,
    end_reason: OnceLock<Box<str>>,
    invalid_messages: AtomicU64,
    resources: Arc<dyn ResourceEvents>,
    /// The server's name in the configuration.
    name: Box<str>,
    /// The principal whose connection it is.
    principal: Principal,
}

impl ConnectionState {
    /// The server's name in the configuration.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn new(
        name: &str,
        principal: &Principal,
        resources: Arc<dyn ResourceEvents>,
    ) -> Self {
        Self {
            stale: AtomicU8::new(0),
            list_changed: Notify::new(),
            ended: CancellationToken::new(),
            end_reason: OnceLock::new(),
            invalid_messages: AtomicU64::new(0),
            resources,
            name: name.into(),
            principal: principal.clone(),
        }
    }

    /// Whether any list changed since the last call.
    pub(crate) fn take_stale(&self) -> bool {
        self.stale.swap(0, Ordering::AcqRel) != 0
    }

    /// Why the connection ended.
    pub(crate) fn end_reason(&self) -> &str {
        self.end_reason.get().map_or("it was closed", |why| why)
    }

    /// How many messages did not follow the protocol.
    pub(crate) fn invalid_messages(&self) -> u64 {
        self.invalid_messages.load(Ordering::Relaxed)
    }

    fn mark_stale(&self, which: u8) {
        self.stale.fetch_or(which, Ordering::AcqRel);
        self.list_changed.notify_one();
    }
}

impl EventHandler for ConnectionState {
    fn on_event(&self, event: ServerEvent) {
        match event {
            ServerEvent::ToolsChanged => self.mark_stale(TOOLS),
            ServerEvent::PromptsChanged => self.mark_stale(PROMPTS),
            ServerEvent::ResourcesChanged => self.mark_stale(RESOURCES),
            ServerEvent::ResourceUpdated(uri) => {
                let event = ResourceEvent::Updated(&uri);
                self.resources.on_resource(&self.name, &self.principal, event);
            }
            ServerEvent::SubscriptionRefused(uri) => {
                let event = ResourceEvent::Unwatched(&uri);
                self.resources.on_resource(&self.name, &self.principal, event);
            }
            // The call that opened a page waits for it; the other events are for event streams.
            ServerEvent::ElicitationComplete(_)
            | ServerEvent::Progress(_)
            | ServerEvent::Call(_)
            | ServerEvent::Missed(_) => {}
            ServerEvent::LogMessage(message) => {
                tracing::debug!(server = %self.name, level = ?message.level, "log message without a call");
            }
            ServerEvent::InvalidMessage(_) => {
                // Reported once per connection: a program may print its whole log to stdout.
                if self.invalid_messages.fetch_add(1, Ordering::Relaxed) == 0 {
                    tracing::warn!(server = %self.name, "the server sends text that is no protocol message; it is skipped");
                }
            }
            ServerEvent::Ended(why) => {
                let _first = self.end_reason.set(why);
                self.ended.cancel();
            }
        }
    }
}

impl std::fmt::Debug for ConnectionState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ConnectionState({})", self.name)
    }
}
