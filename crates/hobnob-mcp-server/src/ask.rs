//! Puts a callee's questions to a legacy client, as requests on the stream of its call.
//!
//! A legacy call and `tasks/result` use it. Dropping the future cancels the questions it has sent.

use crate::open_questions::ClientAnswer;
use crate::roots::RootsRequest;
use crate::session_state::SessionState;
use crate::traffic;
use crate::wire::related_task;
use futures_util::future::{join_all, try_join_all};
use hobnob_mcp_engine::{
    CallError, Caller, Questions, Refusable, RoundAnswers, check_answer, legacy_question,
    random_token, refusal_answer,
};
use hobnob_mcp_transport::{Merge, Outbox};
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::json::{entries, object};
use hobnob_mcp_types::{ErrorCode, Method, RequestId, RpcError, encode};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// How long a client may take to list its roots; no person has to answer that.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(30);

/// Asks one client, on behalf of one call.
pub(crate) struct Asker<'a> {
    pub(crate) session: &'a Arc<SessionState>,
    pub(crate) caller: &'a Caller,
    pub(crate) outbox: &'a Arc<Outbox>,
    /// The id of the task that asks, if it is not the call itself.
    pub(crate) task: Option<&'a str>,
}

impl Asker<'_> {
    /// Sends all questions at once and waits for all answers.
    pub(crate) async fn ask(&self, questions: &Questions) -> Result<RoundAnswers, CallError> {
        match questions.refusable {
            Refusable::No => self.ask_for_all(questions).await,
            Refusable::Yes => self.ask_for_each(questions).await,
        }
    }

    /// The first question without an answer ends the round and cancels the other questions.
    async fn ask_for_all(&self, questions: &Questions) -> Result<RoundAnswers, CallError> {
        questions.check(self.caller)?;
        let mut waiting = Vec::new();
        for (key, request) in questions.requests.0.iter() {
            let asked = self.put(request)?;
            waiting.push(async move {
                let answer = self.answer(asked, key).await.map_err(|why| match why {
                    NoAnswer::Gone => CallError::Other(gone()),
                    NoAnswer::Late(limit) => CallError::Late(late(limit).into()),
                    NoAnswer::Refused(error) => {
                        let message =
                            format!("the client did not answer `{key}`: {}", error.message);
                        CallError::Other(RpcError::new(error.code, message))
                    }
                });
                Ok::<_, CallError>((Box::<str>::from(key), answer?))
            });
        }
        Ok(try_join_all(waiting).await?.into_iter().collect())
    }

    /// Every question ends by itself: with an answer, or with the reason why there is none.
    async fn ask_for_each(&self, questions: &Questions) -> Result<RoundAnswers, CallError> {
        let mut round = questions.refusals(self.caller);
        let mut waiting = Vec::new();
        for (key, request) in questions.requests.0.iter() {
            if round.contains_key(key) {
                continue;
            }
            let asked = self.put(request)?;
            waiting.push(async move {
                let answer = self.answer(asked, key).await.unwrap_or_else(|why| match why {
                    NoAnswer::Gone => refusal_answer(&gone()),
                    NoAnswer::Late(limit) => {
                        refusal_answer(&RpcError::new(ErrorCode::TIMEOUT, late(limit)))
                    }
                    NoAnswer::Refused(error) => refusal_answer(&error),
                });
                (Box::<str>::from(key), answer)
            });
        }
        round.extend(join_all(waiting).await);
        Ok(round)
    }

    /// Sends one question to the client, unless its answer is known already.
    fn put(&self, request: &InputRequest) -> Result<Put, CallError> {
        let roots = self.session.roots();
        let is_roots = matches!(request, InputRequest::ListRoots(_));
        if is_roots && let Some(known) = roots.get() {
            return Ok(Put::Known(known));
        }
        let elicitation = random_token().map_err(CallError::internal)?;
        let (method, params) = legacy_question(request, self.caller.revision, &elicitation)?;
        let params = match self.task {
            Some(task) => with_related(&params, task),
            None => params,
        };
        let asking = is_roots.then(|| roots.requested());
        let asked = SentQuestion::send(self.session, self.outbox, method, &params);
        Ok(Put::Asked(asked, asking))
    }

    async fn answer(&self, put: Put, key: &str) -> Result<Box<RawValue>, NoAnswer> {
        let (asked, asking) = match put {
            Put::Known(answer) => return Ok(answer),
            Put::Asked(asked, asking) => (asked, asking),
        };
        let limit = self.session.server().limits().ask_timeout;
        let limit = if asking.is_some() { limit.min(ROOTS_TIMEOUT) } else { limit };
        let answer = tokio::time::timeout(limit, asked.answer(key)).await;
        let answer = answer.map_err(|_| NoAnswer::Late(limit))??;
        if let Some(asking) = asking {
            self.session.roots().answered(asking, &answer, &self.caller.capabilities);
        }
        Ok(answer)
    }
}

/// A question that was sent or need not be.
enum Put {
    /// The client has listed its roots before.
    Known(Box<RawValue>),
    /// The client was asked; the second part is present if it was asked for its roots.
    Asked(SentQuestion, Option<RootsRequest>),
}

fn late(limit: Duration) -> String {
    format!("the client gave no answer within {} s", limit.as_secs())
}

fn gone() -> RpcError {
    RpcError::invalid_request("the client is gone")
}

/// A question under way. Dropping it unanswered cancels it.
struct SentQuestion {
    session: Arc<SessionState>,
    outbox: Arc<Outbox>,
    id: RequestId,
    answer: Option<oneshot::Receiver<ClientAnswer>>,
}

impl SentQuestion {
    fn send(
        session: &Arc<SessionState>,
        outbox: &Arc<Outbox>,
        method: Method,
        params: &str,
    ) -> Self {
        let (id, receiver) = session.questions().open();
        traffic::ask(outbox, encode::request(&id, method, params));
        let (session, outbox) = (Arc::clone(session), Arc::clone(outbox));
        Self { session, outbox, id, answer: Some(receiver) }
    }

    async fn answer(mut self, key: &str) -> Result<Box<RawValue>, NoAnswer> {
        let Some(receiver) = &mut self.answer else { return Err(NoAnswer::Gone) };
        let answer = receiver.await;
        self.answer = None;
        let text = answer.map_err(|_| NoAnswer::Gone)?.map_err(NoAnswer::Refused)?;
        let unreadable = |_| NoAnswer::Refused(RpcError::internal());
        let answer = RawValue::from_string(text.into_string()).map_err(unreadable)?;
        check_answer(key, &answer).map_err(NoAnswer::Refused)?;
        Ok(answer)
    }
}

/// Why a question has no answer.
enum NoAnswer {
    /// The client refused, or sent an invalid answer.
    Refused(RpcError),
    /// The client is gone.
    Gone,
    /// The client did not answer within this time.
    Late(Duration),
}

impl Drop for SentQuestion {
    fn drop(&mut self) {
        if self.answer.is_some() && self.session.questions().forget(&self.id) {
            let params = object(|object| self.id.write(object.key("requestId")));
            traffic::note(
                &self.outbox,
                encode::notification(Method::Cancelled, &params),
                Merge::Never,
            );
        }
    }
}

/// Adds the task that the parameters belong to, in `_meta`.
fn with_related(params: &str, task: &str) -> String {
    object(|object| {
        for (key, value) in entries(params) {
            if key != "_meta" {
                object.raw(&key, value);
            }
        }
        object.raw("_meta", &related_task(task));
    })
}
