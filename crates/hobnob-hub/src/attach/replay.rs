//! What a new hub is told about a client that it did not greet itself: the handshake, the level of log
//! messages, the subscriptions.
//!
//! `conversation` makes it, and the relay sends it before it reads on from the client.

use super::frames::{notification, with_id};
use hobnob_mcp_types::json::field;
use tokio::sync::oneshot;

/// The lists that a client may have to read again, and what announces it.
const LISTS: [(&str, &str); 3] = [
    ("tools", "notifications/tools/list_changed"),
    ("resources", "notifications/resources/list_changed"),
    ("prompts", "notifications/prompts/list_changed"),
];

/// Lines for a new hub, and for the client afterwards.
#[derive(Debug, Default)]
pub(super) struct Replay {
    /// The first line, and what its answer is waited for with, if the client gets none.
    pub(super) greeting: Option<(String, Option<oneshot::Receiver<()>>)>,
    /// Lines once the greeting is answered.
    pub(super) afterwards: Vec<String>,
    /// What the client hears then.
    pub(super) told: Vec<String>,
}

impl Replay {
    /// A handshake whose answer the client still waits for.
    pub(super) fn again(request: String) -> Self {
        Self { greeting: Some((request, None)), ..Self::default() }
    }

    /// A session that was open: each request with the id that it gets.
    pub(super) fn of_session(
        (id, request): (String, String),
        answered: oneshot::Receiver<()>,
        initialized: Option<String>,
        more: Vec<(String, String)>,
        result: &str,
    ) -> Self {
        let told = if initialized.is_some() { changed_lists(result) } else { Vec::new() };
        let more = more.into_iter().map(|(id, request)| with_id(&request, &id));
        Self {
            greeting: Some((with_id(&request, &id), Some(answered))),
            afterwards: initialized.into_iter().chain(more).collect(),
            told,
        }
    }
}

/// A hub that has just begun may offer something else than the one before.
fn changed_lists(result: &str) -> Vec<String> {
    let announces = |list: &str| {
        let list = field(field(result, "capabilities")?, list)?;
        field(list, "listChanged")
    };
    let lists = LISTS.iter().filter(|(list, _)| announces(list) == Some("true"));
    lists.map(|(_, method)| notification(method, None)).collect()
}
