//! A permitted call of an upstream's tool: made as a call or as a task, rewritten, cut to size.
//!
//! `call_upstream` makes it with the permit. Every round of the call needs that same permit, also a
//! round that a task makes later.

use crate::calls::forward::{ForwardError, forward};
use crate::calls::record::Recorder;
use crate::catalog::{ToolRoute, ToolTarget};
use crate::dispatch::follow::{FollowedTask, FollowedTasks};
use crate::dispatch::login_question::{self, LoginAnswer};
use crate::dispatch::results::{LargeResults, held_back, refused};
use crate::permitted::UpstreamRequest;
use crate::rewrite;
use crate::upstream::server::Upstream;
use crate::view::View;
use hobnob_mcp_client::{Forwarded, RequestError};
use hobnob_mcp_engine::{Answers, Call, CallError, Caller, Notes, Outcome, TaskOffer};
use hobnob_mcp_types::tools::TaskSupport;
use hobnob_mcp_types::{ErrorCode, RpcError};
use hobnob_policy::Permit;
use std::sync::Arc;

/// What every round of a tool call needs, also a round that a task makes later.
pub(super) struct ToolCallContext {
    pub(super) recorder: Recorder,
    pub(super) results: Arc<LargeResults>,
    pub(super) followed_tasks: FollowedTasks,
}

impl ToolCallContext {
    /// The result with public addresses in it, cut to the size limit.
    fn finish(
        &self,
        view: &View,
        route: &ToolRoute,
        outcome: Outcome,
        caller: &Caller,
    ) -> Result<Outcome, CallError> {
        let Outcome::Complete(mut answer) = outcome else { return Ok(outcome) };
        let body = std::mem::take(&mut answer.body);
        let body = rewrite::apply(body, |body| rewrite::call_result(body, &route.uris));
        answer.body = self.results.cut(view, body, &caller.principal)?;
        Ok(Outcome::Complete(answer))
    }
}

/// One tool call, with all it takes to repeat it when a question is answered.
pub(super) struct UpstreamToolCall {
    pub(super) context: Arc<ToolCallContext>,
    pub(super) view: Arc<View>,
    pub(super) upstream: Arc<Upstream>,
    pub(super) route: Arc<ToolRoute>,
    /// The caller's name for the tool.
    pub(super) public: Box<str>,
    pub(super) permit: Permit<UpstreamRequest>,
}

impl UpstreamToolCall {
    fn call(&self) -> &Call {
        self.permit.request().call()
    }

    /// Runs it as the caller wants: as a plain call or as a task.
    pub(super) async fn begin(self, notes: &Notes) -> Result<Outcome, CallError> {
        let TaskOffer::Asked { owner, ttl_ms } = self.call().task.clone() else {
            return self.run(None, notes).await;
        };
        if !matches!(self.route.task_support, TaskSupport::Optional | TaskSupport::Required) {
            // Spec 2025-11-25, tasks: a tool without task support must not be run as a task.
            let message = format!("tool `{}` cannot run as a task", self.public);
            return Err(CallError::Other(RpcError::new(ErrorCode::METHOD_NOT_FOUND, message)));
        }
        let (jobs, notes) = (self.view.jobs.clone(), notes.clone());
        let (tool, caller) = (self.public.clone(), self.call().caller.clone());
        let this = Arc::new(self);
        let record = jobs.start_for(&tool, caller, owner, ttl_ms, {
            Arc::new(move |answers: Answers| {
                let (this, notes) = (Arc::clone(&this), notes.clone());
                Box::pin(async move { this.run(Some(&answers), &notes).await })
            })
        });
        Ok(Outcome::Started(record.await?))
    }

