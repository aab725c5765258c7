//! A connected server, called in the engine's terms in every revision.
//!
//! The gateway and `Client` call [`Remote::forward`]; [`RemoteService`] offers the same as a
//! [`Service`]. Invariant: a call that may have run is never repeated in here.

use crate::declared::DeclaredCapabilities;
use crate::error::RequestError;
use crate::exchange::{Exchange, MayAsk, NewRequest};
use crate::fair_queue::{FairQueue, Turn};
use crate::forward::{self, ForwardOptions};
use crate::greet::Hello;
use crate::lists::{self, ListError, ListKind};
use crate::open_connection::OpenConnection;
use crate::options::ClientOptions;
use crate::outcome::{self, CallResult};
use crate::park::Resumed;
use crate::peer::Peer;
use crate::required_pages;
use crate::subscriptions::{SubscriptionState, Subscriptions};
use crate::tasks::RemoteTask;
use hobnob_mcp_engine::{Answers, BoxFuture, Call, CallError, Notes, Offer, Outcome, Service};
use hobnob_mcp_types::json::object;
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::{Era, Method, Revision, RpcError};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// How long to wait for the visit of a page, if the server does not report its end.
const MAX_VISIT: Duration = Duration::from_secs(60);

/// How often a server may answer with only a state to send back.
const MAX_IDLE_ROUNDS: usize = 10;

/// 1/16 of the requests in flight is reserved for requests of our own: lists, listens, tasks.
const OWN_SHARE: usize = 16;

/// A connected server, in any revision.
#[derive(Debug)]
pub struct Remote {
    connection: Arc<OpenConnection>,
    /// Our name and version, as JSON.
    implementation: String,
    capabilities: DeclaredCapabilities,
    queue: Arc<FairQueue>,
    /// The lowest severity that a legacy server was asked to log.
    level: Mutex<Option<LoggingLevel>>,
    subscriptions: Subscriptions,
}

/// The result of forwarding a call.
#[derive(Debug)]
pub enum Forwarded {
    /// The call ended, or the server asks a question.
    Outcome(Outcome),
    /// The call goes on as a task on the server.
    Task(RemoteTask),
}

impl Remote {
    pub(crate) fn new(peer: Arc<Peer>, hello: Hello, options: ClientOptions) -> Arc<Self> {
        let implementation = serde_json::to_string(&options.implementation).unwrap_or_default();
        let subscriptions = Subscriptions::start(&peer, &hello, &options);
        let own = options.in_flight.div_ceil(OWN_SHARE);
        let queue = FairQueue::new(options.in_flight.saturating_sub(own).max(1));
        Arc::new(Self {
            connection: OpenConnection::new(peer, hello, options),
            implementation,
            capabilities: DeclaredCapabilities::default(),
            queue,
            level: Mutex::default(),
            subscriptions,
        })
    }

    /// What the server reported about itself in the handshake.
    pub fn hello(&self) -> &Hello {
        &self.connection.hello
    }

    /// Why the connection has ended; `None` while it is open.
    pub fn ended_because(&self) -> Option<Box<str>> {
        self.peer().ended_because()
    }

    /// The number of requests in flight, including calls that wait for the answer to a question.
    pub fn in_flight(&self) -> usize {
        self.peer().pending().calls()
    }

    /// The number of calls that wait for the answer to a question of the server.
    pub fn parked(&self) -> usize {
        self.connection.parked.len()
    }

    /// Subscribes to these resources and to no others from now on. Updates come as
    /// [`ServerEvent::ResourceUpdated`](crate::ServerEvent), if the server can send them.
    pub fn watch(&self, uris: BTreeSet<Box<str>>) {
        self.subscriptions.set(uris);
    }

    /// Subscribes to one more resource, and waits until the server has agreed or refused.
    pub(crate) async fn subscribe(&self, uri: &str) -> SubscriptionState {
        self.subscriptions.add(uri);
        self.subscriptions.settled(uri).await
    }

    /// Unsubscribes from one resource.
    pub(crate) fn unsubscribe(&self, uri: &str) {
        self.subscriptions.remove(uri);
    }

    /// Waits until the server has agreed to send notifications, or the connection has ended.
    pub(crate) async fn listening(&self) {
        self.subscriptions.agreed().await;
    }

