//! The client host of one tool call: it answers what the hub and servers ask while the call runs.
//!
//! `hub_tools` makes one for each call. Sampling requests go to the chat's model, all others to the
//! person. What must stay true: in the person's place, the chat answers only the hub's own question
//! whether a tool may run, never a form of a server.

use super::call_origin::CallOrigin;
use super::sampling::Sampling;
use hobnob_agent::{AgentView, EffectiveCall};
use hobnob_mcp_client::Host;
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_types::RpcError;
use hobnob_mcp_types::capabilities::{ClientCapabilities, SamplingCapability};
use hobnob_mcp_types::elicitation::ElicitParams;
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::sampling::CreateMessageParams;
use hobnob_terminal::render::one_line;
use hobnob_terminal::terminal::{QuestionOrigin, Terminal};
use parking_lot::Mutex;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Who answers the hub's question whether this tool may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agreement {
    /// The person at the terminal.
    Person,
    /// The chat: yes, for this call alone.
    Given,
}

/// The call during which servers ask.
pub(super) struct HostedCall {
    pub(super) call: EffectiveCall,
    /// The view of the turn; it knows which sub-agent makes the call.
    pub(super) view: Arc<dyn AgentView>,
    /// Why sampling failed. The chat's model reads it here, because servers rarely pass it on.
    pub(super) not_lent: Arc<OnceLock<String>>,
    /// Time spent on answers, by the person or by the lent model; it is not the tool's time.
    pub(super) answer_time: Arc<Mutex<Duration>>,
}

/// The host of one call.
pub(super) struct CallHost {
    pub(super) terminal: Arc<Terminal>,
    pub(super) sampling: Arc<Sampling>,
    pub(super) agreement: Agreement,
    pub(super) hosted: HostedCall,
}

impl CallHost {
    /// Adds the name of the sub-agent that makes the call to a form's message.
    fn with_agent_name<'a>(&self, question: &'a InputRequest) -> Cow<'a, InputRequest> {
        let (Some(agent), InputRequest::Elicit(params)) = (self.hosted.view.agent(), question)
        else {
            return Cow::Borrowed(question);
        };
        let mut params = params.clone();
        match &mut *params {
            ElicitParams::Form(form) => {
                form.message = format!("Sub-agent `{}`: {}", one_line(agent), form.message);
            }
            ElicitParams::Url(_) | ElicitParams::Unknown(_) => {}
        }
        Cow::Owned(InputRequest::Elicit(params))
    }

    async fn lend_model(
        &self,
        origin: &QuestionOrigin,
        params: &CreateMessageParams,
    ) -> Result<Box<RawValue>, RpcError> {
        let HostedCall { call, view, not_lent, answer_time: _ } = &self.hosted;
        let origin = CallOrigin::of(origin, call);
        let answer = self.sampling.answer(&origin, call.tool(), params, view).await;
        answer.inspect_err(|error| drop(not_lent.set(error.message.to_string())))
    }
}

impl Host for CallHost {
    fn capabilities(&self) -> ClientCapabilities {
        let mut capabilities = match self.agreement {
            Agreement::Person => self.terminal.capabilities(),
            Agreement::Given => Terminal::capabilities_with_forms(&self.terminal),
        };
        capabilities.sampling = self.sampling.is_offered().then(SamplingCapability::default);
        capabilities
    }

    fn answer<'a>(
        &'a self,
        question: &'a InputRequest,
    ) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>> {
        if self.agreement == Agreement::Given
            && let Some(agreed) = Terminal::agreed(question)
        {
            return Box::pin(async move { agreed });
        }
        Box::pin(async move {
            let started = Instant::now();
            let answer = match question {
                InputRequest::CreateMessage(params) => {
                    self.lend_model(&QuestionOrigin::of(question), params).await
                }
                question => self.terminal.answer(&self.with_agent_name(question)).await,
            };
            let mut answer_time = self.hosted.answer_time.lock();
            *answer_time += started.elapsed();
            answer
        })
    }
}