    /// Runs the call to its end or to its next question; in a later round with these answers.
    async fn run(&self, answers: Option<&Answers>, notes: &Notes) -> Result<Outcome, CallError> {
        let given = answers.unwrap_or(&self.call().answers);
        if let Some(kept) = self.context.followed_tasks.take(given) {
            let (following, answers) = kept?;
            return self.follow(following, &answers, notes).await;
        }
        let same = || self.is_unchanged();
        let login = login_question::answered(&self.upstream, given);
        let none = Answers::default();
        let answers = match login {
            LoginAnswer::NotAsked => answers,
            // The question was Hobnob's own, so these answers are not for the upstream.
            LoginAnswer::Agreed | LoginAnswer::Refused => Some(&none),
        };
        if login == LoginAnswer::Agreed {
            self.upstream.logins.pages.ended(&self.call().caller.principal).await;
        }
        match forward(&self.upstream, &self.permit, answers, notes, &same).await {
            Ok(Forwarded::Outcome(outcome)) => self.finish(outcome),
            Ok(Forwarded::Task(task)) => {
                self.follow(FollowedTask::new(task, &self.route.server), &Answers::default(), notes)
                    .await
            }
            Err(error) => match login_question::ask(&self.upstream, self.call(), login).await {
                Some(questions) => Ok(Outcome::NeedsInput(questions)),
                None => self.failed(error),
            },
        }
    }

    /// Whether the tool still has the same definition: a restarted server may offer another tool
    /// under this name. A server's lists are read before its connection is handed out.
    fn is_unchanged(&self) -> bool {
        match self.view.snapshot().catalogue.tool(&self.public) {
            Some(ToolTarget::Upstream(now)) => now.digest == self.route.digest,
            _ => false,
        }
    }

    /// The error for a tool that has changed or disappeared.
    fn changed(&self) -> Result<Outcome, CallError> {
        if let Some(held) = self.view.snapshot().quarantine.get(&*self.public) {
            return held_back(held, &mut self.context.recorder.begin(self.call(), &self.public));
        }
        Err(CallError::params(format!(
            "tool `{}` of server `{}` has changed or is gone; list the tools again",
            self.public, self.route.server
        )))
    }

    /// The upstream made the call a task. A caller with tasks gets one too; others wait.
    async fn follow(
        &self,
        following: Arc<FollowedTask>,
        answers: &Answers,
        notes: &Notes,
    ) -> Result<Outcome, CallError> {
        let call = self.call();
        let TaskOffer::Able { owner } = &call.task else {
            return match following.run(call, answers, notes).await? {
                Outcome::NeedsInput(questions) => {
                    let questions = self.context.followed_tasks.keep(following, questions);
                    Ok(Outcome::NeedsInput(questions.map_err(CallError::internal)?))
                }
                outcome => self.finish(outcome),
            };
        };
        let call = Arc::new(call.with_answers(Answers::default()));
        let (context, view) = (Arc::clone(&self.context), Arc::clone(&self.view));
        let route = Arc::clone(&self.route);
        let caller = call.caller.clone();
        let record = self.view.jobs.start_for(&self.public, caller, owner.clone(), None, {
            Arc::new(move |answers: Answers| {
                let (context, view) = (Arc::clone(&context), Arc::clone(&view));
                let route = Arc::clone(&route);
                let (following, call) = (Arc::clone(&following), Arc::clone(&call));
                Box::pin(async move {
                    let outcome = following.run(&call, &answers, &Notes::silent()).await?;
                    context.finish(&view, &route, outcome, &call.caller)
                })
            })
        });
        Ok(Outcome::Started(record.await?))
    }

    fn finish(&self, outcome: Outcome) -> Result<Outcome, CallError> {
        self.context.finish(&self.view, &self.route, outcome, &self.call().caller)
    }

    /// A call that failed on the way is a failed tool result, which the model sees; a protocol
    /// error of the upstream is passed on as one.
    fn failed(&self, error: ForwardError) -> Result<Outcome, CallError> {
        match error {
            ForwardError::Changed => self.changed(),
            ForwardError::Failed(RequestError::Rpc(_)) => {
                Err(error.error(&self.route.server, self.call()))
            }
            other => refused(&other.text(&self.route.server)),
        }
    }
}
