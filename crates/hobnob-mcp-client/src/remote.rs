//! A server somewhere else as a [`Service`]: calls in the inside's terms, whatever it speaks.

use crate::exchange::{Ask, Exchange, MayAsk, RequestError, Step};
use crate::forward::{self, ExecutionMode, ForwardOptions};
use crate::greet::Hello;
use crate::options::{ClientOptions, Timeouts};
use crate::outcome::{self, Read};
use crate::pages;
use crate::park::Parked;
use crate::peer::Peer;
use crate::tasks::RemoteTask;
use crate::turns::{Turn, Turns};
use crate::watching::Watching;
use hobnob_mcp_engine::{
    Answers, BoxFuture, Call, CallError, Caller, Notes, Offer, Outcome, Service,
};
use hobnob_mcp_types::elicitation::{ElicitAction, ElicitResult};
use hobnob_mcp_types::json::object;
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::{Era, Method, Revision, RpcError, encode};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long the visit of a page is waited for, if the server does not tell of its end.
const VISIT: Duration = Duration::from_secs(60);

/// Rounds a server may answer with nothing but a state to be handed back.
const IDLE_ROUNDS: usize = 10;

/// One in so many requests at once is kept for those of our own: lists, listens, tasks.
const OWN_SHARE: usize = 16;

/// A server we are connected to.
#[derive(Debug)]
pub struct Remote {
    peer: Arc<Peer>,
    hello: Hello,
    options: ClientOptions,
    /// Who we are, as JSON.
    implementation: String,
    parked: Arc<Parked>,
    turns: Arc<Turns>,
    /// The least severe message a legacy server was asked to tell.
    level: Mutex<Option<LoggingLevel>>,
    watching: Watching,
}

/// What became of a call.
#[derive(Debug)]
pub enum Forwarded {
    /// It ended.
    Outcome(Outcome),
    /// It goes on as a task over there.
    Task(RemoteTask),
}

impl Remote {
    pub(crate) fn new(peer: Arc<Peer>, hello: Hello, options: ClientOptions) -> Arc<Self> {
        let implementation = serde_json::to_string(&options.implementation).unwrap_or_default();
        let watching = Watching::start(&peer, &hello, &options);
        // A few are left for what we ask on nobody's behalf.
        let own = options.in_flight.div_ceil(OWN_SHARE);
        let turns = Turns::new(options.in_flight.saturating_sub(own).max(1));
        Arc::new(Self {
            peer,
            hello,
            options,
            implementation,
            parked: Arc::default(),
            turns,
            level: Mutex::default(),
            watching,
        })
    }

    /// What the server said of itself.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Why nothing can be asked any more, once that is so.
    pub fn ended_because(&self) -> Option<Box<str>> {
        self.peer.ended_because()
    }

    /// Requests under way, calls that wait for an answer to a question included.
    pub fn in_flight(&self) -> usize {
        self.peer.in_flight()
    }

    /// Calls that wait for somebody's answer.
    pub fn parked(&self) -> usize {
        self.parked.len()
    }

    /// Which resources to be told of from now on; needs a server that can tell.
    pub fn watch(&self, uris: std::collections::BTreeSet<Box<str>>) {
        self.watching.set(uris);
    }

    /// Whether the server tells of changes of single resources.
    pub fn tells_of_resources(&self) -> bool {
        self.hello.capabilities.resources.as_ref().is_some_and(|resources| resources.subscribe)
    }

    /// Ends the connection.
    pub fn close(&self) {
        self.watching.stop();
        self.peer.close();
        self.parked.clear();
    }

    /// Makes a call, or goes on with one.
    pub async fn forward(
        self: &Arc<Self>,
        call: &Call,
        forward: &ForwardOptions<'_>,
        notes: &Notes,
    ) -> Result<Forwarded, RequestError> {
        if self.revision().era() == Era::Legacy {
            if let Some(resumed) = self.resume(&call.answers, notes) {
                return self.drive(resumed?, call, forward.mode, &self.options.timeouts).await;
            }
            self.visit_pages(&call.answers).await?;
            self.wish_level(call.caller.log_level);
        }
        let mut handed_back = Answers::default();
        for _ in 0..IDLE_ROUNDS {
            let turn = self.turn(&call.caller).await?;
            let exchange = self.send(call, &handed_back, forward, notes, turn)?;
            let done = self.drive(exchange, call, forward.mode, &self.options.timeouts).await?;
            match done {
                Forwarded::Outcome(Outcome::NeedsInput(questions))
                    if questions.requests.0.is_empty() =>
                {
                    // Only a state to be handed back: nobody has to be asked.
                    handed_back.end_round(questions.state);
                }
                done => return Ok(done),
            }
        }
        Err(RequestError::Unreadable(RpcError::invalid_request("the server asks for retries only")))
    }

