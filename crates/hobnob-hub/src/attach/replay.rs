//! Replays to a new hub the state of a client that an earlier hub greeted: the handshake, the log
//! level, the subscriptions.
//!
//! `conversation` builds it, and the relay sends it before it reads on from the client.

use super::frames::{notification, with_id};
use hobnob_mcp_types::json::field;
use tokio::sync::oneshot;

/// The lists that a client may have to read again, with the notification for each.
const LISTS: [(&str, &str); 3] = [
    ("tools", "notifications/tools/list_changed"),
    ("resources", "notifications/resources/list_changed"),
    ("prompts", "notifications/prompts/list_changed"),
];

/// Lines for a new hub, and for the client afterwards.
#[derive(Debug, Default)]
pub(super) struct Replay {
    /// The handshake request; with a receiver, its answer is awaited and not for the client.
    pub(super) greeting: Option<(String, Option<oneshot::Receiver<()>>)>,
    /// Lines for the hub after the handshake is answered.
    pub(super) afterwards: Vec<String>,
    /// Notifications for the client after that.
    pub(super) notifications: Vec<String>,
}

impl Replay {
    /// Repeats a handshake that the client still waits for.
    pub(super) fn again(request: String) -> Self {
        Self { greeting: Some((request, None)), ..Self::default() }
    }

    /// Restores an open session: each request comes with its new id.
    pub(super) fn of_session(
        (id, request): (String, String),
        answered: oneshot::Receiver<()>,
        initialized: Option<String>,
        more: Vec<(String, String)>,
        result: &str,
    ) -> Self {
        let notifications = if initialized.is_some() { changed_lists(result) } else { Vec::new() };
        let more = more.into_iter().map(|(id, request)| with_id(&request, &id));
        Self {
            greeting: Some((with_id(&request, &id), Some(answered))),
            afterwards: initialized.into_iter().chain(more).collect(),
            notifications,
        }
    }
}

/// The lists that a new hub may have changed, as notifications for the client.
fn changed_lists(result: &str) -> Vec<String> {
    let announces = |list: &str| {
        let list = field(field(result, "capabilities")?, list)?;
        field(list, "listChanged")
    };
    let lists = LISTS.iter().filter(|(list, _)| announces(list) == Some("true"));
    lists.map(|(_, method)| notification(method, None)).collect()
}
