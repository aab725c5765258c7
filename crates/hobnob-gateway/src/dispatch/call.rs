//! `tools/call`: locates the tool, gets a permit, makes the call and records it.
//!
//! The router calls it. Nothing runs before the guard or the rules gave a permit for this very
//! call, and each call is one line in the audit log, also when it fails.

use crate::calls::record::Recorder;
use crate::calls::terms::{arguments_of, check_terms, renamed};
use crate::catalog::{Catalogue, ListKind, ToolRoute, ToolTarget, Withheld, tool_of_app};
use crate::consent::{AskedOrigin, AskedTool};
use crate::dispatch::envelope::enveloped;
use crate::dispatch::follow::FollowedTasks;
use crate::dispatch::guard::{Guard, PermittedCall};
use crate::dispatch::locate::{Located, Locator, Wanted};
use crate::dispatch::login_question;
use crate::dispatch::result_form::ResultForm;
use crate::dispatch::results::{LargeResults, held_back, refused};
use crate::dispatch::tool_search::{DirectCall, renders_apps};
use crate::dispatch::upstream_tool::{ToolCallContext, UpstreamToolCall};
use crate::names::management::is_management;
use crate::permitted::{BuiltInRequest, UpstreamRequest, tool_subject};
use crate::question_origin::QuestionOrigin;
use crate::tool_uses::ToolUses;
use crate::view::View;
use crate::view::notes::built_in_notes;
use crate::view::snapshot::Snapshot;
use hobnob_config::ToolNameForm;
use hobnob_mcp_engine::{Call, CallError, ClientId, Notes, Outcome, Questions};
use hobnob_policy::audit::AuditOutcome;
use hobnob_policy::{SubjectCaller, authorize};
use std::pin::pin;
use std::sync::Arc;

/// Calls tools, for all views.
pub(crate) struct ToolCaller {
    locator: Arc<Locator>,
    guard: Guard,
    context: Arc<ToolCallContext>,
    /// How often each tool was called.
    pub(crate) uses: ToolUses,
}

impl ToolCaller {
    pub(super) fn new(
        recorder: Recorder,
        locator: Arc<Locator>,
        guard: Guard,
        results: Arc<LargeResults>,
    ) -> Self {
        let followed_tasks = FollowedTasks::default();
        let context = Arc::new(ToolCallContext { recorder, results, followed_tasks });
        Self { locator, guard, context, uses: ToolUses::default() }
    }

    /// Ends what waits for answers of this client.
    pub(super) fn client_gone(&self, client: ClientId) {
        self.guard.client_gone(client);
    }

    pub(super) async fn call(
        &self,
        view: &Arc<View>,
        direct: DirectCall,
        notes: Notes,
    ) -> Result<Outcome, CallError> {
        let call = direct.into_call();
        let params = Arc::clone(&call.params);
        let name = params.string("name").map_err(CallError::Params)?;
        match view.tool_names() {
            ToolNameForm::Dotted if !name.contains('.') => {
                return Err(CallError::params(format!("Invalid tool name format: {name}")));
            }
            ToolNameForm::Dotted | ToolNameForm::Any => {}
        }
        login_question::wait_if_agreed(&view.snapshot(), &call).await;
        let look = |catalogue: &Catalogue| match catalogue.tool(&name) {
            Some(target) => Some((None, target.clone())),
            // A user interface names the tools of its server as the server does.
            None if renders_apps(&call.caller) => {
                let (public, target) = tool_of_app(catalogue, &name)?;
                Some((Some(Arc::clone(public)), target.clone()))
            }
            None => None,
        };
        let located =
            self.locator.locate(view, Wanted::Tool(&name), look, &call.caller, &notes).await;
        let Located { snapshot, found, unavailable } = located;
        let (of_app, found) = found.unzip();
        let of_app = of_app.flatten();
        let name = of_app.as_deref().unwrap_or(&name);
        match (found, unavailable) {
            (Some(ToolTarget::Upstream(route)), _) => {
                self.call_upstream(view, &snapshot, name, &route, call, notes).await
            }
            (Some(ToolTarget::BuiltIn(own)), _) => {
                self.call_built_in(view, &snapshot, name, &own, call, notes).await
            }
            (None, Some(why)) => {
                if let Some(questions) = ask_for_first_login(&snapshot, name, &call).await {
                    return Ok(Outcome::NeedsInput(questions));
                }
                self.context.recorder.begin(&call, name).ended(AuditOutcome::UpstreamLost);
                refused(&why.0)
            }
            (None, None) => match view.dotted_built_in(&snapshot.catalogue, name) {
                Some(own) => self.call_built_in(view, &snapshot, own, own, call, notes).await,
                None => self.absent(view, &snapshot, name, &call),
            },
        }
    }

    /// Calls a tool and writes the result as the profile wants it.
    pub(super) async fn call_in_form(
        &self,
        view: &Arc<View>,
        direct: DirectCall,
        notes: Notes,
    ) -> Result<Outcome, CallError> {
        if !view.uses_envelopes() {
            let done = self.call(view, direct, notes).await;
            return ResultForm::wished(view.profile.as_ref()).of(done);
        }
        // A call without a name is a protocol error, not a failed tool.
        direct.name()?;
        // An envelope holds the result of a finished call, so the view declares no tasks.
        enveloped(self.call(view, direct.without_task(), notes).await)
    }