    /// Whether the server sends updates of single resources.
    pub fn can_subscribe(&self) -> bool {
        let resources = self.hello().capabilities.resources.as_ref();
        resources.is_some_and(|resources| resources.subscribe)
    }

    /// Tells the server that the roots have changed. Servers of the newest revision get no such
    /// message: they ask with each call that needs the roots.
    pub fn roots_changed(&self) {
        if self.peer().sender.speaks(Era::Legacy) {
            self.peer().sender.notify(Method::RootsListChanged, "{}");
        }
    }

    /// Closes the connection; all pending requests fail.
    pub fn close(&self) {
        self.subscriptions.stop();
        // Before the connection is closed: servers wait for their answers.
        self.connection.parked.abandon_all();
        self.peer().close();
    }

    /// Every entry of a list, as JSON texts in the server's order. If the server does not offer the
    /// feature, the list is empty and no request is sent.
    pub async fn list(&self, list: ListKind) -> Result<Vec<Box<str>>, ListError> {
        lists::read(&self.connection, list).await
    }

    /// Sends a request of our own and returns the result's text. `members` is a JSON object.
    pub async fn request(&self, method: Method, members: &str) -> Result<Box<str>, RequestError> {
        self.connection.request(method, members).await
    }

    /// Makes a call, or resumes one.
    pub async fn forward(
        &self,
        call: &Call,
        options: &ForwardOptions<'_>,
        notes: &Notes,
    ) -> Result<Forwarded, RequestError> {
        let forward = ForwardedCall { remote: self, call, options, notes };
        if self.revision().era() == Era::Legacy {
            match self.connection.resume(&call.answers, notes).transpose()? {
                Some(Resumed::Sent(exchange)) => return forward.finish(exchange).await,
                // The answer was for a question before the call; there may be another one.
                Some(Resumed::Unsent) | None => {}
            }
            if let Some(questions) = self.connection.earlier_question(call)? {
                return Ok(Forwarded::Outcome(Outcome::NeedsInput(questions)));
            }
            forward.wait_for_pages().await?;
            self.raise_log_level(call.caller.log_level);
        }
        let mut handed_back = Answers::default();
        for _ in 0..MAX_IDLE_ROUNDS {
            let turn = forward.turn().await?;
            let exchange = forward.send(&handed_back, turn)?;
            match forward.finish(exchange).await? {
                Forwarded::Outcome(Outcome::NeedsInput(questions))
                    if questions.requests.0.is_empty() =>
                {
                    // Only a state to send back, and no question.
                    handed_back.end_round(questions.state);
                }
                done => return Ok(done),
            }
        }
        let error = RpcError::invalid_request("the server asks for retries only");
        Err(RequestError::Unreadable(error))
    }

    /// Translates a request's error into the engine's error for this call.
    pub fn call_error(call: &Call, error: RequestError) -> CallError {
        outcome::error(call.method, &call.params, error)
    }

    /// A legacy server has one log level for all callers: the lowest that any of them asked for.
    fn raise_log_level(&self, wanted: Option<LoggingLevel>) {
        let Some(wanted) = wanted else { return };
        if self.hello().capabilities.logging.is_none() {
            return;
        }
        let mut level = self.level.lock();
        if level.is_some_and(|level| level <= wanted) {
            return;
        }
        *level = Some(wanted);
        drop(level);
        let params = object(|object| {
            object.raw("level", &serde_json::to_string(&wanted).unwrap_or_default());
        });
        // On the same pipe, the level is set before the call that follows.
        self.connection.request_detached(Method::SetLevel, &params);
    }

    pub(crate) fn options(&self) -> &ClientOptions {
        &self.connection.options
    }

    pub(crate) fn peer(&self) -> &Arc<Peer> {
        &self.connection.peer
    }

    fn revision(&self) -> Revision {
        self.connection.revision()
    }
}

/// A call on its way to the server.
struct ForwardedCall<'a> {
    remote: &'a Remote,
    call: &'a Call,
    options: &'a ForwardOptions<'a>,
    notes: &'a Notes,
}

