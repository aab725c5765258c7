//! `tools/call`: found, permitted, made, rewritten, cut to size, recorded.

use crate::catalog::{Kind, Owner, ToolRoute, ToolTarget, Withheld};
use crate::follow::Following;
use crate::forward::Trouble;
use crate::guard::Word;
use crate::learn::Wanted;
use crate::names::public_name;
use crate::record::Record;
use crate::rewrite;
use crate::route::{GatewayService, arguments_of, check_terms, renamed};
use crate::spill::{Capped, cap};
use crate::state::{Snapshot, subject};
use crate::upstream::pool::Upstream;
use crate::uris::Prefix;
use hobnob_mcp_client::{Failure, Forward, Forwarded, Rename, Run, mirror};
use hobnob_mcp_engine::{
    Answer, Answers, Call, CallError, Notes, Outcome, Principal, SealKey, TaskOffer,
};
use hobnob_mcp_types::tools::{CallToolResult, TaskSupport};
use hobnob_mcp_types::{ErrorCode, RpcError};
use hobnob_policy::audit::Outcome as Recorded;
use hobnob_policy::{Permit, Verdict, decide};
use memchr::memmem::Finder;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

impl GatewayService {
    pub(crate) async fn call_tool(&self, call: Call, notes: Notes) -> Result<Outcome, CallError> {
        let params = Arc::clone(&call.params);
        let name = params.string("name").map_err(CallError::Params)?;
        let mut snapshot = self.view.snapshot();
        let mut known = snapshot.catalogue.tool(&name).cloned();
        if known.is_none() {
            // Its server may be one of which nothing is known yet.
            let learnt = self.learn_owner(Wanted::Tool(&name), &call.caller, &notes).await;
            snapshot = self.view.snapshot();
            if let Err(why) = learnt
                && snapshot.catalogue.tool(&name).is_none()
            {
                self.gateway.recorder.begin(&call, &name).ended(Recorded::UpstreamLost);
                return refused(&why.0);
            }
            known = snapshot.catalogue.tool(&name).cloned();
        }
        match known {
            Some(ToolTarget::Upstream(route)) => {
                self.call_upstream(&snapshot, &name, &route, call, notes).await
            }
            Some(ToolTarget::BuiltIn(own)) => {
                self.call_built_in(&snapshot, &name, &own, call, notes).await
            }
            None => match self.view.spoken(&snapshot.catalogue, &name) {
                Some(own) => self.call_built_in(&snapshot, own, own, call, notes).await,
                None => self.absent(&snapshot, &name, &call),
            },
        }
    }

    /// Why a name leads nowhere.
    fn absent(&self, snapshot: &Snapshot, name: &str, call: &Call) -> Result<Outcome, CallError> {
        let mut record = self.gateway.recorder.begin(call, name);
        record.ended(Recorded::Refused);
        if let Some(held) = snapshot.quarantine.get(name) {
            record.server = Some(&held.server);
            record.original = Some(&held.tool);
            let (server, tool, why) = (&held.server, &held.tool, held.why);
            return refused(&format!(
                "tool `{tool}` of server `{server}` is held back: {why}; look at it and approve \
                 it with: hobnob approve {server}"
            ));
        }
        if let Some((target, Withheld::Denied)) = snapshot.catalogue.withheld(name) {
            let denied = denied_by(snapshot, name, target);
            record.decision = hobnob_policy::audit::Decision::Deny;
            record.rule = Some(denied.rule().into());
            return Err(CallError::params(format!("tool `{name}` is {}", denied.explain())));
        }
        let hint = self.hint(snapshot, Kind::Tools, name);
        Err(CallError::params(format!("Unknown tool: {name}{hint}")))
    }

