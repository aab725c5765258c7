//! Questions of a callee put to a legacy client: requests of ours, on the stream of its call.

use crate::legacy::LegacyCall;
use crate::session::Session;
use crate::wire::related_task;
use futures_util::future::try_join_all;
use mcp_engine::{CallError, Questions, legacy_question};
use mcp_transport::{Merge, Outbox};
use mcp_types::json::{entries, object};
use mcp_types::{Method, RequestId, RpcError, encode};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// Asks everything at once and waits for all answers. `related` is the task that asks.
pub(crate) async fn ask(
    call: &LegacyCall,
    questions: &Questions,
    related: Option<&str>,
) -> Result<BTreeMap<Box<str>, Box<RawValue>>, CallError> {
    questions.check(call.caller())?;
    let session = call.session();
    let outbox = call.reply().outbox();
    let mut waiting = Vec::new();
    for (key, request) in questions.requests.0.iter() {
        let elicitation = session.server().token().map_err(CallError::internal)?;
        let (method, params) = legacy_question(request, call.caller().revision, &elicitation)?;
        let params = related.map_or(params.clone(), |task| with_related(&params, task));
        let asked = Asked::send(session, outbox, method, &params);
        waiting.push(async move {
            let answer = asked.answer(key).await?;
            Ok::<_, CallError>((Box::<str>::from(key), answer))
        });
    }
    let limit = session.server().limits().ask_timeout;
    match tokio::time::timeout(limit, try_join_all(waiting)).await {
        Ok(answers) => Ok(answers?.into_iter().collect()),
        Err(_) => {
            let message = format!("the client gave no answer within {} s", limit.as_secs());
            Err(CallError::Late(message.into()))
        }
    }
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
    /// Hands an answer to whoever waits for it.
    pub(crate) fn answered(&self, id: &RequestId, answer: Answer) {
        let waiting = self.lock().waiting.remove(id);
        match waiting {
            Some(sender) => drop(sender.send(answer)),
            None => tracing::debug!(%id, "an answer to nothing we asked"),
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

    async fn answer(mut self, key: &str) -> Result<Box<RawValue>, CallError> {
        let Some(receiver) = &mut self.answer else { return Err(CallError::Internal) };
        let answer = receiver.await;
        self.answer = None;
        match answer {
            Ok(Ok(result)) => {
                RawValue::from_string(result.into_string()).map_err(CallError::internal)
            }
            Ok(Err(error)) => {
                let message = format!("the client did not answer `{key}`: {}", error.message);
                Err(CallError::Other(RpcError::new(error.code, message)))
            }
            Err(_) => Err(CallError::Other(RpcError::invalid_request("the client is gone"))),
        }
    }
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
