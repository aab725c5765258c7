//! What a hub says of itself at one moment: its servers, its questions and what else waits for a
//! person. The event stream compares two of them; `/ui/api/state` sends one.
//!
//! What must stay true: figures that only count time do not make two states differ, and the state for
//! a principal is made of [`principal_state`](crate::principal_state) alone.

use crate::feed::CallsNow;
use crate::health::LimitHealth;
use crate::message_recordings::RecordingSummary;
use crate::observed_call::{EndedCallJson, RunningCallJson};
use crate::ports::PageSource;
use crate::principal_state::{own_questions, reads_status, shown_status};
use crate::waiting::Waiting;
use hobnob_gateway::{GatewayStatus, OwnerQuestion, UpstreamStatus};
use hobnob_mcp_http::TokenBearer;
use serde::Serialize;
use std::sync::Arc;
use tokio::task::spawn_blocking;

/// The state of a hub without its calls.
pub(crate) struct HubState {
    pub(crate) status: GatewayStatus,
    pub(crate) questions: Vec<OwnerQuestion>,
    pub(crate) waiting: Waiting,
    pub(crate) recordings: Vec<RecordingSummary>,
    pub(crate) limits: Vec<LimitHealth>,
}

/// The whole state, as the page reads it.
#[derive(Serialize)]
pub(crate) struct StateJson<'a> {
    status: &'a GatewayStatus,
    running: Vec<RunningCallJson<'a>>,
    recent: Vec<EndedCallJson<'a>>,
    questions: &'a [OwnerQuestion],
    waiting: &'a Waiting,
    recordings: &'a [RecordingSummary],
}

/// Everything that waits for a person, as the page reads it.
#[derive(Serialize)]
pub(crate) struct QuestionsJson<'a> {
    questions: &'a [OwnerQuestion],
    waiting: &'a Waiting,
}

/// The hub whose state is read, and who may see how much of it.
pub(crate) enum StateSource {
    /// The whole hub's, for its owner.
    Owner(Arc<dyn PageSource>),
    /// The state that one principal may see.
    Principal { source: Arc<dyn PageSource>, bearer: Arc<TokenBearer> },
}

impl StateSource {
    pub(crate) fn is_of_principal(&self) -> bool {
        matches!(self, Self::Principal { .. })
    }
}

impl HubState {
    /// Reads the state; `None` if reading it panicked.
    pub(crate) async fn read(source: &StateSource) -> Option<Self> {
        let read = match source {
            StateSource::Owner(source) => {
                let source = Arc::clone(source);
                spawn_blocking(move || Self::of_owner(&*source))
            }
            StateSource::Principal { source, bearer } => {
                let (source, bearer) = (Arc::clone(source), Arc::clone(bearer));
                let may_read = reads_status(&bearer).await;
                spawn_blocking(move || Self::of_principal(&*source, &bearer, may_read))
            }
        };
        read.await.inspect_err(|error| tracing::error!(%error, "the hub has no status")).ok()
    }

    fn of_owner(source: &dyn PageSource) -> Self {
        let (status, questions) = (source.status(), source.questions());
        let (recordings, limits) = (source.recordings().list(), source.limits());
        Self { waiting: Waiting::of(&status), status, questions, recordings, limits }
    }

    /// What waits for the owner, recordings and limits are the owner's.
    fn of_principal(source: &dyn PageSource, bearer: &TokenBearer, may_read: bool) -> Self {
        let status = may_read.then(|| source.view_status(bearer.prefix(), bearer.principal()));
        Self {
            status: shown_status(status.flatten()),
            questions: own_questions(source.questions(), bearer.principal()),
            waiting: Waiting::default(),
            recordings: Vec::new(),
            limits: Vec::new(),
        }
    }

    pub(crate) fn with_calls<'a>(&'a self, calls: &'a CallsNow) -> StateJson<'a> {
        StateJson {
            status: &self.status,
            running: calls.running.iter().map(RunningCallJson::from).collect(),
            recent: calls.recent.iter().map(EndedCallJson::from).collect(),
            questions: &self.questions,
            waiting: &self.waiting,
            recordings: &self.recordings,
        }
    }

    pub(crate) fn questions_json(&self) -> QuestionsJson<'_> {
        QuestionsJson { questions: &self.questions, waiting: &self.waiting }
    }

    /// What has to change before pages get another status. How long a server has been running is
    /// left out: pages count seconds themselves.
    pub(crate) fn status_mark(&self) -> Option<String> {
        let mut status = self.status.clone();
        for server in &mut status.servers {
            server.uptime_seconds = None;
            if let Some(login) = &mut server.login {
                login.expires_in_seconds = None;
            }
        }
        serde_json::to_string(&status).ok()
    }

    /// What has to change before pages get the questions again.
    pub(crate) fn questions_mark(&self) -> Option<String> {
        let without_age = |question: &OwnerQuestion| OwnerQuestion { age: 0, ..question.clone() };
        let questions: Vec<OwnerQuestion> = self.questions.iter().map(without_age).collect();
        serde_json::to_string(&QuestionsJson { questions: &questions, waiting: &self.waiting }).ok()
    }

    /// What has to change before pages get the recordings again.
    pub(crate) fn recordings_mark(&self) -> Option<String> {
        serde_json::to_string(&self.recordings).ok()
    }

    /// What has to change before pages read the health again: a limit that is nearer or further
    /// away by a twentieth of its bound.
    pub(crate) fn limits_mark(&self) -> Option<String> {
        let step = |limit: &LimitHealth| limit.used.saturating_mul(20) / limit.max.max(1);
        let near = |limit: &LimitHealth| format!("{} {}", limit.name, step(limit));
        Some(self.limits.iter().map(near).collect::<Vec<_>>().join("\n"))
    }

    /// What has to change before the lists of tools may have changed.
    pub(crate) fn tools_mark(&self) -> Option<String> {
        let of = |server: &UpstreamStatus| {
            (server.name.clone(), server.tools, server.prompts, server.quarantined.clone())
        };
        serde_json::to_string(&self.status.servers.iter().map(of).collect::<Vec<_>>()).ok()
    }
}
