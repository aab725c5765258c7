//! A server as a program uses it that asks for itself: typed calls, questions put to the host.
//!
//! The command line and the tests call it. Whatever a call turns into on the server (questions, a
//! task), it is one call here; dropped before its end, it is cancelled there.

use crate::error::RequestError;
use crate::forward::ForwardOptions;
use crate::host::Host;
use crate::lists::{ListError, ListKind};
use crate::mirror::{HeaderPlan, mirror};
use crate::outcome;
use crate::remote::{Forwarded, Remote};
use crate::tasks::RemoteTask;
use hobnob_mcp_engine::{
    Answer, Answers, Call, CallEnd, CallError, Caller, ClientId, NextRound, Notes, Outcome,
    Principal, Questions, Refusable, RoundAnswers, RoundLimits, RoundTrips, TaskOffer,
    TooManyRounds, refusal_answer, round_trips,
};
use hobnob_mcp_types::json::{ObjectWriter, field, object};
use hobnob_mcp_types::prompts::GetPromptResult;
use hobnob_mcp_types::resources::ReadResourceResult;
use hobnob_mcp_types::tools::CallToolResult;
use hobnob_mcp_types::{Era, ErrorCode, Method, Params, Revision, RpcError};
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

/// Times a modern server is called within one call: once, and again after each round of questions.
const MAX_CALLS: usize = 10;

/// Questions a legacy server may ask within one call, one after the other. Its call stays open
/// meanwhile, so that its time is bounded anyway, and some ask a model again and again.
const MAX_LEGACY_CALLS: usize = 1000;

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
pub enum CallFailed {
    /// The server or the host refused it.
    #[error("{0}")]
    Refused(RpcError),
    /// The call did not come to an end.
    #[error("{0}")]
    Failed(#[from] RequestError),
    /// The result is not what the protocol says.
    #[error("the result cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// The server asked more often than it may within one call.
    #[error("the server goes on asking and was given up")]
    Endless,
}

impl From<TooManyRounds> for CallFailed {
    fn from(_: TooManyRounds) -> Self {
        Self::Endless
    }
}

/// A handle on a connected server. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    remote: Arc<Remote>,
    host: Arc<dyn Host>,
    caller: Caller,
    /// Which arguments of a tool are repeated in headers, as the newest list says.
    plans: Arc<Mutex<HashMap<String, HeaderPlan>>>,
}

impl Client {
    /// Calls on behalf of this host.
    pub fn new(remote: Arc<Remote>, host: Arc<dyn Host>) -> Self {
        let caller = Caller {
            revision: Revision::NEWEST,
            capabilities: Arc::new(host.capabilities()),
            client: Some(Arc::new(remote.options().implementation.clone())),
            client_id: ClientId::next(),
            principal: Principal::anonymous(),
            log_level: None,
        };
        Self { remote, host, caller, plans: Arc::default() }
    }

    /// The connection below, for what has no typed method here.
    pub fn remote(&self) -> &Arc<Remote> {
        &self.remote
    }

    /// Every tool, as JSON texts. A modern server over HTTP wants some arguments in headers too;
    /// tools whose schema asks for that wrongly are left out, as the protocol demands.
    pub async fn tools(&self) -> Result<Vec<Box<str>>, ListError> {
        let mut tools = self.remote.list(ListKind::Tools).await?;
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        plans.clear();
        tools.retain(|tool| {
            let name = field(tool, "name").and_then(|raw| serde_json::from_str(raw).ok());
            let Some(name): Option<String> = name else { return false };
            match HeaderPlan::of(field(tool, "inputSchema").unwrap_or("{}")) {
                HeaderPlan::Invalid(reason) => {
                    tracing::warn!(
                        tool = name,
                        reason,
                        "left out a tool: its header marks are invalid"
                    );
                    false
                }
                plan => {
                    plans.insert(name, plan);
                    true
                }
            }
        });
        Ok(tools)
    }

