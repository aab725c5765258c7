//! The polls that clients asked for, with their last results.

use crate::view::ViewId;
use hobnob_mcp_engine::{Caller, ClientId, Principal};
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The most polls at once, per client and in all.
const MAX_PER_CLIENT: usize = 64;
const MAX_POLLS: usize = 256;

/// The limit on polls is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many polls; end some first")]
pub(crate) struct TooManyPolls;

/// Every poll that a client asked for, by its id.
#[derive(Debug, Default)]
pub(crate) struct Polls(Mutex<BTreeMap<Box<str>, Poll>>);

/// One poll that a client asked for.
#[derive(Debug, Clone)]
pub(crate) struct Poll {
    /// The client that asked for it; other clients neither see nor end it.
    pub(crate) owner: PollOwner,
    /// The view in which it was started.
    pub(crate) view: ViewId,
    /// The server that is polled.
    pub(crate) server: Box<str>,
    /// The tool's name or the resource's URI, as the server knows it.
    pub(crate) target: Box<str>,
    /// The public URI under which its changes are announced.
    pub(crate) uri: Box<str>,
    /// The last result it found.
    pub(crate) last: Arc<Mutex<Option<String>>>,
    /// Cancelled when its client ends it or goes.
    pub(crate) stop: CancellationToken,
}

/// The principal and client in whose name a poll is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PollOwner {
    pub(crate) principal: Principal,
    pub(crate) client: ClientId,
}

impl PollOwner {
    /// The gateway itself, for polls on behalf of all watching clients.
    pub(crate) fn ours() -> Self {
        Self { principal: Principal::anonymous(), client: ClientId::OURSELVES }
    }

    pub(crate) fn of(caller: &Caller) -> Self {
        Self { principal: caller.principal.clone(), client: caller.client_id }
    }
}

impl Poll {
    fn is_of(&self, owner: &Principal, view: ViewId) -> bool {
        self.owner.principal == *owner && self.view == view
    }
}

impl Polls {
    /// Adds a poll, unless there are too many.
    pub(crate) fn add(&self, id: &str, poll: Poll) -> Result<(), TooManyPolls> {
        let mut polls = self.lock();
        let of_client = polls.values().filter(|it| it.owner == poll.owner).count();
        if MAX_POLLS <= polls.len() || MAX_PER_CLIENT <= of_client {
            return Err(TooManyPolls);
        }
        polls.insert(id.into(), poll);
        Ok(())
    }

    /// Ends the polls of this owner in this view that `fits` selects; returns their URIs.
    pub(crate) fn remove(
        &self,
        owner: &Principal,
        view: ViewId,
        fits: impl Fn(&str, &Poll) -> bool,
    ) -> Vec<Box<str>> {
        let mut polls = self.lock();
        let gone: Vec<Box<str>> = polls
            .iter()
            .filter(|(id, poll)| poll.is_of(owner, view) && fits(id, poll))
            .map(|(id, _)| id.clone())
            .collect();
        let removed = gone.iter().filter_map(|id| polls.remove(id));
        removed.inspect(|poll| poll.stop.cancel()).map(|poll| poll.uri).collect()
    }

    /// Ends the polls of a client that has gone.
    pub(crate) fn end_client(&self, client: ClientId) {
        self.lock().retain(|_, poll| {
            let is_its = poll.owner.client == client;
            if is_its {
                poll.stop.cancel();
            }
            !is_its
        });
    }

    /// Removes the polls of a resource that no client watches any more.
    pub(crate) fn forget(&self, uri: &str) {
        self.lock().retain(|_, poll| *poll.uri != *uri);
    }

    /// The last result of the poll with this URI, for its owner.
    pub(crate) fn last(&self, uri: &str, owner: &Principal, view: ViewId) -> Option<String> {
        let polls = self.lock();
        let poll = polls.values().find(|poll| *poll.uri == *uri && poll.is_of(owner, view))?;
        let last = poll.last.lock();
        Some(last.clone().unwrap_or_else(|| "null".into()))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Box<str>, Poll>> {
        self.0.lock()
    }
}
