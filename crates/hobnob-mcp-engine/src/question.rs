//! What a callee may ask back, and how an older client is asked the same.
//!
//! Services make [`Questions`] and the edges send them to the client. No client is asked for
//! anything it did not declare.

use crate::answers::RoundAnswers;
use crate::caller::Caller;
use crate::fault::CallError;
use crate::held::Held;
use crate::refusal::{Refusable, refusal_answer};
use hobnob_mcp_types::capabilities::{
    CapabilitySettings, ClientCapabilities, ElicitationCapability, RootsCapability,
    SamplingCapability,
};
use hobnob_mcp_types::elicitation::{ElicitFormParams, ElicitParams};
use hobnob_mcp_types::form::PrimitiveSchema;
use hobnob_mcp_types::form_field::LegacyTitledEnumSchema;
use hobnob_mcp_types::input::{InputRequest, InputRequests};
use hobnob_mcp_types::json::{ObjectWriter, entries};
use hobnob_mcp_types::{Method, Revision};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// Questions to the caller, and the state that the callee wants back with the answers.
#[derive(Debug, Clone, Default)]
pub struct Questions {
    /// The questions, by key.
    pub requests: InputRequests,
    /// Comes back with the answers; sealed while it travels through the client.
    pub state: Option<String>,
    /// Whether the callee must be called again when a question stays unanswered.
    pub refusable: Refusable,
    /// What the callee keeps open meanwhile. The side that waits for answers owns it until the next
    /// call; a service that only passes the questions on [releases](Held::release) it.
    pub held: Option<Held>,
}

impl Questions {
    /// Fails with the capabilities that the caller would have to declare to be asked all of this.
    pub fn check(&self, caller: &Caller) -> Result<(), CallError> {
        for (_, request) in self.requests.0.iter() {
            if let Some(needed) = missing(request, caller) {
                return Err(CallError::Capability(Box::new(needed)));
            }
        }
        Ok(())
    }

    /// Refusals, by key, for the questions that this caller may not be asked.
    pub fn refusals(&self, caller: &Caller) -> RoundAnswers {
        let refused = self.requests.0.iter().filter_map(|(key, request)| {
            let needed = CallError::Capability(Box::new(missing(request, caller)?));
            Some((key.into(), refusal_answer(&needed.to_rpc(caller))))
        });
        refused.collect()
    }

    /// Waits until the callee withdraws its questions; few callees ever do.
    pub async fn withdrawn(&self) {
        match &self.held {
            Some(held) => held.withdrawn().await,
            None => std::future::pending().await,
        }
    }

    /// Waits for answers; `None` if the callee withdraws its questions first.
    pub async fn unless_withdrawn<T>(&self, answers: impl Future<Output = T>) -> Option<T> {
        let (mut withdrawn, mut answers) = (pin!(self.withdrawn()), pin!(answers));
        poll_fn(|cx| match withdrawn.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(None),
            Poll::Pending => answers.as_mut().poll(cx).map(Some),
        })
        .await
    }
}

/// Whether this caller can be asked this question.
pub fn can_answer(request: &InputRequest, caller: &Caller) -> bool {
    missing(request, caller).is_none()
}

/// The capabilities that the caller would have to declare before it can be asked this question.
fn missing(request: &InputRequest, caller: &Caller) -> Option<ClientCapabilities> {
    let has = &caller.capabilities;
    let mut needed = ClientCapabilities::default();
    match request {
        InputRequest::Elicit(params) => match &**params {
            ElicitParams::Url(_) => {
                if has.can_visit_pages() && caller.revision >= Revision::V2025_11_25 {
                    return None;
                }
                let url = Some(CapabilitySettings::default());
                needed.elicitation = Some(ElicitationCapability { form: None, url });
            }
            ElicitParams::Form(_) | ElicitParams::Unknown(_) => {
                if has.can_fill_forms() && caller.revision >= form_floor(params) {
                    return None;
                }
                needed.elicitation = Some(ElicitationCapability::default());
            }
        },
        InputRequest::CreateMessage(params) => {
            let with_tools = params.tools.is_some() || params.tool_choice.is_some();
            let knows_tools =
                has.can_sample_with_tools() && caller.revision >= Revision::V2025_11_25;
            if has.sampling.is_some() && (!with_tools || knows_tools) {
                return None;
            }
            let tools = with_tools.then(CapabilitySettings::default);
            needed.sampling = Some(SamplingCapability { context: None, tools });
        }
        InputRequest::ListRoots(_) => {
            if has.roots.is_some() {
                return None;
            }
            needed.roots = Some(RootsCapability::default());
        }
        InputRequest::Unknown(_) => {}
    }
    Some(needed)
}