    /// Calls a tool. `arguments` is the JSON of an object.
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: Option<&str>,
        notes: &Notes,
    ) -> Result<CallToolResult, CallFailed> {
        let params = object(|object| {
            object.string("name", name);
            if let Some(arguments) = arguments {
                object.raw("arguments", arguments);
            }
        });
        let forward = || {
            let plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
            let plan = plans.get(name);
            let mirrored = plan.map(|plan| mirror(plan, arguments.unwrap_or("{}")));
            ForwardOptions { mirrored: mirrored.unwrap_or_default(), ..ForwardOptions::default() }
        };
        match self.call(Method::ToolsCall, params.clone(), &forward(), notes).await {
            // Which arguments headers repeat is known from a list, which has changed since or
            // was never read.
            Err(CallFailed::Failed(RequestError::Rpc(error)))
                if error.code == ErrorCode::HEADER_MISMATCH =>
            {
                if let Err(failed) = self.tools().await {
                    tracing::debug!(%failed, "cannot list the tools");
                    return Err(CallFailed::Failed(RequestError::Rpc(error)));
                }
                self.call(Method::ToolsCall, params, &forward(), notes).await
            }
            done => done,
        }
    }

    /// Reads a resource; the result has one entry for each of its contents.
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult, CallFailed> {
        let params = object(|object| {
            object.string("uri", uri);
        });
        self.call(Method::ResourcesRead, params, &ForwardOptions::default(), &Notes::silent()).await
    }

    /// Gets a prompt with these arguments filled in.
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: &[(String, String)],
    ) -> Result<GetPromptResult, CallFailed> {
        let params = object(|object| {
            object.string("name", name);
            if !arguments.is_empty() {
                let mut filled = ObjectWriter::new(object.key("arguments"));
                for (key, value) in arguments {
                    filled.string(key, value);
                }
                filled.end();
            }
        });
        self.call(Method::PromptsGet, params, &ForwardOptions::default(), &Notes::silent()).await
    }

    /// Makes any call, answering what the server asks back, and decodes the result.
    pub async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        params: String,
        forward: &ForwardOptions<'_>,
        notes: &Notes,
    ) -> Result<T, CallFailed> {
        let text = self.call_raw(method, params, forward, notes).await?;
        Ok(serde_json::from_str(&text)?)
    }

    /// The same with the result as JSON text.
    pub async fn call_raw(
        &self,
        method: Method,
        params: String,
        forward: &ForwardOptions<'_>,
        notes: &Notes,
    ) -> Result<String, CallFailed> {
        let call = Call {
            method,
            params: Arc::new(Params::from_json(params).map_err(CallFailed::Refused)?),
            caller: self.caller.clone(),
            answers: Answers::default(),
            task: TaskOffer::No,
            mirrored: None,
        };
        let mut rounds = CallRounds { client: self, call, forward, notes };
        let end = round_trips(&mut rounds, Answers::default(), self.limits()).await?;
        completed(end).map(outcome::whole)
    }

    fn limits(&self) -> RoundLimits {
        RoundLimits::of_any_kind(match self.remote.hello().revision.era() {
            Era::Modern => MAX_CALLS - 1,
            Era::Legacy => MAX_LEGACY_CALLS - 1,
        })
    }

    /// Puts questions to the host, unless the server takes them back first.
    async fn answer(&self, questions: &Questions) -> Result<NextRound<Infallible>, CallFailed> {
        let round = questions.unless_withdrawn(self.ask_host(questions)).await;
        Ok(NextRound::CallAgain(round.transpose()?.unwrap_or_default()))
    }

    async fn ask_host(&self, questions: &Questions) -> Result<RoundAnswers, CallFailed> {
        let mut round = RoundAnswers::new();
        for (key, request) in questions.requests.0.iter() {
            match self.host.answer(request).await {
                Ok(answer) => drop(round.insert(key.into(), answer)),
                Err(error) if questions.refusable == Refusable::Yes => {
                    round.insert(key.into(), refusal_answer(&error));
                }
                Err(error) => return Err(CallFailed::Refused(error)),
            }
        }
        Ok(round)
    }
}

/// A call, made again with the host's answers each time the server asks something.
struct CallRounds<'a> {
    client: &'a Client,
    call: Call,
    forward: &'a ForwardOptions<'a>,
    notes: &'a Notes,
}

impl RoundTrips for CallRounds<'_> {
    type Error = CallFailed;
    type Stopped = Infallible;

    async fn call(&mut self, answers: Answers) -> Result<Outcome, CallFailed> {
        let call = self.call.with_answers(answers);
        let task = match self.client.remote.forward(&call, self.forward, self.notes).await? {
            Forwarded::Outcome(outcome) => return Ok(outcome),
            Forwarded::Task(task) => task,
        };
        let task = FollowedTask { task, over: false };
        let mut rounds = TaskRounds { client: self.client, call, task, notes: self.notes };
        let end = round_trips(&mut rounds, Answers::default(), self.client.limits()).await?;
        completed(end).map(Outcome::Complete)
    }

    async fn answer(
        &mut self,
        questions: &Questions,
        _so_far: &Answers,
    ) -> Result<NextRound<Infallible>, CallFailed> {
        self.client.answer(questions).await
    }
}

/// A task that a call became, run again with the host's answers each time it asks something.
struct TaskRounds<'a> {
    client: &'a Client,
    call: Call,
    task: FollowedTask,
    notes: &'a Notes,
}

impl RoundTrips for TaskRounds<'_> {
    type Error = CallFailed;
    type Stopped = Infallible;

    async fn call(&mut self, answers: Answers) -> Result<Outcome, CallFailed> {
        let refused = |error: CallError| CallFailed::Refused(error.to_rpc(&self.client.caller));
        let outcome = self.task.task.run(&self.call, &answers, self.notes).await;
        self.task.over = !matches!(outcome, Ok(Outcome::NeedsInput(_) | Outcome::Started(_)));
        outcome.map_err(refused)
    }

    async fn answer(
        &mut self,
        questions: &Questions,
        _so_far: &Answers,
    ) -> Result<NextRound<Infallible>, CallFailed> {
        self.client.answer(questions).await
    }
}

/// A task that somebody waits for. Dropped before its end, it is cancelled, as a call would be.
struct FollowedTask {
    task: RemoteTask,
    over: bool,
}

impl Drop for FollowedTask {
    fn drop(&mut self) {
        if !self.over {
            self.task.cancel();
        }
    }
}

fn completed(end: CallEnd<Infallible>) -> Result<Answer, CallFailed> {
    match end {
        CallEnd::Complete(answer) => Ok(answer),
        // Tasks are followed above; no server of ours is asked to start one.
        CallEnd::Started(_) => Err(CallFailed::Endless),
        CallEnd::Stopped(never) => match never {},
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Client({:?})", self.remote.hello().implementation.name)
    }
}