    fn send(
        &self,
        call: &Call,
        handed_back: &Answers,
        forward: &ForwardOptions<'_>,
        notes: &Notes,
        turn: Turn,
    ) -> Result<Exchange, RequestError> {
        let revision = self.revision();
        let again;
        let call = if handed_back.is_empty() {
            call
        } else {
            again = Call {
                method: call.method,
                params: Arc::clone(&call.params),
                caller: call.caller.clone(),
                answers: handed_back.clone(),
                task: call.task.clone(),
                mirrored: None,
            };
            &again
        };
        let questions = match (revision.era(), call.method) {
            (Era::Legacy, Method::ToolsCall | Method::PromptsGet | Method::ResourcesRead) => {
                MayAsk::Yes
            }
            _ => MayAsk::No,
        };
        let name = match revision.era() {
            Era::Modern => forward::header_name(call, forward),
            Era::Legacy => None,
        };
        self.peer.ask(Ask {
            method: call.method,
            text: Box::new(|id| {
                forward::write(id, call, forward, notes, revision, &self.implementation)
            }),
            revision: None,
            name,
            mirrored: forward.mirrored.clone(),
            notes: Some(notes.clone()),
            questions,
            caller: Some(call.caller.clone()),
            agreed: None,
            turn: Some(turn),
        })
    }

    /// Waits for the caller's turn where its client has more calls under way than its share.
    async fn turn(&self, caller: &Caller) -> Result<Turn, RequestError> {
        let who = caller.share();
        if let Some(turn) = self.turns.now(who) {
            return Ok(turn);
        }
        let most = self.options.in_flight;
        let busy = |more: &str| {
            RequestError::Busy(
                format!("at most {most} requests are in flight at once{more}").into(),
            )
        };
        let limit = self.options.timeouts.call;
        tokio::select! {
            biased;
            turn = self.turns.wait(who) => turn.map_err(|_| busy(", and as many as may are waiting")),
            () = self.peer.closed().cancelled() => {
                let why = self.peer.ended_because().unwrap_or_else(|| "it has ended".into());
                Err(RequestError::Unsent(why))
            }
            () = tokio::time::sleep(limit) => Err(busy(&format!(", and none ended within {limit:?}"))),
        }
    }

    /// Waits until the call ends, one way or another, or asks something.
    pub(crate) async fn drive(
        self: &Arc<Self>,
        mut exchange: Exchange,
        call: &Call,
        mode: ExecutionMode,
        timeouts: &Timeouts,
    ) -> Result<Forwarded, RequestError> {
        let result = match exchange.step(timeouts).await {
            Step::Question(asked) => {
                let questions = self.parked.park(
                    exchange,
                    asked,
                    self.options.parked,
                    timeouts.question,
                    &self.peer,
                )?;
                return Ok(Forwarded::Outcome(Outcome::NeedsInput(questions)));
            }
            Step::Done(Err(RequestError::Rpc(error))) => {
                return refused(error, call).map(Forwarded::Outcome);
            }
            Step::Done(done) => done?,
        };
        Ok(match outcome::read(call.method, self.revision(), mode, result)? {
            Read::Complete(answer) => Forwarded::Outcome(Outcome::Complete(answer)),
            Read::NeedsInput(questions) => Forwarded::Outcome(Outcome::NeedsInput(questions)),
            Read::Task { id, poll_ms } => {
                let token = exchange.number();
                Forwarded::Task(RemoteTask::new(Arc::clone(self), id, token, poll_ms))
            }
        })
    }

    /// Goes on with a call that waits for this answer, if there is one.
    pub(crate) fn resume(
        &self,
        answers: &Answers,
        notes: &Notes,
    ) -> Option<Result<Exchange, RequestError>> {
        self.parked.resume(answers, notes)
    }

    /// A caller that was asked to visit pages has only said that it will: the server says when it
    /// has. Not every server does, so it is asked again after a while in any case.
    async fn visit_pages(&self, answers: &Answers) -> Result<(), RequestError> {
        let Some(ids) = pages::awaited(answers.state()) else { return Ok(()) };
        check_consent(answers)?;
        tokio::select! {
            () = self.peer.pages().all_done(&ids) => {}
            () = self.peer.closed().cancelled() => {}
            () = tokio::time::sleep(self.options.timeouts.question.min(VISIT)) => {}
        }
        Ok(())
    }

    /// Sends a request of our own and returns the result's text.
    pub async fn request(&self, method: Method, members: &str) -> Result<Box<str>, RequestError> {
        let exchange = self.begin(method, members, None)?;
        exchange.answer_within(self.options.timeouts.call).await
    }

