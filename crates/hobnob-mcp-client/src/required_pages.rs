//! Pages that the user must visit before a call can run (2025-11-25, URL elicitation as an error).
//!
//! `OpenConnection` turns such an error into questions for a caller that can be asked, and into
//! plain text for one that cannot. `Remote` waits for the visits when the call is made again.

use crate::error::RequestError;
use hobnob_mcp_engine::{Answer, Answers, Call, Outcome, Questions};
use hobnob_mcp_types::elicitation::{ElicitAction, ElicitParams, ElicitResult, ElicitUrlParams};
use hobnob_mcp_types::input::InputRequests;
use hobnob_mcp_types::tools::CallToolResult;
use hobnob_mcp_types::{Era, ErrorCode, Method, Revision, RpcError};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The prefix that distinguishes the state of a call that waits for pages from a server's own.
const STATE_PREFIX: &str = "pages:";

/// The outcome of a call that the server refuses. If pages must be visited first, a caller that
/// knows this error handles it, a caller that can be asked gets questions, others an explanation.
pub(crate) fn on_refusal(error: RpcError, call: &Call) -> Result<Outcome, RequestError> {
    let Some(pages) = RequiredPages::of(&error) else { return Err(RequestError::Rpc(error)) };
    let caller = &call.caller;
    match caller.revision.era() {
        _ if !caller.capabilities.can_visit_pages() => {}
        Era::Modern => return Ok(Outcome::NeedsInput(pages.into_questions())),
        Era::Legacy if caller.revision == Revision::V2025_11_25 => {
            return Err(RequestError::Rpc(error));
        }
        Era::Legacy => {}
    }
    pages.explain(call.method).map(Outcome::Complete)
}

/// The elicitation ids that a call waits for, if its state contains any. A caller that does not
/// visit the pages cannot go on.
pub(crate) fn awaited(answers: &Answers) -> Result<Option<Vec<Box<str>>>, RequestError> {
    let Some(ids) = answers.state().and_then(|state| state.strip_prefix(STATE_PREFIX)) else {
        return Ok(None);
    };
    let accepted = |answer: &RawValue| {
        serde_json::from_str::<ElicitResult>(answer.get())
            .is_ok_and(|answer| answer.action == ElicitAction::Accept)
    };
    let mut fresh = answers.fresh().peekable();
    // A host that refuses the question sends no answer at all.
    if fresh.peek().is_none() || !fresh.all(|(_, answer)| accepted(answer)) {
        let message =
            "the server requires a visit to a web page first, and the user did not agree to it";
        return Err(RequestError::Rpc(RpcError::invalid_request(message)));
    }
    Ok(Some(serde_json::from_str(ids).unwrap_or_default()))
}

/// The pages of one error; never empty.
struct RequiredPages(Vec<ElicitUrlParams>);

impl RequiredPages {
    fn of(error: &RpcError) -> Option<Self> {
        #[derive(Deserialize)]
        struct Needed {
            elicitations: Vec<ElicitUrlParams>,
        }
        if error.code != ErrorCode::URL_ELICITATION_REQUIRED {
            return None;
        }
        let needed: Needed = serde_json::from_str(error.data.as_deref()?.get()).ok()?;
        (!needed.elicitations.is_empty()).then_some(Self(needed.elicitations))
    }

    fn into_questions(self) -> Questions {
        let ids: Vec<Box<str>> = self
            .0
            .iter()
            .filter_map(|page| page.elicitation_id.as_deref())
            .map(Into::into)
            .collect();
        let state = format!("{STATE_PREFIX}{}", serde_json::to_string(&ids).unwrap_or_default());
        let mut requests = InputRequests::new();
        for (index, mut page) in self.0.into_iter().enumerate() {
            page.elicitation_id = None;
            requests = requests.elicit(format!("page-{index}"), ElicitParams::Url(page));
        }
        Questions { requests, state: Some(state), ..Questions::default() }
    }

    /// The pages in plain text. A tool's caller is a model, which sees results but no errors.
    fn explain(&self, method: Method) -> Result<Answer, RequestError> {
        let urls: Vec<_> = self.0.iter().map(|page| page.url.as_str()).collect();
        let message = format!(
            "the server requires a visit to a web page first: {}; open it in a browser, then call \
             again",
            urls.join(" ")
        );
        let error = |message| RequestError::Rpc(RpcError::invalid_request(message));
        match method {
            Method::ToolsCall => {
                Answer::new(&CallToolResult::error(&message)).map_err(|_| error(message))
            }
            _ => Err(error(message)),
        }
    }
}
