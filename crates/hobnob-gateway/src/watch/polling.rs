//! Polls: reading a resource whose server reports no changes, or calling a tool, again and again. A
//! result that differs from the one before is a change.
//!
//! `update` polls for everybody who watches, the tool `SubscribePolling` for one client. Each turn
//! needs a permit of its own: the tool or its rule may have changed since polling began.

use crate::calls::contents::permit_contents;
use crate::calls::forward::{ForwardError, forward};
use crate::calls::terms::{arguments_of, check_terms};
use crate::gateway::Gateway;
use crate::permitted::UpstreamRequest;
use crate::rewrite;
use crate::view::View;
use crate::watch::pace::Proof;
use crate::watch::polled::{REFUSALS, wait};
use crate::watch::polls::PollOwner;
use hobnob_config::Digest;
use hobnob_mcp_client::{Forwarded, RequestError};
use hobnob_mcp_engine::{Answers, Call, Caller, Change, Notes, Outcome, TaskOffer};
use hobnob_mcp_server::toolbox::ToolError;
use hobnob_mcp_types::json::object;
use hobnob_mcp_types::{Method, Params, Revision};
use hobnob_policy::audit::AuditOutcome;
use hobnob_policy::{Authorization, Permit, authorize};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The shortest time between two turns of a poll.
pub(crate) const MIN_INTERVAL: Duration = Duration::from_millis(1000);

/// How long a poll goes on that nobody listens to.
const MAX_UNWATCHED: Duration = Duration::from_secs(600);

impl Gateway {
    /// Begins to poll, until the poll or the gateway is stopped.
    pub(crate) fn poll(self: &Arc<Self>, polling: PollTask) {
        let gateway = Arc::clone(self);
        self.tasks.spawn(async move {
            let stop = polling.stop.clone();
            tokio::select! {
                () = stop.cancelled() => {}
                () = gateway.stop.cancelled() => {}
                () = gateway.poll_until_stopped(polling) => {}
            }
        });
    }

    async fn poll_until_stopped(&self, polling: PollTask) {
        let mut before: Option<Digest> = None;
        let mut wanted = Instant::now();
        let (mut refusals, mut proof) = (0, polling.proof);
        loop {
            self.watches.pace.turn(&polling.server, proof).await;
            let outcome = self.poll_once(&polling).await;
            refusals = if matches!(outcome, PollOutcome::Refused(_)) { refusals + 1 } else { 0 };
            if polling.method == Method::ResourcesRead && REFUSALS <= refusals {
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
                    && let Some(last) = &polling.last
                {
                    *last.lock().unwrap_or_else(PoisonError::into_inner) =
                        Some(self.bounded(found));
                }
                before = Some(digest);
                if changed {
                    self.announce_change(&polling);
                }
            }
            tokio::time::sleep(wait(polling.interval.max(MIN_INTERVAL), refusals)).await;
            // What nobody listens to any more is not asked for for ever.
            if self.is_watched(&polling) {
                wanted = Instant::now();
            } else if wanted.elapsed() > MAX_UNWATCHED {
                self.polls.forget(&polling.uri);
                return;
            }
        }
    }

    fn announce_change(&self, polling: &PollTask) {
        let change = Change::Resource(polling.uri.clone());
        match &polling.audience {
            PollAudience::Everyone => self.announce(&polling.server, &change),
            PollAudience::One(view) => view.announce(&change),
        }
    }

    fn is_watched(&self, polling: &PollTask) -> bool {
        match &polling.audience {
            PollAudience::Everyone => {
                self.views().iter().any(|view| view.hub.is_watched(&polling.uri))
            }
            PollAudience::One(view) => view.hub.is_watched(&polling.uri),
        }
    }

    /// What a poll found, or a note of its size where that is above the cap.
    fn bounded(&self, found: String) -> String {
        let max_bytes = self.config().settings.gateway.result_cap;
        if found.len() <= max_bytes {
            return found;
        }
        object(|note| {
            note.raw("tooLarge", "true").raw("bytes", &found.len().to_string());
        })
    }

