//! Who answers questions during one call: the chat itself where the person has answered before, else
//! the person; and the model of the chat, where a server asks for one.
//!
//! Of forms, only the hub's own question whether a tool may run is answered here; what servers ask is
//! not.

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
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The answer to the hub's question, if it asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agreement {
    /// Whatever the person answers.
    Person,
    /// Yes, for this call alone.
    Given,
}

/// The call that servers ask something for.
pub(super) struct HostedCall {
    pub(super) call: EffectiveCall,
    /// Who watches the turn.
    pub(super) view: Arc<dyn AgentView>,
    /// Why the model was not lent, for the chat's model: servers rarely pass that on.
    pub(super) not_lent: Arc<OnceLock<String>>,
    /// How long the person has taken to answer.
    pub(super) asked: Arc<Mutex<Duration>>,
}

/// The host of one call.
pub(super) struct CallHost {
    pub(super) terminal: Arc<Terminal>,
    pub(super) sampling: Arc<Sampling>,
    pub(super) agreement: Agreement,
    pub(super) hosted: HostedCall,
}

impl CallHost {
    /// The question, with the sub-agent whose call it is about.
    fn named<'a>(&self, question: &'a InputRequest) -> Cow<'a, InputRequest> {
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
        let HostedCall { call, view, not_lent, asked: _ } = &self.hosted;
        let origin = CallOrigin::of(origin, call);
        let answer = self.sampling.answer(&origin, call.tool(), params, view).await;
        answer.inspect_err(|error| drop(not_lent.set(error.message.to_string())))
    }
}

impl Host for CallHost {
    fn capabilities(&self) -> ClientCapabilities {
        let mut able = match self.agreement {
            Agreement::Person => self.terminal.capabilities(),
            Agreement::Given => Terminal::capabilities_with_forms(&self.terminal),
        };
        able.sampling = self.sampling.is_offered().then(SamplingCapability::default);
        able
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
            let begun = Instant::now();
            let answer = match question {
                InputRequest::CreateMessage(params) => {
                    self.lend_model(&QuestionOrigin::of(question), params).await
                }
                question => self.terminal.answer(&self.named(question)).await,
            };
            let mut asked = self.hosted.asked.lock().unwrap_or_else(PoisonError::into_inner);
            *asked += begun.elapsed();
            answer
        })
    }
}