    async fn call_built_in(
        &self,
        snapshot: &Snapshot,
        public: &str,
        own: &str,
        call: Call,
        notes: Notes,
    ) -> Result<Outcome, CallError> {
        let owner = Owner::BuiltIn;
        let arguments = call.params.get("arguments");
        let verdict_for =
            |name: &str| decide(&snapshot.rules, &subject(&owner, name, own, arguments));
        let mut verdict = verdict_for(public);
        if own != public {
            // A profile has renamed it: the stricter of what both names lead to counts.
            let usual = verdict_for(own);
            if usual.action() > verdict.action() {
                verdict = usual;
            }
        }
        let recorder = &self.gateway.recorder;
        let shadow = recorder.shadow(&call);
        let mut record = recorder.begin(&shadow, public);
        match verdict.permit() {
            Ok(permit) => settle(&mut record, &permit),
            Err(denied) => {
                record.decision = denied.decision();
                record.rule = Some(denied.rule().into());
                record.ended(Recorded::Refused);
                return refused(&denied.to_string());
            }
        }
        let terms = snapshot.catalogue.tool_terms(public);
        if let Err(error) = check_terms(terms, arguments_of(&call)) {
            record.failed(&error);
            return Err(error);
        }
        let principal = call.caller.principal.clone();
        let call = if own == public { call } else { renamed(&call, own)? };
        let mut done = self.built_in(call, notes).await;
        // Services bound what they answer with; what an upstream said has no bound but ours.
        if let Ok(Outcome::Complete(answer)) = &mut done
            && crate::management::NAMES.contains(&own)
        {
            let body = std::mem::take(&mut answer.body);
            answer.body = self.cut(body, principal)?;
        }
        note_outcome(&mut record, &done);
        done
    }

    async fn call_upstream(
        &self,
        snapshot: &Snapshot,
        public: &str,
        route: &Arc<ToolRoute>,
        mut call: Call,
        notes: Notes,
    ) -> Result<Outcome, CallError> {
        let recorder = &self.gateway.recorder;
        let shadow = recorder.shadow(&call);
        let mut record = recorder.begin(&shadow, public);
        record.server = Some(&route.server);
        record.original = Some(&route.original);
        let terms = snapshot.catalogue.tool_terms(public);
        if let Err(error) = check_terms(terms, arguments_of(&call)) {
            record.failed(&error);
            return Err(error);
        }
        let (permit, consent) = match self.guard(snapshot, public, route, &call) {
            Word::Go(cleared) => {
                let (permit, answers, consent) = cleared.into_parts();
                call.answers = answers;
                (permit, consent)
            }
            Word::Ask(questions) => {
                record.decision = hobnob_policy::audit::Decision::None;
                record.ended(Recorded::Refused);
                record.rule = Some("asked".into());
                return Ok(Outcome::NeedsInput(questions));
            }
            Word::No(denied) => {
                record.decision = denied.decision();
                record.rule = Some(denied.rule().into());
                record.ended(Recorded::Refused);
                return refused(&denied.to_string());
            }
        };
        settle(&mut record, &permit);
        let Some(upstream) = snapshot.upstreams.get(&route.server).cloned() else {
            return Err(unknown(public));
        };
        let work =
            Work { front: self.clone(), upstream, route: Arc::clone(route), public: public.into() };
        let done = work.begin(permit, call, &notes).await;
        note_outcome(&mut record, &done);
        done.map(|outcome| self.carry_consent(outcome, consent, &shadow.caller))
    }
}

impl GatewayService {
    /// A result no longer than allowed; the rest is kept for whoever it belongs to.
    fn cut(&self, body: String, owner: Principal) -> Result<String, CallError> {
        let most = self.view.snapshot().settings.gateway.result_cap;
        match cap(body, most, token) {
            Capped::Fits(body) => Ok(body),
            Capped::Cut { body, rest } => {
                match self.gateway.spills().insert(rest, owner, Instant::now()) {
                    Ok(()) => Ok(body),
                    Err(error) => {
                        let message = format!("the result is too large to be kept: {error}");
                        Ok(Answer::new(&CallToolResult::error(message))?.body)
                    }
                }
            }
        }
    }
}

/// A permitted call of one upstream's tool.
#[derive(Clone)]
struct Work {
    front: GatewayService,
    upstream: Arc<Upstream>,
    route: Arc<ToolRoute>,
    public: Box<str>,
}