/// The same question as a request to a legacy client: its method and parameters.
pub fn legacy_question(
    request: &InputRequest,
    revision: Revision,
    elicitation_id: &str,
) -> Result<(Method, String), CallError> {
    let text = |params: serde_json::Result<String>| params.map_err(CallError::internal);
    Ok(match request {
        InputRequest::Elicit(params) => {
            let adapted = match &**params {
                ElicitParams::Form(form) if revision < Revision::V2025_11_25 => {
                    ElicitParams::Form(legacy_form(form))
                }
                other => other.clone(),
            };
            let written = text(serde_json::to_string(&adapted))?;
            (Method::Elicit, legacy_elicitation(&written, params, revision, elicitation_id))
        }
        InputRequest::CreateMessage(params) => {
            (Method::CreateMessage, text(serde_json::to_string(params))?)
        }
        InputRequest::ListRoots(params) => {
            (Method::RootsList, text(serde_json::to_string(params))?)
        }
        InputRequest::Unknown(_) => return Err(CallError::Internal),
    })
}

/// The first revision whose clients can fill in such a form: multi-select fields came with
/// 2025-11-25, and no older field type could stand in for them.
fn form_floor(params: &ElicitParams) -> Revision {
    let is_multi_select = |field: &PrimitiveSchema| {
        matches!(
            field,
            PrimitiveSchema::UntitledMultiSelect(_) | PrimitiveSchema::TitledMultiSelect(_)
        )
    };
    match params {
        ElicitParams::Form(form)
            if form.requested_schema.properties.iter().any(|(_, field)| is_multi_select(field)) =>
        {
            Revision::V2025_11_25
        }
        _ => Revision::V2025_06_18,
    }
}

/// Converts a form for 2025-06-18, which wrote titled choices as two parallel lists.
fn legacy_form(form: &ElicitFormParams) -> ElicitFormParams {
    let mut form = form.clone();
    let fields = std::mem::take(&mut form.requested_schema.properties);
    let adapted = fields.into_iter().map(|(name, field)| match field {
        PrimitiveSchema::TitledSingleSelect(choice) => {
            let (values, enum_names) =
                choice.one_of.into_iter().map(|one| (one.value, one.title)).unzip();
            let field = LegacyTitledEnumSchema {
                title: choice.title,
                description: choice.description,
                values,
                enum_names,
                ..LegacyTitledEnumSchema::default()
            };
            (name, PrimitiveSchema::LegacyTitled(field))
        }
        other => (name, other),
    });
    form.requested_schema.properties = adapted.collect();
    form
}

/// Removes `mode` before 2025-11-25, where it is new, and gives legacy URL questions an id.
fn legacy_elicitation(
    written: &str,
    params: &ElicitParams,
    revision: Revision,
    elicitation_id: &str,
) -> String {
    let mut out = String::with_capacity(written.len() + 64);
    let mut object = ObjectWriter::new(&mut out);
    for (key, value) in entries(written) {
        if key != "elicitationId" && (key != "mode" || revision >= Revision::V2025_11_25) {
            object.raw(&key, value);
        }
    }
    if matches!(params, ElicitParams::Url(_)) {
        object.string("elicitationId", elicitation_id);
    }
    object.end();
    out
}
