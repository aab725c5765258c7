//! What only the owner of a hub may do with running calls and open questions.
//!
//! The private socket and the page of a hub use it, after they have made sure that the owner asks.

use crate::calls::observer::ObservedCall;
use crate::calls::rule_uses::{CountedRules, RuleUses};
use crate::calls::running::RunningCalls;
use crate::consent::{MAX_QUESTIONS, NotAnswered, OwnerAnswer, OwnerQuestion};
use crate::dispatch::owner_guard::OwnerGuard;
use crate::dispatch::results::{KeptResults, LargeResults};
use crate::gateway::lasting_consents::{self, LastingConsent};
use crate::reload::ConfigReader;
use crate::servers::registry::ServerRegistry;
use crate::upstream::BegunLogin;
use crate::upstream::PhaseChange;
use crate::upstream::ServerProcess;
use crate::upstream::server::Upstream;
use crate::view::error::RestartError;
use crate::view::open_views::OpenViews;
use hobnob_config::Digest;
use hobnob_mcp_engine::Principal;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The owner's view of a gateway, for code that has verified that the owner asks.
#[derive(Clone)]
pub struct OwnerControls {
    pub(super) guard: Arc<OwnerGuard>,
    pub(super) config_reader: Arc<ConfigReader>,
    pub(super) running: Option<Arc<RunningCalls>>,
    pub(super) servers: Arc<ServerRegistry>,
    pub(super) results: Arc<LargeResults>,
    pub(super) views: Arc<OpenViews>,
    pub(super) rule_uses: Arc<RuleUses>,
}

impl OwnerControls {
    /// How many questions may wait for the owner.
    pub const MAX_QUESTIONS: usize = MAX_QUESTIONS;

    /// From now on, questions about calls of the owner's own clients are in the list too, because a
    /// command or the page can answer them.
    pub fn answers_can_come(&self) {
        self.guard.is_reachable_now();
    }

    /// The open questions to the owner, the oldest first.
    pub fn questions(&self) -> Vec<OwnerQuestion> {
        self.guard.questions()
    }

    /// Answers one of these questions.
    ///
    /// # Errors
    /// When the question is gone, has an answer or does not take this one, or when the answer or its
    /// rule cannot be recorded or written.
    pub async fn answer(
        &self,
        number: u64,
        answer: OwnerAnswer,
    ) -> Result<OwnerQuestion, NotAnswered> {
        let answered = self.guard.answer(number, answer).await;
        if answer.writes().is_some() && answered.is_ok() {
            self.config_reader.request();
        }
        answered
    }

    /// The answers of people that hold until this hub restarts.
    pub fn lasting_consents(&self) -> Vec<LastingConsent> {
        lasting_consents::list(&self.views)
    }

    /// A number that grows whenever the list of these answers changes.
    pub fn lasting_consent_changes(&self) -> u64 {
        self.views.all().iter().map(|view| view.consents.changes()).sum()
    }

    /// Withdraws such an answer by its digest, so that the next call is asked about again; `None` if
    /// it does not hold any more.
    pub fn withdraw_consent(&self, digest: Digest) -> Option<LastingConsent> {
        lasting_consents::withdraw(&self.views, digest)
    }

    /// How often each rule decided about a call since this hub started.
    pub fn rule_uses(&self) -> CountedRules {
        self.rule_uses.read()
    }

    /// The processes of servers that run on this machine, and whom each serves.
    pub fn server_processes(&self) -> Vec<ServerProcess> {
        let upstreams = self.servers.upstreams();
        upstreams.iter().flat_map(|it| it.connections.processes(it.name())).collect()
    }

    /// The calls that run now, the oldest first; none in a gateway without an observer.
    pub fn running_calls(&self) -> Vec<Arc<ObservedCall>> {
        self.running.as_ref().map(|running| running.list()).unwrap_or_default()
    }

    /// The last changes of every server, the oldest first; also of servers that are gone.
    pub fn server_changes(&self) -> BTreeMap<Box<str>, Vec<PhaseChange>> {
        self.servers.histories.all()
    }

    /// The last changes of one server, the oldest first.
    pub fn changes_of(&self, server: &str) -> Vec<PhaseChange> {
        self.servers.histories.of(server)
    }

    /// How much of results that were too large is kept.
    pub fn kept_results(&self) -> KeptResults {
        self.results.kept()
    }

    /// Begins a login of the owner to a server, or joins the one under way.
    ///
    /// # Errors
    /// When there is no such server, or no login to it: the reason, and what to do instead.
    pub async fn begin_login(&self, server: &str) -> Result<BegunLogin, RestartError> {
        let upstream = self.upstream(server)?;
        let begun = upstream.begin_login(&Principal::anonymous()).await;
        begun.map_err(RestartError::Unavailable)
    }

    /// Waits for the end of the owner's last login to a server, and how it ended; `None` if none
    /// was begun.
    ///
    /// # Errors
    /// When there is no such server.
    pub async fn login_outcome(
        &self,
        server: &str,
    ) -> Result<Option<Result<(), String>>, RestartError> {
        Ok(self.upstream(server)?.logins.pages.outcome(&Principal::anonymous()).await)
    }

    fn upstream(&self, server: &str) -> Result<Arc<Upstream>, RestartError> {
        let upstreams = self.servers.upstreams();
        let found = upstreams.into_iter().find(|it| it.name() == server);
        found.ok_or_else(|| RestartError::Unknown(server.to_owned()))
    }

    /// Cancels a running call, and answers its caller that the owner did so. `false` if the call does not run any more.
    pub fn cancel_call(&self, id: u64) -> bool {
        self.running.as_ref().is_some_and(|running| running.cancel(id))
    }
}

impl std::fmt::Debug for OwnerControls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OwnerControls")
    }
}