impl Work {
    /// Runs it as the caller wants: as a call, or as a task.
    async fn begin(self, permit: Permit, call: Call, notes: &Notes) -> Result<Outcome, CallError> {
        let TaskOffer::Asked { owner, ttl_ms } = call.task.clone() else {
            return self.run(&permit, &call, notes).await;
        };
        if !matches!(self.route.task_support, TaskSupport::Optional | TaskSupport::Required) {
            // Spec 2025-11-25, tasks: a tool that cannot is not asked to.
            let message = format!("tool `{}` cannot run as a task", self.public);
            return Err(CallError::Other(RpcError::new(ErrorCode::METHOD_NOT_FOUND, message)));
        }
        let (jobs, notes) = (self.front.view.jobs.clone(), notes.clone());
        let (work, permit, call) = (Arc::new(self), Arc::new(permit), Arc::new(call));
        let (tool, caller) = (work.public.clone(), call.caller.clone());
        let record = jobs.start_for(&tool, caller, owner, ttl_ms, {
            Arc::new(move |answers: Answers| {
                let (work, permit, call) =
                    (Arc::clone(&work), Arc::clone(&permit), Arc::clone(&call));
                let notes = notes.clone();
                Box::pin(async move {
                    let call = with_answers(&call, answers);
                    work.run(&permit, &call, &notes).await
                })
            })
        });
        Ok(Outcome::Started(record.await?))
    }

    /// Runs it to its end, or to its next question.
    async fn run(&self, permit: &Permit, call: &Call, notes: &Notes) -> Result<Outcome, CallError> {
        debug_assert!(
            permit.tool() == &*self.public
                || permit.tool() == public_name(&self.route.server, &self.route.original).as_str()
        );
        if let Some(kept) = self.front.gateway.follows.take(&call.answers) {
            let (following, answers) = kept?;
            return self.follow(following, call, &answers, notes).await;
        }
        let arguments = arguments_of(call);
        let original = rewrite::quoted(&self.route.original);
        let forward = Forward {
            rename: Some(Rename { key: "name", value: &original }),
            mirrored: mirror::mirror(&self.route.headers, arguments),
            run: match (&self.route.task_support, &call.task) {
                (TaskSupport::Required, _) | (TaskSupport::Optional, TaskOffer::Asked { .. }) => {
                    Run::AsTask
                }
                _ => Run::Plain,
            },
        };
        let same = || self.is_unchanged();
        let done = self.front.gateway.forward(&self.upstream, call, &forward, notes, &same).await;
        let outcome = match done {
            Ok((Forwarded::Outcome(outcome), _)) => outcome,
            Ok((Forwarded::Task(task), _)) => {
                let following = Following::new(task);
                return self.follow(following, call, &Answers::default(), notes).await;
            }
            Err(trouble) => return self.failed(trouble, call),
        };
        self.finish(outcome, call)
    }

    /// A server that was started again may offer something else under the same name now. Its
    /// lists are read before its connection is handed out.
    fn is_unchanged(&self) -> bool {
        match self.front.view.snapshot().catalogue.tool(&self.public) {
            Some(ToolTarget::Upstream(now)) => now.digest == self.route.digest,
            _ => false,
        }
    }

    /// Why a tool that was there is not there any more.
    fn changed(&self, call: &Call) -> Result<Outcome, CallError> {
        let snapshot = self.front.view.snapshot();
        if snapshot.quarantine.contains_key(&*self.public) {
            return self.front.absent(&snapshot, &self.public, call);
        }
        Err(CallError::params(format!(
            "tool `{}` of server `{}` is not what it was any more; list the tools again",
            self.public, self.route.server
        )))
    }