impl ForwardedCall<'_> {
    fn send(&self, handed_back: &Answers, turn: Turn) -> Result<Exchange, RequestError> {
        let Self { remote, call, options: forward, notes } = *self;
        let revision = remote.revision();
        let again;
        let call = if handed_back.is_empty() {
            call
        } else {
            again = Call { answers: handed_back.clone(), mirrored: None, ..call.clone() };
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
        let sender = forward::SenderIdentity {
            implementation: &remote.implementation,
            capabilities: &remote.capabilities,
        };
        let request = NewRequest {
            method: call.method,
            text: Box::new(|id| forward::write(id, call, forward, notes, revision, &sender)),
            revision: None,
            name,
            mirrored: forward.mirrored.clone(),
            notes: Some(notes.clone()),
            questions,
            caller: Some(call.caller.clone()),
            acknowledged: None,
            turn: Some(turn),
        };
        Exchange::begin(remote.peer(), request)
    }

    async fn finish(&self, exchange: Exchange) -> Result<Forwarded, RequestError> {
        let connection = &self.remote.connection;
        let (token, timeouts) = (exchange.number(), &connection.options.timeouts);
        Ok(match connection.finish(exchange, self.call, self.options.mode, timeouts).await? {
            CallResult::Outcome(outcome) => Forwarded::Outcome(outcome),
            CallResult::Task { id, poll_ms } => {
                Forwarded::Task(RemoteTask::new(Arc::clone(connection), id, token, poll_ms))
            }
        })
    }

    /// Waits for the caller's turn if its client has more calls in flight than its share.
    async fn turn(&self) -> Result<Turn, RequestError> {
        let (remote, who) = (self.remote, self.call.caller.share());
        if let Some(turn) = remote.queue.try_take(who) {
            return Ok(turn);
        }
        let max = remote.options().in_flight;
        let busy = |more: &str| {
            RequestError::Busy(format!("at most {max} requests are in flight at once{more}").into())
        };
        let limit = remote.options().timeouts.call;
        tokio::select! {
            biased;
            turn = remote.queue.take(who) => turn.map_err(|_| busy(", and as many as may are waiting")),
            () = remote.peer().closed().cancelled() => {
                let why = remote.peer().ended_because().unwrap_or_else(|| "it has ended".into());
                Err(RequestError::Unsent(why))
            }
            () = tokio::time::sleep(limit) => Err(busy(&format!(", and none ended within {limit:?}"))),
        }
    }

    /// A caller that was asked to visit pages has only agreed to do so; the server reports when the
    /// visits are over. Not every server does, so the call is made again after a while in any case.
    async fn wait_for_pages(&self) -> Result<(), RequestError> {
        let Some(ids) = required_pages::awaited(&self.call.answers)? else { return Ok(()) };
        let (peer, options) = (self.remote.peer(), self.remote.options());
        tokio::select! {
            () = peer.pages.wait_for_all(&ids) => {}
            () = peer.closed().cancelled() => {}
            () = tokio::time::sleep(options.timeouts.question.min(MAX_VISIT)) => {}
        }
        Ok(())
    }
}

/// The whole server as a service, for a program that changes no calls on the way. It waits for
/// tasks on the server.
#[derive(Debug, Clone)]
pub struct RemoteService(pub Arc<Remote>);

impl Service for RemoteService {
    fn call<'a>(&'a self, call: Call, notes: Notes) -> BoxFuture<'a, Result<Outcome, CallError>> {
        Box::pin(async move {
            let forwarded = self.0.forward(&call, &ForwardOptions::default(), &notes).await;
            match forwarded.map_err(|error| Remote::call_error(&call, error))? {
                Forwarded::Outcome(outcome) => Ok(outcome),
                Forwarded::Task(task) => match task.run(&call, &Answers::default(), &notes).await {
                    // The next round could not find this task again, and would start another one.
                    Ok(Outcome::NeedsInput(_)) => {
                        task.cancel();
                        let message = "the call became a task that asks a question, and questions \
                                       of tasks cannot be answered here";
                        Err(CallError::Other(RpcError::invalid_request(message)))
                    }
                    done => done,
                },
            }
        })
    }

    fn offer(&self) -> Offer {
        Offer {
            capabilities: self.0.hello().capabilities.clone(),
            instructions: self.0.hello().instructions.clone(),
        }
    }
}