    /// Sends a request of our own; the server may ask back if it is on a caller's behalf.
    pub(crate) fn begin(
        &self,
        method: Method,
        members: &str,
        caller: Option<&Caller>,
    ) -> Result<Exchange, RequestError> {
        let params = self.own_params(members);
        let name = ["name", "uri", "taskId"]
            .into_iter()
            .find_map(|key| hobnob_mcp_types::json::field(members, key))
            .filter(|_| self.revision().era() == Era::Modern)
            .and_then(|raw| serde_json::from_str::<Box<str>>(raw).ok());
        let ask = Ask {
            name,
            questions: if caller.is_some() { MayAsk::Yes } else { MayAsk::No },
            caller: caller.cloned(),
            ..Ask::quiet(method, |id| encode::request(id, method, &params))
        };
        self.peer.ask(ask)
    }

    /// Parameters with the `_meta` a modern server wants.
    fn own_params(&self, members: &str) -> String {
        object(|object| {
            object.members_of(members);
            if self.revision().era() == Era::Modern {
                let able = self.peer.host().capabilities();
                let meta = forward::modern_meta(self.revision(), &able, &self.options);
                object.raw("_meta", &meta);
            }
        })
    }

    pub(crate) fn options(&self) -> &ClientOptions {
        &self.options
    }

    pub(crate) fn peer(&self) -> &Arc<Peer> {
        &self.peer
    }

    pub(crate) fn revision(&self) -> Revision {
        self.hello.revision
    }

    /// A legacy server has one level for all of us: the least severe anybody wished for.
    fn wish_level(&self, wished: Option<LoggingLevel>) {
        let Some(wished) = wished else { return };
        if self.hello.capabilities.logging.is_none() {
            return;
        }
        let mut level = self.level.lock().unwrap_or_else(PoisonError::into_inner);
        if level.is_some_and(|level| level <= wished) {
            return;
        }
        *level = Some(wished);
        drop(level);
        let params = object(|object| {
            object.raw("level", &serde_json::to_string(&wished).unwrap_or_default());
        });
        // The call that follows on the same pipe finds the level set; nobody waits for the answer.
        if let Ok(exchange) = self.begin(Method::SetLevel, &params, None) {
            let limit = self.options.timeouts.call;
            self.peer.spawn(async move { drop(exchange.answer_within(limit).await) });
        }
    }
}

/// What becomes of a call that a server refuses. If pages have to be visited first, a caller that
/// knows this very error does that itself, one that can be asked is asked, any other is told.
fn refused(error: RpcError, call: &Call) -> Result<Outcome, RequestError> {
    let Some(pages) = outcome::pages_to_visit(&error) else { return Err(RequestError::Rpc(error)) };
    let caller = &call.caller;
    match caller.revision.era() {
        _ if !caller.capabilities.can_visit_pages() => {}
        Era::Modern => return Ok(Outcome::NeedsInput(pages.questions())),
        Era::Legacy if caller.revision == Revision::V2025_11_25 => {
            return Err(RequestError::Rpc(error));
        }
        Era::Legacy => {}
    }
    pages.told(call.method).map(Outcome::Complete)
}

/// A caller that will not visit the pages cannot go on.
fn check_consent(answers: &Answers) -> Result<(), RequestError> {
    let accepted = |raw: &serde_json::value::RawValue| {
        serde_json::from_str::<ElicitResult>(raw.get())
            .is_ok_and(|answer| answer.action == ElicitAction::Accept)
    };
    if answers.fresh().all(|(_, answer)| accepted(answer)) {
        return Ok(());
    }
    let message = "the page the server wants visited first was not";
    Err(RequestError::Rpc(RpcError::invalid_request(message)))
}

/// The whole server as a service, for who changes nothing on the way: tasks over there are waited
/// for.
#[derive(Debug, Clone)]
pub struct RemoteService(pub Arc<Remote>);

impl Service for RemoteService {
    fn call<'a>(&'a self, call: Call, notes: Notes) -> BoxFuture<'a, Result<Outcome, CallError>> {
        Box::pin(async move {
            let forwarded = self.0.forward(&call, &ForwardOptions::default(), &notes).await;
            let failed = |failure| outcome::error(call.method, &call.params, failure);
            match forwarded.map_err(failed)? {
                Forwarded::Outcome(outcome) => Ok(outcome),
                Forwarded::Task(task) => match task.run(&call, &Answers::default(), &notes).await {
                    // The next round would find no way back to this task and start another.
                    Ok(Outcome::NeedsInput(_)) => {
                        task.cancel();
                        let message = "a task that asks something has to be followed";
                        Err(CallError::Other(RpcError::invalid_request(message)))
                    }
                    done => done,
                },
            }
        })
    }

    fn offer(&self) -> Offer {
        Offer {
            capabilities: self.0.hello.capabilities.clone(),
            instructions: self.0.hello.instructions.clone(),
        }
    }
}

impl Remote {
    /// A failure in the inside's terms, for this call.
    pub fn call_error(call: &Call, failure: RequestError) -> CallError {
        outcome::error(call.method, &call.params, failure)
    }
}
