//! A server after the handshake: sends requests of our own, and follows calls to their end.
//!
//! `Remote` makes calls with it and `RemoteTask` follows tasks; neither knows about the other. If a
//! legacy server asks a question during a call, the call is parked here until the answer comes.

use crate::error::RequestError;
use crate::exchange::{Exchange, ExchangeStep, MayAsk, NewRequest};
use crate::forward::{self, ExecutionMode};
use crate::greet::Hello;
use crate::options::{ClientOptions, Timeouts};
use crate::outcome::{self, CallResult};
use crate::park::{ParkLimits, ParkedCalls, Resumed};
use crate::peer::Peer;
use crate::peer::server_questions::ServerQuestion;
use crate::question_routing;
use crate::required_pages;
use hobnob_mcp_engine::{Answers, Call, Caller, Notes, Outcome, Questions};
use hobnob_mcp_types::json::{field, object};
use hobnob_mcp_types::{Era, Method, Revision, encode};
use std::sync::Arc;

/// A connected server, and the state that both sides know of each other.
#[derive(Debug)]
pub(crate) struct OpenConnection {
    pub(crate) peer: Arc<Peer>,
    pub(crate) hello: Hello,
    pub(crate) options: ClientOptions,
    /// Calls that wait for the answer to a question.
    pub(crate) parked: Arc<ParkedCalls>,
}

impl OpenConnection {
    pub(crate) fn new(peer: Arc<Peer>, hello: Hello, options: ClientOptions) -> Arc<Self> {
        Arc::new(Self { peer, hello, options, parked: Arc::default() })
    }

    pub(crate) fn revision(&self) -> Revision {
        self.hello.revision
    }

    /// Sends a request of our own and returns the result's text. `members` is a JSON object.
    pub(crate) async fn request(
        &self,
        method: Method,
        members: &str,
    ) -> Result<Box<str>, RequestError> {
        let exchange = self.begin(method, members, None)?;
        exchange.answer_within(self.options.timeouts.call).await.map(Into::into)
    }

    /// Sends a request of our own without waiting for its answer.
    pub(crate) fn request_detached(&self, method: Method, members: &str) {
        if let Ok(exchange) = self.begin(method, members, None) {
            let limit = self.options.timeouts.call;
            self.peer.spawn(async move { drop(exchange.answer_within(limit).await) });
        }
    }

    /// Sends a request of our own; the server may ask questions if it is on a caller's behalf.
    pub(crate) fn begin(
        &self,
        method: Method,
        members: &str,
        caller: Option<&Caller>,
    ) -> Result<Exchange, RequestError> {
        let params = self.own_params(members);
        let name = ["name", "uri", "taskId"]
            .into_iter()
            .find_map(|key| field(members, key))
            .filter(|_| self.revision().era() == Era::Modern)
            .and_then(|raw| serde_json::from_str::<Box<str>>(raw).ok());
        let request = NewRequest {
            name,
            questions: if caller.is_some() { MayAsk::Yes } else { MayAsk::No },
            caller: caller.cloned(),
            ..NewRequest::own(method, |id| encode::request(id, method, &params))
        };
        Exchange::begin(&self.peer, request)
    }

    /// The parameters, with the `_meta` that a modern server requires.
    fn own_params(&self, members: &str) -> String {
        object(|object| {
            object.members_of(members);
            if self.revision().era() == Era::Modern {
                let able = self.peer.host.capabilities();
                let meta = forward::modern_meta(self.revision(), &able, &self.options);
                object.raw("_meta", &meta);
            }
        })
    }

    /// Resumes the call that is parked for these answers, if there is one.
    pub(crate) fn resume(
        &self,
        answers: &Answers,
        notes: &Notes,
    ) -> Option<Result<Resumed, RequestError>> {
        self.parked.resume(answers, notes)
    }

    /// A question that came before this call and that its caller must answer first.
    pub(crate) fn earlier_question(&self, call: &Call) -> Result<Option<Questions>, RequestError> {
        // Only these calls may end with a question.
        if !matches!(call.method, Method::ToolsCall | Method::PromptsGet | Method::ResourcesRead) {
            return Ok(None);
        }
        let asked = question_routing::take_waiting(&self.peer, &call.caller);
        asked.map(|asked| self.park(None, asked, &self.options.timeouts)).transpose()
    }

    fn park(
        &self,
        exchange: Option<Exchange>,
        asked: ServerQuestion,
        timeouts: &Timeouts,
    ) -> Result<Questions, RequestError> {
        let limits = ParkLimits { max_calls: self.options.parked, max_time: timeouts.question };
        self.parked.park(exchange, asked, limits, &self.peer)
    }

    /// Waits until the call ends or the server asks a question.
    pub(crate) async fn finish(
        &self,
        mut exchange: Exchange,
        call: &Call,
        mode: ExecutionMode,
        timeouts: &Timeouts,
    ) -> Result<CallResult, RequestError> {
        match exchange.next(timeouts).await {
            ExchangeStep::Question(asked) => {
                let questions = self.park(Some(exchange), asked, timeouts)?;
                Ok(CallResult::Outcome(Outcome::NeedsInput(questions)))
            }
            ExchangeStep::Done(Err(RequestError::Rpc(error))) => {
                required_pages::on_refusal(error, call).map(CallResult::Outcome)
            }
            ExchangeStep::Done(result) => {
                outcome::read(call.method, self.revision(), mode, result?)
            }
        }
    }
}
