//! A round of questions whose call is dropped while the host is still thinking: the callee is sent the
//! answer "cancelled" for each question, so that it need not wait until they expire.
//!
//! `hosted_calls` makes one for each round. What must stay true: answers are sent only if the callee has a
//! state to continue from, and the caller does not wait for the outcome.

use crate::forward::ForwardOptions;
use crate::remote::Remote;
use hobnob_mcp_engine::{Answers, Call, Notes, Questions, RoundAnswers, refusal_answer};
use hobnob_mcp_types::RpcError;
use hobnob_mcp_types::input::InputRequest;
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long the callee may take to end its call before it is cancelled.
const TIME_TO_END: Duration = Duration::from_secs(1);
const CANCEL: &str = r#"{"action":"cancel"}"#;

/// Answers the round when it is dropped, unless it is over.
pub(crate) struct UnansweredRound {
    next: Option<(Arc<Remote>, Call)>,
}

impl UnansweredRound {
    pub(crate) fn new(
        remote: &Arc<Remote>,
        call: &Call,
        questions: &Questions,
        so_far: &Answers,
    ) -> Self {
        let next = questions.state.as_ref().map(|state| {
            let mut answers = so_far.clone();
            answers.end_round(Some(state.clone()));
            answers.add(no_answers(questions));
            (Arc::clone(remote), call.with_answers(answers))
        });
        Self { next }
    }

    /// The callee has its answers, or learns otherwise that there are none.
    pub(crate) fn end(mut self) {
        self.next = None;
    }
}

impl Drop for UnansweredRound {
    fn drop(&mut self) {
        let Some((remote, call)) = self.next.take() else { return };
        let peer = Arc::clone(remote.peer());
        peer.spawn(async move {
            let (options, notes) = (ForwardOptions::default(), Notes::silent());
            let _unused = timeout(TIME_TO_END, remote.forward(&call, &options, &notes)).await;
        });
    }
}

fn no_answers(questions: &Questions) -> RoundAnswers {
    let mut round = RoundAnswers::new();
    for (key, request) in questions.requests.0.iter() {
        let answer = match request {
            InputRequest::Elicit(_) => RawValue::from_string(CANCEL.to_owned()).ok(),
            _ => None,
        };
        let refusal = || refusal_answer(&RpcError::invalid_request("the call was given up"));
        round.insert(key.into(), answer.unwrap_or_else(refusal));
    }
    round
}
