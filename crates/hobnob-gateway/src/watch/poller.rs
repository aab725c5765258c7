//! Polls: reading a resource whose server reports no changes, or calling a tool, at intervals. A
//! result that differs from the previous one is a change.
//!
//! `updates` polls for all watching clients, the tool `SubscribePolling` for one client.

use crate::background::BackgroundTasks;
use crate::calls::forward::{ForwardError, forward};
use crate::calls::record::Recorder;
use crate::view::View;
use crate::view::open_views::OpenViews;
use crate::watch::pace::Proof;
use crate::watch::poll_task::{PollAudience, PollTask};
use crate::watch::polled::{MAX_REFUSALS, wait};
use crate::watch::polls::Polls;
use crate::watch::watches::Watches;
use hobnob_config::Digest;
use hobnob_mcp_client::{Forwarded, RequestError};
use hobnob_mcp_engine::{Change, Notes, Outcome};
use hobnob_mcp_types::Method;
use hobnob_mcp_types::json::object;
use hobnob_policy::audit::AuditOutcome;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The shortest time between two turns of a poll.
pub(crate) const MIN_INTERVAL: Duration = Duration::from_millis(1000);

/// How long a poll goes on without a client that watches.
const MAX_UNWATCHED: Duration = Duration::from_secs(600);

/// Runs polls for all watching clients and for single clients.
pub(crate) struct Poller {
    views: Arc<OpenViews>,
    recorder: Recorder,
    watches: Arc<Watches>,
    /// The polls that single clients asked for.
    pub(crate) polls: Polls,
    tasks: BackgroundTasks,
}

impl Poller {
    pub(crate) fn new(
        views: Arc<OpenViews>,
        recorder: Recorder,
        watches: Arc<Watches>,
        tasks: BackgroundTasks,
    ) -> Arc<Self> {
        Arc::new(Self { views, recorder, watches, polls: Polls::default(), tasks })
    }

    /// Starts a poll; it runs until it or the gateway is stopped.
    pub(crate) fn start(self: &Arc<Self>, polling: PollTask) {
        let this = Arc::clone(self);
        self.tasks.tracker.spawn(async move {
            let stop = polling.stop.clone();
            tokio::select! {
                () = stop.cancelled() => {}
                () = this.tasks.stop.cancelled() => {}
                () = this.poll_until_given_up(polling) => {}
            }
        });
    }

    async fn poll_until_given_up(&self, polling: PollTask) {
        let mut before: Option<Digest> = None;
        let mut last_watched = Instant::now();
        let (mut refusals, mut proof) = (0, polling.proof);
        loop {
            self.watches.pace.turn(&polling.server, proof).await;
            let outcome = self.poll_once(&polling).await;
            refusals = if matches!(outcome, PollOutcome::Refused(_)) { refusals + 1 } else { 0 };
            if polling.method == Method::ResourcesRead && MAX_REFUSALS <= refusals {
                tracing::info!(server = %polling.server, "a watched resource cannot be read");
                self.polls.forget(&polling.uri);
                self.watches.give_up(&polling.uri);
                return;
            }
            if let PollOutcome::Found(found) = outcome {
                if proof == Proof::Unproved {
                    proof = Proof::Proved;
                    self.watches.proved(&polling.uri);
                }
                let digest = Digest::of(found.as_bytes());
                let changed = before.is_some_and(|before| before != digest);
                if before != Some(digest)
                    && let (Some(last), PollAudience::One(view)) =
                        (&polling.last, &polling.audience)
                {
                    let found = bounded(found, view);
                    *last.lock() = Some(found);
                }
                before = Some(digest);
                if changed {
                    self.announce_change(&polling);
                }
            }
            tokio::time::sleep(wait(polling.interval.max(MIN_INTERVAL), refusals)).await;
            // Without a client that watches, the poll ends after a while.
            if self.is_watched(&polling) {
                last_watched = Instant::now();
            } else if last_watched.elapsed() > MAX_UNWATCHED {
                self.polls.forget(&polling.uri);
                return;
            }
        }
    }

    fn announce_change(&self, polling: &PollTask) {
        let change = Change::Resource(polling.uri.clone());
        match &polling.audience {
            PollAudience::Everyone => {
                self.views.announce(&polling.server, &polling.owner.principal, &change);
            }
            PollAudience::One(view) => {
                view.announce_to(&change, |principal| *principal == polling.owner.principal);
            }
        }
    }

    fn is_watched(&self, polling: &PollTask) -> bool {
        match &polling.audience {
            PollAudience::Everyone => {
                self.views.all().iter().any(|view| view.hub.is_watched(&polling.uri))
            }
            PollAudience::One(view) => view.hub.is_watched(&polling.uri),
        }
    }

    /// The view in which a poll is made, as long as it shows the server.
    fn view(&self, polling: &PollTask) -> Option<Arc<View>> {
        let shows = |view: &&Arc<View>| view.shows_server(&polling.server);
        match &polling.audience {
            PollAudience::Everyone => self.views.all().iter().find(shows).cloned(),
            PollAudience::One(view) => Some(view).filter(shows).cloned(),
        }
    }

    /// Makes one request of a poll.
    pub(crate) async fn poll_once(&self, polling: &PollTask) -> PollOutcome {
        let Some(view) = self.view(polling) else { return PollOutcome::Nothing };
        let snapshot = view.snapshot();
        let upstream = snapshot.upstreams.get(&*polling.server);
        let (Some(upstream), Some(call)) = (upstream, polling.call()) else {
            return PollOutcome::Nothing;
        };
        let mut record = self.recorder.begin(&call, &polling.target);
        record.server = Some(&polling.server);
        let permit = match polling.permit(&view, record.traced(call)) {
            Ok(permit) => permit,
            Err(_) => {
                record.discard();
                return PollOutcome::Nothing;
            }
        };
        record.decided(permit.audit());
        if let Err(error) = record.begins().await {
            tracing::warn!(%error, server = %polling.server, "a poll is not made");
            return PollOutcome::Nothing;
        }
        // The tool or its rule may have changed while its server was starting.
        let allowed = || match polling.method {
            Method::ToolsCall => polling.permit(&view, permit.request().call().clone()).is_ok(),
            _ => true,
        };
        match forward(upstream, &permit, None, &Notes::silent(), &allowed).await {
            Ok(Forwarded::Outcome(Outcome::Complete(answer))) => {
                record.answered(answer.body.len());
                PollOutcome::Found(answer.body)
            }
            Ok(_) => {
                record.ended(AuditOutcome::Refused);
                let why = "the server asks a question, which a poll cannot answer";
                PollOutcome::Refused(why.into())
            }
            Err(error) => {
                record.ended(AuditOutcome::UpstreamLost);
                let why = error.text(&polling.server);
                tracing::debug!(server = %polling.server, why, "a poll failed");
                match error {
                    ForwardError::Failed(RequestError::Rpc(_)) => PollOutcome::Refused(why),
                    _ => PollOutcome::Nothing,
                }
            }
        }
    }
}

/// The outcome of one turn.
pub(crate) enum PollOutcome {
    /// The result, as JSON text.
    Found(String),
    /// The server refused, for this reason.
    Refused(String),
    /// The server cannot or must not be asked now.
    Nothing,
}

/// The result of a poll, or only a note of its size if it exceeds the cap.
fn bounded(found: String, view: &View) -> String {
    let max_bytes = view.snapshot().settings.gateway.result_cap;
    if found.len() <= max_bytes {
        return found;
    }
    object(|note| {
        note.raw("tooLarge", "true").raw("bytes", &found.len().to_string());
    })
}
