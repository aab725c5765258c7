//! The bounds of a hub that it can read at once: calls, streams, questions, connections, memory for
//! bodies and results, open files.
//!
//! `health` shows them with what can be done, and the event stream tells open pages when one comes nearer. What
//! must stay true: reading them is quick and disturbs no request.

use hobnob_gateway::{Gateway, OwnerControls};
use hobnob_mcp_http::{HttpLoad, UsedHttpLimit};
use hobnob_mcp_server::{Server, UsedQuota};
use hobnob_ui::LimitHealth;
use std::sync::Arc;

/// The parts of a hub that know their bounds.
pub(super) struct HubLimits {
    pub(super) gateway: Arc<Gateway>,
    /// The first view, whose quotas all views share.
    pub(super) server: Server,
    /// What the hub's own listener holds open.
    pub(super) http_load: Arc<HttpLoad>,
}

impl HubLimits {
    /// Every bound, and how much of it is used now.
    pub(super) fn read(&self) -> Vec<LimitHealth> {
        let mut limits = Vec::from(self.of_clients());
        limits.extend(self.of_listener());
        limits.extend(self.of_gateway());
        limits.extend(open_files());
        limits
    }

    fn of_clients(&self) -> [LimitHealth; 4] {
        let quotas = self.server.quotas().used();
        let count = |name: &str, quota: UsedQuota, remedy: &str| {
            LimitHealth::count(name, quota.used, quota.max, remedy)
        };
        [
            count(
                "calls in flight",
                quotas.calls,
                "cancel what hangs under Now, or raise `calls_total` in [limits] of config.toml and \
                 restart the hub",
            ),
            count(
                "requests for lists in flight",
                quotas.queries,
                "look in the audit log for a client that asks without a pause, and stop it",
            ),
            count(
                "event streams",
                quotas.listens,
                "close clients that are not used, or raise `listens_total` in [limits] of config.toml \
                 and restart the hub",
            ),
            count(
                "subscriptions to resources",
                quotas.subscriptions,
                "close clients that are not used, or raise `subscriptions_total` in [limits] of \
                 config.toml and restart the hub",
            ),
        ]
    }

    /// Nothing while the hub has no listener of its own.
    fn of_listener(&self) -> Vec<LimitHealth> {
        let Some(load) = self.http_load.read() else { return Vec::new() };
        let count = |name: &str, limit: UsedHttpLimit, remedy: &str| {
            LimitHealth::count(name, limit.used, limit.max, remedy)
        };
        let UsedHttpLimit { used, max } = load.body_bytes;
        vec![
            count(
                "HTTP connections",
                load.connections,
                "close clients that are not used; at the bound, further connections are refused",
            ),
            count(
                "HTTP sessions of one endpoint",
                load.sessions,
                "close clients that are not used; a session that is idle for 30 minutes ends by itself",
            ),
            LimitHealth::bytes(
                "large request bodies",
                used,
                max,
                "send less at a time, or raise `bodies_total` in [limits] of config.toml and restart \
                 the hub",
            ),
            count(
                "WebSocket connections",
                load.websockets,
                "close clients that are not used; at the bound, further ones are refused",
            ),
        ]
    }

    fn of_gateway(&self) -> [LimitHealth; 3] {
        let owner = self.gateway.owner_controls();
        let kept = owner.kept_results();
        let dropped = "nothing needs to be done: the oldest is dropped first, and its tool can be \
                       called again";
        [
            LimitHealth::count(
                "questions to you",
                owner.questions().len(),
                OwnerControls::MAX_QUESTIONS,
                "answer them under \"Waiting for you\"; at the bound, calls that need you are refused",
            ),
            LimitHealth::count("large results that are kept", kept.count, kept.max_count, dropped),
            LimitHealth::bytes("memory of large results", kept.bytes, kept.max_bytes, dropped),
        ]
    }
}

/// The open files and connections of this process, if the system tells it and has a bound.
#[cfg(target_os = "linux")]
fn open_files() -> Option<LimitHealth> {
    let open = std::fs::read_dir("/proc/self/fd").ok()?.count();
    let max = rustix::process::getrlimit(rustix::process::Resource::Nofile).current?;
    // One of them is the folder that is being read.
    let used = open.saturating_sub(1);
    let remedy = "disable servers that are not used, or start the hub with a higher `ulimit -n`";
    let max = usize::try_from(max).unwrap_or(usize::MAX);
    Some(LimitHealth::count("open files and connections", used, max, remedy))
}

#[cfg(not(target_os = "linux"))]
fn open_files() -> Option<LimitHealth> {
    None
}
