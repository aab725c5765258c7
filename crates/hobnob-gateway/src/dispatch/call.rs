//! `tools/call`: locates the tool, gets a permit, makes the call and records it.
//!
//! The router calls it. Nothing runs before the guard or the rules gave a permit for this very
//! call, and each call is one line in the audit log, also when it fails.

use crate::calls::record::CallRecord;
use crate::calls::terms::{arguments_of, check_terms, renamed};
use crate::catalog::{Catalogue, ListKind, ToolRoute, ToolTarget, Withheld};
use crate::consent::{AskedOrigin, AskedTool};
use crate::dispatch::envelope::enveloped;
use crate::dispatch::guard::{NotPermitted, PermittedCall};
use crate::dispatch::locate::{Located, Wanted};
use crate::dispatch::login_question::{self, LoginAnswer};
use crate::dispatch::result_form::ResultForm;
use crate::dispatch::results::refused;
use crate::dispatch::service::GatewayService;
use crate::dispatch::tool_search::DirectCall;
use crate::dispatch::upstream_tool::UpstreamToolCall;
use crate::names::management::is_management;
use crate::permitted::{BuiltInRequest, UpstreamRequest, tool_subject};
use crate::question_origin::QuestionOrigin;
use crate::view::notes::built_in_notes;
use crate::view::snapshot::Snapshot;
use hobnob_config::ToolNameForm;
use hobnob_mcp_engine::{Call, CallError, Caller, Notes, Outcome, Questions};
use hobnob_policy::audit::AuditOutcome;
use hobnob_policy::{Denied, SubjectCaller, authorize};
use std::sync::Arc;

impl GatewayService {
    pub(crate) async fn call_tool(
        &self,
        direct: DirectCall,
        notes: Notes,
    ) -> Result<Outcome, CallError> {
        let call = direct.into_call();
        let params = Arc::clone(&call.params);
        let name = params.string("name").map_err(CallError::Params)?;
        match self.view.tool_names() {
            ToolNameForm::Dotted if !name.contains('.') => {
                return Err(CallError::params(format!("Invalid tool name format: {name}")));
            }
            ToolNameForm::Dotted | ToolNameForm::Any => {}
        }
        login_question::wait_if_agreed(&self.view.snapshot(), &call).await;
        let look = |catalogue: &Catalogue| catalogue.tool(&name).cloned();
        let located = self.locate(Wanted::Tool(&name), look, &call.caller, &notes).await;
        let Located { snapshot, found, unavailable } = located;
        match (found, unavailable) {
            (Some(ToolTarget::Upstream(route)), _) => {
                self.call_upstream(&snapshot, &name, &route, call, notes).await
            }
            (Some(ToolTarget::BuiltIn(own)), _) => {
                self.call_built_in(&snapshot, &name, &own, call, notes).await
            }
            (None, Some(why)) => {
                if let Some(questions) = self.ask_for_first_login(&snapshot, &name, &call).await {
                    return Ok(Outcome::NeedsInput(questions));
                }
                self.context.recorder.begin(&call, &name).ended(AuditOutcome::UpstreamLost);
                refused(&why.0)
            }
            (None, None) => match self.view.dotted_built_in(&snapshot.catalogue, &name) {
                Some(own) => self.call_built_in(&snapshot, own, own, call, notes).await,
                None => self.absent(&snapshot, &name, &call),
            },
        }
    }

    /// The question to log in to the server that should have this tool, if the server's tools are
    /// unknown because no login exists yet.
    async fn ask_for_first_login(
        &self,
        snapshot: &Snapshot,
        name: &str,
        call: &Call,
    ) -> Option<Questions> {
        let is_its = |server: &str| Wanted::Tool(name).may_be_of(server) == Some(true);
        let owner = snapshot.upstreams.iter().find(|(server, _)| is_its(server));
        let (_, upstream) = owner?;
        match login_question::answered(upstream, &call.answers) {
            LoginAnswer::NotAsked => login_question::ask(upstream, call).await,
            LoginAnswer::Agreed | LoginAnswer::Refused => None,
        }
    }

    /// How this view writes the results of tools.
    pub(crate) fn result_form(&self) -> ResultForm {
        ResultForm::wished(self.view.profile.as_ref())
    }

    /// Calls a tool and writes the result in the form that the profile wants.
    pub(crate) async fn call_in_form(
        &self,
        direct: DirectCall,
        notes: Notes,
    ) -> Result<Outcome, CallError> {
        self.result_form().of(self.call_tool(direct, notes).await)
    }

    /// Calls a tool for clients that get results in envelopes.
    pub(crate) async fn call_in_envelope(
        &self,
        direct: DirectCall,
        notes: Notes,
    ) -> Result<Outcome, CallError> {
        // A call without a name is a protocol error, not a failed tool.
        direct.name()?;
        // An envelope holds the result of a finished call, so the view declares no tasks.
        enveloped(self.call_tool(direct.without_task(), notes).await)
    }

