//! A permitted call of an upstream's tool: made as a call or as a task, rewritten, cut to size.
//!
//! `call_upstream` makes it with the permit. Every round of the call needs that same permit, also a
//! round that a task makes later.

use crate::calls::forward::{ForwardError, forward};
use crate::catalog::{ToolRoute, ToolTarget};
use crate::dispatch::follow::FollowedTask;
use crate::dispatch::login_question::{self, LoginAnswer};
use crate::dispatch::results::refused;
use crate::dispatch::service::GatewayService;
use crate::permitted::UpstreamRequest;
use crate::rewrite;
use crate::upstream::server::Upstream;
use hobnob_mcp_client::{Forwarded, RequestError};
use hobnob_mcp_engine::{
    Answers, Call, CallError, Notes, Outcome, Principal, Questions, TaskOffer,
};
use hobnob_mcp_types::tools::TaskSupport;
use hobnob_mcp_types::{ErrorCode, RpcError};
use hobnob_policy::Permit;
use std::sync::Arc;

/// One tool call, with all it takes to repeat it when a question is answered.
pub(crate) struct UpstreamToolCall {
    pub(crate) service: GatewayService,
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) route: Arc<ToolRoute>,
    /// The caller's name for the tool.
    pub(crate) public: Box<str>,
    pub(crate) permit: Permit<UpstreamRequest>,
}

impl UpstreamToolCall {
    fn call(&self) -> &Call {
        self.permit.request().call()
    }

    /// Runs it as the caller wants: as a plain call or as a task.
    pub(crate) async fn begin(self, notes: &Notes) -> Result<Outcome, CallError> {
        let TaskOffer::Asked { owner, ttl_ms } = self.call().task.clone() else {
            return self.run(None, notes).await;
        };
        if !matches!(self.route.task_support, TaskSupport::Optional | TaskSupport::Required) {
            // Spec 2025-11-25, tasks: a tool without task support must not be run as a task.
            let message = format!("tool `{}` cannot run as a task", self.public);
            return Err(CallError::Other(RpcError::new(ErrorCode::METHOD_NOT_FOUND, message)));
        }
        let (jobs, notes) = (self.service.view.jobs.clone(), notes.clone());
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
        if let Some(kept) = self.service.context.followed_tasks.take(given) {
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
            self.upstream.page_logins.ended(&self.call().caller.principal).await;
        }
        match forward(&self.upstream, &self.permit, answers, notes, &same).await {
            Ok(Forwarded::Outcome(outcome)) => self.finish(outcome),
            Ok(Forwarded::Task(task)) => {
                self.follow(FollowedTask::new(task, &self.route.server), &Answers::default(), notes)
                    .await
            }
            Err(error) => match self.ask_for_login(login).await {
                Some(questions) => Ok(Outcome::NeedsInput(questions)),
                None => self.failed(error),
            },
        }
    }

    /// The question to log in, if a login is missing and the caller was not asked yet.
    async fn ask_for_login(&self, login: LoginAnswer) -> Option<Questions> {
        match login {
            LoginAnswer::NotAsked => login_question::ask(&self.upstream, self.call()).await,
            LoginAnswer::Agreed | LoginAnswer::Refused => None,
        }
    }

    /// Whether the tool still has the same definition: a restarted server may offer another tool
    /// under this name. A server's lists are read before its connection is handed out.
    fn is_unchanged(&self) -> bool {
        match self.service.view.snapshot().catalogue.tool(&self.public) {
            Some(ToolTarget::Upstream(now)) => now.digest == self.route.digest,
            _ => false,
        }
    }

    /// The error for a tool that has changed or disappeared.
    fn changed(&self) -> Result<Outcome, CallError> {
        let snapshot = self.service.view.snapshot();
        if snapshot.quarantine.contains_key(&*self.public) {
            return self.service.absent(&snapshot, &self.public, self.call());
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
                    let questions = self.service.context.followed_tasks.keep(following, questions);
                    Ok(Outcome::NeedsInput(questions.map_err(CallError::internal)?))
                }
                outcome => self.finish(outcome),
            };
        };
        let call = Arc::new(call.with_answers(Answers::default()));
        let (service, route) = (self.service.clone(), Arc::clone(&self.route));
        let caller = call.caller.clone();
        let record = self.service.view.jobs.start_for(&self.public, caller, owner.clone(), None, {
            Arc::new(move |answers: Answers| {
                let (service, route) = (service.clone(), Arc::clone(&route));
                let (following, call) = (Arc::clone(&following), Arc::clone(&call));
                Box::pin(async move {
                    let outcome = following.run(&call, &answers, &Notes::silent()).await?;
                    finish(&service, &route, outcome, call.caller.principal.clone())
                })
            })
        });
        Ok(Outcome::Started(record.await?))
    }

    fn finish(&self, outcome: Outcome) -> Result<Outcome, CallError> {
        let principal = self.call().caller.principal.clone();
        finish(&self.service, &self.route, outcome, principal)
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

/// The result with public addresses in it, cut to the size limit.
fn finish(
    service: &GatewayService,
    route: &ToolRoute,
    outcome: Outcome,
    owner: Principal,
) -> Result<Outcome, CallError> {
    let Outcome::Complete(mut answer) = outcome else { return Ok(outcome) };
    let body = std::mem::take(&mut answer.body);
    let body = rewrite::apply(body, |body| rewrite::call_result(body, &route.prefix));
    answer.body = service.cut(body, owner)?;
    Ok(Outcome::Complete(answer))
}
