//! Questions of a callee put to a legacy client: requests of ours, on the stream of its call.

use crate::legacy::LegacyCall;
use crate::roots::Asking;
use crate::session::Session;
use crate::wire::related_task;
use futures_util::future::{join_all, try_join_all};
use hobnob_mcp_engine::{
    CallError, Questions, Refusable, RoundAnswers, check_answer, legacy_question, random_token,
    refusal_answer,
};
use hobnob_mcp_transport::{Merge, Outbox};
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::json::{entries, object};
use hobnob_mcp_types::{ErrorCode, Method, RequestId, RpcError, encode};
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// How long a client may take to tell its roots.
const FOR_ROOTS: Duration = Duration::from_secs(30);

/// Asks everything at once and waits for all answers. `related` is the task that asks.
pub(crate) async fn ask(
    call: &LegacyCall,
    questions: &Questions,
    related: Option<&str>,
) -> Result<RoundAnswers, CallError> {
    match questions.refusable {
        Refusable::No => ask_for_all(call, questions, related).await,
        Refusable::Yes => ask_for_each(call, questions, related).await,
    }
}

/// One question without an answer ends the round, and the others are taken back.
async fn ask_for_all(
    call: &LegacyCall,
    questions: &Questions,
    related: Option<&str>,
) -> Result<RoundAnswers, CallError> {
    questions.check(call.caller())?;
    let mut waiting = Vec::new();
    for (key, request) in questions.requests.0.iter() {
        let asked = put(call, request, related)?;
        waiting.push(async move {
            let answer = asked.answer(call, key).await.map_err(|why| match why {
                NoAnswer::Gone => CallError::Other(gone()),
                NoAnswer::Late(limit) => CallError::Late(late(limit).into()),
                NoAnswer::Refused(error) => {
                    let message = format!("the client did not answer `{key}`: {}", error.message);
                    CallError::Other(RpcError::new(error.code, message))
                }
            });
            Ok::<_, CallError>((Box::<str>::from(key), answer?))
        });
    }
    Ok(try_join_all(waiting).await?.into_iter().collect())
}

/// Every question has its own end: an answer, or why there is none.
async fn ask_for_each(
    call: &LegacyCall,
    questions: &Questions,
    related: Option<&str>,
) -> Result<RoundAnswers, CallError> {
    let mut round = questions.refusals(call.caller());
    let mut waiting = Vec::new();
    for (key, request) in questions.requests.0.iter() {
        if round.contains_key(key) {
            continue;
        }
        let asked = put(call, request, related)?;
        waiting.push(async move {
            let answer = asked.answer(call, key).await.unwrap_or_else(|why| match why {
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

/// Puts one question to the client, unless its answer is known.
fn put(call: &LegacyCall, request: &InputRequest, related: Option<&str>) -> Result<Put, CallError> {
    let session = call.session();
    let is_roots = matches!(request, InputRequest::ListRoots(_));
    if is_roots && let Some(known) = session.roots().get() {
        return Ok(Put::Known(known));
    }
    let elicitation = random_token().map_err(CallError::internal)?;
    let (method, params) = legacy_question(request, call.caller().revision, &elicitation)?;
    let params = match related {
        Some(task) => with_related(&params, task),
        None => params,
    };
    let asking = is_roots.then(|| session.roots().asking());
    let asked = Asked::send(session, call.reply().outbox(), method, &params);
    Ok(Put::Asked(asked, asking))
}

/// A question that was put.
enum Put {
    /// The client has said it before.
    Known(Box<RawValue>),
    /// The client was asked; for its roots, if that is what it was asked for.
    Asked(Asked, Option<Asking>),
}

impl Put {
    async fn answer(self, call: &LegacyCall, key: &str) -> Result<Box<RawValue>, NoAnswer> {
        let (asked, asking) = match self {
            Self::Known(answer) => return Ok(answer),
            Self::Asked(asked, asking) => (asked, asking),
        };
        let limit = call.session().server().limits().ask_timeout;
        // For its roots a client has to ask nobody.
        let limit = if asking.is_some() { limit.min(FOR_ROOTS) } else { limit };
        let answer = tokio::time::timeout(limit, asked.answer(key)).await;
        let answer = answer.map_err(|_| NoAnswer::Late(limit))??;
        if let Some(asking) = asking {
            call.session().roots().told(asking, &answer, &call.caller().capabilities);
        }
        Ok(answer)
    }
}

fn late(limit: Duration) -> String {
    format!("the client gave no answer within {} s", limit.as_secs())
}

fn gone() -> RpcError {
    RpcError::invalid_request("the client is gone")
}

type Answer = Result<Box<str>, RpcError>;

/// The questions a peer has not answered yet.
#[derive(Debug, Default)]
pub(crate) struct OpenQuestions(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    last: i64,
    waiting: HashMap<RequestId, oneshot::Sender<Answer>>,
}

impl OpenQuestions {
    /// Hands an answer to whoever waits for it. Whether somebody did.
    pub(crate) fn answered(&self, id: &RequestId, answer: Answer) -> bool {
        let waiting = self.lock().waiting.remove(id);
        match waiting {
            Some(sender) => {
                drop(sender.send(answer));
                true
            }
            None => {
                tracing::debug!(%id, "an answer to nothing we asked");
                false
            }
        }
    }

    /// No more answers will come.
    pub(crate) fn close(&self) {
        self.lock().waiting.clear();
    }

    /// An id of ours, and where its answer will arrive.
    fn open(&self) -> (RequestId, oneshot::Receiver<Answer>) {
        let (sender, receiver) = oneshot::channel();
        let mut open = self.lock();
        open.last += 1;
        let id = RequestId::from(open.last);
        open.waiting.insert(id.clone(), sender);
        (id, receiver)
    }

    /// Nobody waits for this answer any more. Whether somebody did.
    fn forget(&self, id: &RequestId) -> bool {
        self.lock().waiting.remove(id).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question on its way. Dropped unanswered, it is taken back.
struct Asked {
    session: Arc<Session>,
    outbox: Arc<Outbox>,
    id: RequestId,
    answer: Option<oneshot::Receiver<Answer>>,
}

impl Asked {
    fn send(session: &Arc<Session>, outbox: &Arc<Outbox>, method: Method, params: &str) -> Self {
        let (id, receiver) = session.questions().open();
        outbox.ask(encode::request(&id, method, params));
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
    /// The client says so, or says something it may not say.
    Refused(RpcError),
    /// The client says nothing any more.
    Gone,
    /// The client has said nothing for so long.
    Late(Duration),
}

impl Drop for Asked {
    fn drop(&mut self) {
        if self.answer.is_some() && self.session.questions().forget(&self.id) {
            let params = object(|object| self.id.write(object.key("requestId")));
            self.outbox.note(encode::notification(Method::Cancelled, &params), Merge::Never);
        }
    }
}

/// The parameters with the task they belong to in `_meta`.
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