    /// What is there now.
    pub(crate) async fn poll_once(&self, polling: &PollTask) -> PollOutcome {
        let views = self.views();
        let view = match &polling.audience {
            PollAudience::Everyone => views.iter().find(|view| view.shows_server(&polling.server)),
            PollAudience::One(view) => Some(view).filter(|view| view.shows_server(&polling.server)),
        };
        let Some(view) = view else { return PollOutcome::Nothing };
        let snapshot = view.snapshot();
        let upstream = snapshot.upstreams.get(&*polling.server);
        let call = own_call(polling.method, polling.params.clone(), &polling.owner);
        let (Some(upstream), Some(call)) = (upstream, call) else { return PollOutcome::Nothing };
        let mut record = self.recorder.begin(&call, &polling.target);
        record.server = Some(&polling.server);
        let permit = match permit_poll(view, polling, call) {
            Ok(permit) => permit,
            Err(_) => {
                record.discard();
                return PollOutcome::Nothing;
            }
        };
        record.decided(permit.audit());
        // The tool or its rule may have changed while its server was started.
        let allowed = || match polling.method {
            Method::ToolsCall => {
                permit_poll(view, polling, permit.request().call().clone()).is_ok()
            }
            _ => true,
        };
        match forward(upstream, &permit, None, &Notes::silent(), &allowed).await {
            Ok(Forwarded::Outcome(Outcome::Complete(answer))) => {
                record.answered(answer.body.len());
                PollOutcome::Found(answer.body)
            }
            Ok(_) => {
                record.ended(AuditOutcome::Refused);
                PollOutcome::Refused("it asks something first".into())
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

/// What came of one turn.
pub(crate) enum PollOutcome {
    /// The result, as JSON text.
    Found(String),
    /// The server says no, and why.
    Refused(String),
    /// The server cannot be asked now, or may not be.
    Nothing,
}

/// The permit for one turn.
fn permit_poll(
    view: &View,
    polling: &PollTask,
    call: Call,
) -> Result<Permit<UpstreamRequest>, ToolError> {
    match polling.method {
        Method::ToolsCall => permit_polled_tool(view, &polling.server, &polling.target, call),
        _ => permit_polled_resource(view, &polling.server, &polling.target, call),
    }
}

/// PollTask a tool runs it, so it must be there and its rule has to allow that without asking
/// anybody.
pub(crate) fn permit_polled_tool(
    view: &View,
    server: &str,
    tool: &str,
    call: Call,
) -> Result<Permit<UpstreamRequest>, ToolError> {
    let snapshot = view.snapshot();
    let Some((public, route)) = snapshot.catalogue.find_tool(server, tool) else {
        return Err(ToolError::failed(format!("server `{server}` offers no tool `{tool}`")));
    };
    check_terms(snapshot.catalogue.tool_terms(public), arguments_of(&call))?;
    let request = UpstreamRequest::tool(public, Arc::clone(route), call);
    let why = match authorize(&snapshot.rules, request) {
        Authorization::Permitted(permit) => return Ok(permit),
        Authorization::NeedsConsent(pending) => pending.verdict().explain(),
        Authorization::Denied(denied) => denied.to_string(),
    };
    Err(ToolError::failed(format!(
        "tool `{tool}` cannot be polled: {why}; polling needs a rule that allows it"
    )))
}

/// The permit to read a server's resource, once.
pub(crate) fn permit_polled_resource(
    view: &View,
    server: &str,
    uri: &str,
    call: Call,
) -> Result<Permit<UpstreamRequest>, ToolError> {
    let value = rewrite::quoted(uri);
    let request = UpstreamRequest::contents(&server.into(), "uri", value, call);
    permit_contents(&view.snapshot(), request).map_err(|(_, error)| error.into())
}

/// Who is notified of what a poll finds.
pub(crate) enum PollAudience {
    /// Every view that has the server.
    Everyone,
    /// The view it was asked for in.
    One(Arc<View>),
}

/// A poll: what to ask, on whose behalf, how often, and whom to notify.
pub(crate) struct PollTask {
    pub(crate) server: Box<str>,
    pub(crate) method: Method,
    /// The tool's name or the resource's URI, as the server knows it.
    pub(crate) target: Box<str>,
    /// On whose behalf the server is asked.
    pub(crate) owner: PollOwner,
    pub(crate) audience: PollAudience,
    /// The upstream's own terms.
    pub(crate) params: String,
    /// The public URI that a change is announced under.
    pub(crate) uri: Box<str>,
    pub(crate) interval: Duration,
    /// Whether it is known to exist.
    pub(crate) proof: Proof,
    /// Where what is found is kept, if it is.
    pub(crate) last: Option<Arc<Mutex<Option<String>>>>,
    pub(crate) stop: CancellationToken,
}

/// A call of our own on somebody's behalf.
pub(crate) fn own_call(method: Method, params: String, owner: &PollOwner) -> Option<Call> {
    Some(Call {
        method,
        params: Arc::new(Params::from_json(params).ok()?),
        caller: Caller {
            revision: Revision::NEWEST,
            capabilities: Arc::default(),
            client: None,
            client_id: owner.client,
            principal: owner.principal.clone(),
            log_level: None,
        },
        answers: Answers::default(),
        task: TaskOffer::No,
        mirrored: None,
    })
}