    /// The error for a name that leads to no tool of this view.
    pub(crate) fn absent(
        &self,
        snapshot: &Snapshot,
        name: &str,
        call: &Call,
    ) -> Result<Outcome, CallError> {
        let mut record = self.context.recorder.begin(call, name);
        record.ended(AuditOutcome::Refused);
        if let Some(held) = snapshot.quarantine.get(name) {
            record.server = Some(&held.server);
            record.original = Some(&held.tool);
            let (server, tool, why) = (&held.server, &held.tool, held.why);
            return refused(&format!(
                "tool `{tool}` of server `{server}` is held back: {why}; look at it and approve \
                 it with: hobnob approve {server}"
            ));
        }
        if let Some((target, Withheld::Denied)) = snapshot.catalogue.withheld(name)
            && let Some(denied) = denied_by(snapshot, name, target, &call.caller)
        {
            record.decided(denied.audit());
            return Err(CallError::UnknownTool(format!("tool `{name}` is {denied}").into()));
        }
        let hint = self.hint(snapshot, ListKind::Tools, name);
        Err(CallError::UnknownTool(format!("Unknown tool: {name}{hint}").into()))
    }

    async fn call_built_in(
        &self,
        snapshot: &Snapshot,
        public: &str,
        own: &str,
        call: Call,
        notes: Notes,
    ) -> Result<Outcome, CallError> {
        let principal = call.caller.principal.clone();
        let mut record = self.context.recorder.begin(&call, public);
        let call = if own == public { call } else { renamed(&call, own)? };
        let terms = check_terms(snapshot.catalogue.tool_terms(public), arguments_of(&call));
        let client = call.caller.share();
        let tool = AskedTool { public, origin: AskedOrigin::BuiltIn(own) };
        let request = |call| BuiltInRequest::tool(public, own, call);
        let PermittedCall { permit, consent } =
            match self.guard(snapshot, tool, call, request).await {
                Ok(permitted) => permitted,
                Err(why) => return not_permitted(why, &mut record),
            };
        record.decided(permit.audit());
        if let Err(error) = terms {
            record.failed(&error);
            return Err(error);
        }
        if let Err(error) = record.begins().await {
            return refused(&error.to_string());
        }
        let done = self.view.toolbox.call(permit, built_in_notes(&self.view, notes)).await;
        let mut done = done.map(QuestionOrigin::of_built_in);
        // Built-in services limit their answers; what an upstream said is limited only here.
        if let Ok(Outcome::Complete(answer)) = &mut done
            && is_management(own)
        {
            let body = std::mem::take(&mut answer.body);
            answer.body = self.cut(body, principal)?;
        }
        record.tool_ended(&done);
        self.count_use(snapshot, public, &done);
        done.and_then(|outcome| self.carry_consent(outcome, consent, client))
    }

    async fn call_upstream(
        &self,
        snapshot: &Snapshot,
        public: &str,
        route: &Arc<ToolRoute>,
        call: Call,
        notes: Notes,
    ) -> Result<Outcome, CallError> {
        let mut record = self.context.recorder.begin(&call, public);
        record.server = Some(&route.server);
        record.original = Some(&route.original);
        let terms = snapshot.catalogue.tool_terms(public);
        if let Err(error) = check_terms(terms, arguments_of(&call)) {
            record.failed(&error);
            return Err(error);
        }
        let client = call.caller.share();
        let tool = AskedTool { public, origin: AskedOrigin::Server(route) };
        let request = |call| UpstreamRequest::tool(public, Arc::clone(route), call);
        let PermittedCall { permit, consent } =
            match self.guard(snapshot, tool, call, request).await {
                Ok(permitted) => permitted,
                Err(why) => return not_permitted(why, &mut record),
            };
        record.decided(permit.audit());
        let Some(upstream) = snapshot.upstreams.get(&route.server).cloned() else {
            return Err(CallError::UnknownTool(format!("Unknown tool: {public}").into()));
        };
        if let Err(error) = record.begins().await {
            return refused(&error.to_string());
        }
        let call = UpstreamToolCall {
            service: self.clone(),
            upstream,
            route: Arc::clone(route),
            public: public.into(),
            permit,
        };
        let done = call.begin(&notes).await;
        record.tool_ended(&done);
        self.count_use(snapshot, public, &done);
        done.and_then(|outcome| self.carry_consent(outcome, consent, client))
    }

    /// Counts a successful call of a tool. A failed call does not count, and a call with questions
    /// counts once they are answered.
    fn count_use(&self, snapshot: &Snapshot, public: &str, done: &Result<Outcome, CallError>) {
        if matches!(done, Ok(Outcome::Complete(_) | Outcome::Started(_))) {
            let (server, tool) = snapshot.catalogue.origin_of(public);
            self.context.tool_uses.count(server, tool);
        }
    }
}

/// The caller's answer when a call must not be made, or not yet.
fn not_permitted(why: NotPermitted, record: &mut CallRecord<'_>) -> Result<Outcome, CallError> {
    record.ended(AuditOutcome::Refused);
    match why {
        NotPermitted::NeedsConsent(questions) => {
            // Nothing ran, and the call comes again with the answer: that round writes the line.
            record.discard();
            Ok(Outcome::NeedsInput(questions))
        }
        NotPermitted::NeedsOwner(text, decision) => {
            record.decided(decision);
            refused(&text)
        }
        NotPermitted::Denied(denied) => {
            record.decided(denied.audit());
            refused(&denied.to_string())
        }
        NotPermitted::NotRecorded(error, decision) => {
            record.decided(decision);
            refused(&error.to_string())
        }
    }
}

/// The denial by the rule that hides a tool from the list.
fn denied_by(
    snapshot: &Snapshot,
    name: &str,
    target: &ToolTarget,
    caller: &Caller,
) -> Option<Denied> {
    let caller = SubjectCaller::of(caller.principal.as_str());
    authorize(&snapshot.rules, tool_subject(name, target, caller)).without_asking().err()
}
