//! A server as a program uses it that asks for itself: typed calls, questions put to the host.

use crate::exchange::RequestError;
use crate::forward::ForwardOptions;
use crate::host::Host;
use crate::mirror::{HeaderPlan, mirror};
use crate::outcome;
use crate::remote::{Forwarded, Remote};
use hobnob_mcp_engine::{
    Answers, Call, CallError, Caller, ClientId, Held, Notes, Outcome, Principal, Questions,
    TaskOffer,
};
use hobnob_mcp_types::json::{ObjectWriter, field, object};
use hobnob_mcp_types::prompts::GetPromptResult;
use hobnob_mcp_types::resources::ReadResourceResult;
use hobnob_mcp_types::tools::CallToolResult;
use hobnob_mcp_types::{Era, ErrorCode, Method, Params, Revision, RpcError};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

/// Rounds of questions within one call.
const ROUNDS: usize = 10;

/// Questions a legacy server may ask within one call, one after the other. Its call stays open
/// meanwhile, so that its time is bounded anyway, and some ask a model again and again.
const ASKED: usize = 1000;

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
pub enum CallFailed {
    /// The server refused it.
    #[error("{0}")]
    Refused(RpcError),
    /// The call did not come to an end.
    #[error("{0}")]
    Failed(#[from] RequestError),
    /// The result is not what the protocol says.
    #[error("the result cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// The server goes on asking.
    #[error("the server goes on asking and was given up")]
    Endless,
}

/// A handle on a connected server. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    remote: Arc<Remote>,
    host: Arc<dyn Host>,
    caller: Caller,
    /// Which arguments of a tool are repeated in headers, as far as lists have told.
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

    /// The connection itself.
    pub fn remote(&self) -> &Arc<Remote> {
        &self.remote
    }

    /// Every tool, as JSON texts. A modern server over HTTP must be told some arguments in
    /// headers too; tools that ask for that wrongly are left out, as the protocol demands.
    pub async fn tools(&self) -> Result<Vec<Box<str>>, crate::lists::ListError> {
        let mut tools = self.remote.list(crate::lists::ListKind::Tools).await?;
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        plans.clear();
        tools.retain(|tool| {
            let name = field(tool, "name").and_then(|raw| serde_json::from_str(raw).ok());
            let Some(name): Option<String> = name else { return false };
            match HeaderPlan::of(field(tool, "inputSchema").unwrap_or("{}")) {
                HeaderPlan::Invalid(reason) => {
                    tracing::warn!(tool = name, reason, "a tool is left out");
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
            // Which arguments headers repeat is known from a list, which has changed since, or
            // was never read.
            Err(CallFailed::Failed(RequestError::Rpc(error)))
                if error.code == ErrorCode::HEADER_MISMATCH =>
            {
                if let Err(failed) = self.tools().await {
                    tracing::debug!(%failed, "the tools cannot be listed");
                    return Err(CallFailed::Failed(RequestError::Rpc(error)));
                }
                self.call(Method::ToolsCall, params, &forward(), notes).await
            }
            done => done,
        }
    }

    /// Reads a resource.
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult, CallFailed> {
        let params = object(|object| {
            object.string("uri", uri);
        });
        self.call(Method::ResourcesRead, params, &ForwardOptions::default(), &Notes::silent()).await
    }

    /// Gets a prompt filled in.
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
        let params = Arc::new(Params::from_json(params).map_err(CallFailed::Refused)?);
        let mut answers = Answers::default();
        // Kept until the call was made again: given up meanwhile, it is given up over there too.
        let mut held: Option<Held> = None;
        for _ in 0..self.rounds() {
            let call = Call {
                method,
                params: Arc::clone(&params),
                caller: self.caller.clone(),
                answers: answers.clone(),
                task: TaskOffer::No,
                mirrored: None,
            };
            let outcome = match self.remote.forward(&call, forward, notes).await? {
                Forwarded::Outcome(outcome) => outcome,
                Forwarded::Task(task) => {
                    return self.follow(&call, &task, notes).await;
                }
            };
            match outcome {
                Outcome::Complete(answer) => return Ok(outcome::whole(answer)),
                Outcome::NeedsInput(questions) => {
                    self.answer(questions, &mut answers, &mut held).await?;
                }
                Outcome::Started(_) => return Err(CallFailed::Endless),
            }
        }
        Err(CallFailed::Endless)
    }

    fn rounds(&self) -> usize {
        match self.remote.hello().revision.era() {
            Era::Modern => ROUNDS,
            Era::Legacy => ASKED,
        }
    }

    async fn follow(
        &self,
        call: &Call,
        task: &crate::tasks::RemoteTask,
        notes: &Notes,
    ) -> Result<String, CallFailed> {
        let refused = |error: CallError| CallFailed::Refused(error.to_rpc(&self.caller));
        let mut answers = Answers::default();
        let mut followed = Followed(Some(task));
        let mut held: Option<Held> = None;
        for _ in 0..self.rounds() {
            let outcome = task.run(call, &answers, notes).await;
            match outcome.inspect_err(|_| followed.let_go()).map_err(refused)? {
                Outcome::Complete(answer) => {
                    followed.let_go();
                    return Ok(outcome::whole(answer));
                }
                Outcome::NeedsInput(questions) => {
                    self.answer(questions, &mut answers, &mut held).await?;
                }
                Outcome::Started(_) => return Err(CallFailed::Endless),
            }
        }
        Err(CallFailed::Endless)
    }

    /// Puts questions to the host, unless the server takes them back first.
    async fn answer(
        &self,
        questions: Questions,
        answers: &mut Answers,
        held: &mut Option<Held>,
    ) -> Result<(), CallFailed> {
        let round = tokio::select! {
            biased;
            () = questions.withdrawn() => Round::new(),
            round = self.answer_all(&questions) => round?,
        };
        if held.is_some() {
            // They went to a question that is answered for good.
            answers.forget_fresh();
        }
        *held = questions.held;
        answers.end_round(questions.state);
        answers.add(round);
        Ok(())
    }

    async fn answer_all(&self, questions: &Questions) -> Result<Round, CallFailed> {
        let mut round = Round::new();
        for (key, request) in questions.requests.0.iter() {
            match self.host.answer(request).await {
                Ok(answer) => drop(round.insert(key.into(), answer)),
                Err(error) if questions.refusable == hobnob_mcp_engine::Refusable::Yes => {
                    round.insert(key.into(), hobnob_mcp_engine::refusal_answer(&error));
                }
                Err(error) => return Err(CallFailed::Refused(error)),
            }
        }
        Ok(round)
    }
}

/// The answers of one round, by key.
type Round = BTreeMap<Box<str>, Box<RawValue>>;

/// A task that somebody waits for. Dropped before its end, it is stopped over there, as a call
/// would be.
struct Followed<'a>(Option<&'a crate::tasks::RemoteTask>);

impl Followed<'_> {
    fn let_go(&mut self) {
        self.0 = None;
    }
}

impl Drop for Followed<'_> {
    fn drop(&mut self) {
        if let Some(task) = self.0 {
            task.cancel();
        }
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Client({:?})", self.remote.hello().implementation.name)
    }
}