    /// The upstream goes on with it as a task: so do we, if the caller can; else it is waited for.
    async fn follow(
        &self,
        following: Arc<Following>,
        call: &Call,
        answers: &Answers,
        notes: &Notes,
    ) -> Result<Outcome, CallError> {
        let TaskOffer::Able { owner } = &call.task else {
            return match following.run(call, answers, notes).await? {
                Outcome::NeedsInput(questions) => {
                    let questions = self.front.gateway.follows.keep(following, questions);
                    Ok(Outcome::NeedsInput(questions))
                }
                outcome => self.finish(outcome, call),
            };
        };
        let call = Arc::new(with_answers(call, Answers::default()));
        let work = self.clone();
        let caller = call.caller.clone();
        let record = self.front.view.jobs.start_for(&self.public, caller, owner.clone(), None, {
            Arc::new(move |answers: Answers| {
                let (work, call) = (work.clone(), Arc::clone(&call));
                let following = Arc::clone(&following);
                Box::pin(async move {
                    let outcome = following.run(&call, &answers, &Notes::silent()).await?;
                    work.finish(outcome, &call)
                })
            })
        });
        Ok(Outcome::Started(record.await?))
    }

    /// The result with our names in it, and no longer than allowed.
    fn finish(&self, outcome: Outcome, call: &Call) -> Result<Outcome, CallError> {
        let Outcome::Complete(mut answer) = outcome else { return Ok(outcome) };
        let prefix = Prefix::of(&self.route.server);
        let body = std::mem::take(&mut answer.body);
        let body = rewrite::apply(body, |body| rewrite::call_result(body, &prefix));
        answer.body = self.front.cut(body, call.caller.principal.clone())?;
        Ok(Outcome::Complete(answer))
    }

    /// A call that failed on the way is a failure of the tool, which the model sees; what the
    /// upstream itself refuses in the protocol is passed on as that.
    fn failed(&self, trouble: Trouble, call: &Call) -> Result<Outcome, CallError> {
        match trouble {
            Trouble::Changed => self.changed(call),
            Trouble::Failed(Failure::Rpc(_)) => Err(trouble.error(&self.route.server, call)),
            other => refused(&other.text(&self.route.server)),
        }
    }
}

/// What denies a tool that is not shown; a profile may have renamed it.
fn denied_by(snapshot: &Snapshot, name: &str, target: &ToolTarget) -> Verdict {
    let (owner, original, usual) = match target {
        ToolTarget::Upstream(route) => {
            let usual = public_name(&route.server, &route.original).to_string();
            (Owner::Server(Arc::clone(&route.server)), &route.original, usual)
        }
        ToolTarget::BuiltIn(own) => (Owner::BuiltIn, own, own.to_string()),
    };
    let verdict = |name: &str| decide(&snapshot.rules, &subject(&owner, name, original, None));
    let (shown, usual) = (verdict(name), verdict(&usual));
    if usual.action() > shown.action() { usual } else { shown }
}

fn settle(record: &mut Record<'_>, permit: &Permit) {
    record.decision = permit.decision();
    record.rule = Some(permit.rule().into());
}

fn note_outcome(record: &mut Record<'_>, done: &Result<Outcome, CallError>) {
    static FAILED: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"isError\":true"));
    match done {
        Ok(Outcome::Complete(answer)) => {
            let failed = FAILED.find(answer.body.as_bytes()).is_some();
            let outcome = if failed { Recorded::ToolError } else { Recorded::Ok };
            record.answered(outcome, answer.body.len());
        }
        Ok(Outcome::NeedsInput(_) | Outcome::Started(_)) => record.ended(Recorded::Ok),
        Err(error) => record.failed(error),
    }
}

fn unknown(tool: &str) -> CallError {
    CallError::params(format!("Unknown tool: {tool}"))
}

/// A result that says in words why there is none.
pub(crate) fn refused(message: &str) -> Result<Outcome, CallError> {
    Ok(Outcome::Complete(Answer::new(&CallToolResult::error(message))?))
}

fn with_answers(call: &Call, answers: Answers) -> Call {
    Call {
        method: call.method,
        params: Arc::clone(&call.params),
        caller: call.caller.clone(),
        answers,
        task: call.task.clone(),
        mirrored: None,
    }
}

/// Unguessable text for the address of a kept result.
pub(crate) fn token() -> String {
    let bytes = SealKey::generate_bytes().unwrap_or_else(|_| {
        // Without the system's randomness no key could have been made, and nothing would run.
        [0; 32].map(|_: u8| fastrand::u8(..))
    });
    bytes[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}