    /// The error for a name that leads to no tool of this view.
    fn absent(
        &self,
        view: &View,
        snapshot: &Snapshot,
        name: &str,
        call: &Call,
    ) -> Result<Outcome, CallError> {
        let mut record = self.context.recorder.begin(call, name);
        if let Some(held) = snapshot.quarantine.get(name) {
            return held_back(held, &mut record);
        }
        record.ended(AuditOutcome::Refused);
        let caller = SubjectCaller::of(call.caller.principal.as_str());
        let subject = |target| tool_subject(name, target, caller);
        if let Some((target, Withheld::Denied)) = snapshot.catalogue.withheld(name)
            && let Err(denied) = authorize(&snapshot.rules, subject(target)).without_asking()
        {
            record.decided(denied.audit());
            return Err(CallError::UnknownTool(format!("tool `{name}` is {denied}").into()));
        }
        let hint = self.locator.hint(view, snapshot, ListKind::Tools, name);
        Err(CallError::UnknownTool(format!("Unknown tool: {name}{hint}").into()))
    }

    async fn call_built_in(
        &self,
        view: &View,
        snapshot: &Snapshot,
        public: &str,
        own: &str,
        call: Call,
        notes: Notes,
    ) -> Result<Outcome, CallError> {
        let principal = call.caller.principal.clone();
        let mut record = self.context.recorder.begin(&call, public);
        record.built_in = Some(own).filter(|own| *own != public);
        let call = record.traced(if own == public { call } else { renamed(&call, own)? });
        let terms =
            check_terms(snapshot.catalogue.terms(ListKind::Tools, public), arguments_of(&call));
        let client = call.caller.share();
        let tool = AskedTool { public, origin: AskedOrigin::BuiltIn(own) };
        let request = |call| BuiltInRequest::tool(public, own, call);
        let PermittedCall { permit, consent } =
            match self.guard.permit(view, snapshot, tool, call, request).await {
                Ok(permitted) => permitted,
                Err(why) => return why.answer(&mut record),
            };
        record.decided(permit.audit());
        if let Err(error) = terms {
            record.failed(&error);
            return Err(error);
        }
        if let Err(error) = record.begins().await {
            return refused(&error.to_string());
        }
        let notes = record.observed_notes(notes);
        let work = pin!(view.toolbox.call(permit, built_in_notes(view, notes)));
        let mut done = match record.until_cancelled(work).await {
            Ok(done) => done.map(QuestionOrigin::of_built_in),
            Err(cancelled) => return refused(&cancelled.to_string()),
        };
        // Built-in services limit their answers; what an upstream said is limited only here.
        if let Ok(Outcome::Complete(answer)) = &mut done
            && is_management(own)
        {
            let body = std::mem::take(&mut answer.body);
            answer.body = self.context.results.cut(view, body, &principal)?;
        }
        record.tool_ended(&done);
        self.count_use(snapshot, public, &done);
        done.and_then(|outcome| self.guard.carry_consent(outcome, consent, client))
    }

    async fn call_upstream(
        &self,
        view: &Arc<View>,
        snapshot: &Snapshot,
        public: &str,
        route: &Arc<ToolRoute>,
        call: Call,
        notes: Notes,
    ) -> Result<Outcome, CallError> {
        let mut record = self.context.recorder.begin(&call, public);
        record.server = Some(&route.server);
        record.original = Some(&route.original);
        let terms = snapshot.catalogue.terms(ListKind::Tools, public);
        if let Err(error) = check_terms(terms, arguments_of(&call)) {
            record.failed(&error);
            return Err(error);
        }
        let client = call.caller.share();
        let call = record.traced(call);
        let tool = AskedTool { public, origin: AskedOrigin::Server(route) };
        let request = |call| UpstreamRequest::tool(public, Arc::clone(route), call);
        let PermittedCall { permit, consent } =
            match self.guard.permit(view, snapshot, tool, call, request).await {
                Ok(permitted) => permitted,
                Err(why) => return why.answer(&mut record),
            };
        record.decided(permit.audit());
        let Some(upstream) = snapshot.upstreams.get(&route.server).cloned() else {
            return Err(CallError::UnknownTool(format!("Unknown tool: {public}").into()));
        };
        if let Err(error) = record.begins().await {
            return refused(&error.to_string());
        }
        let notes = record.observed_notes(notes);
        let call = UpstreamToolCall {
            context: Arc::clone(&self.context),
            view: Arc::clone(view),
            upstream,
            route: Arc::clone(route),
            public: public.into(),
            permit,
        };
        let done = match record.until_cancelled(pin!(call.begin(&notes))).await {
            Ok(done) => done,
            Err(cancelled) => return refused(&cancelled.to_string()),
        };
        record.tool_ended(&done);
        self.count_use(snapshot, public, &done);
        done.and_then(|outcome| self.guard.carry_consent(outcome, consent, client))
    }

    /// Counts a successful call of a tool. A failed call does not count, and a call with questions
    /// counts once they are answered.
    fn count_use(&self, snapshot: &Snapshot, public: &str, done: &Result<Outcome, CallError>) {
        if matches!(done, Ok(Outcome::Complete(_) | Outcome::Started(_))) {
            let (server, tool) = snapshot.catalogue.origin_of(public);
            self.uses.count(server, tool);
        }
    }
}

/// The question to log in to the server that should have this tool, if the server's tools are
/// unknown because no login exists yet.
async fn ask_for_first_login(snapshot: &Snapshot, name: &str, call: &Call) -> Option<Questions> {
    let is_its = |server: &str| Wanted::Tool(name).may_be_of(server) == Some(true);
    let (_, upstream) = snapshot.upstreams.iter().find(|(server, _)| is_its(server))?;
    login_question::ask(upstream, call, login_question::answered(upstream, &call.answers)).await
}
