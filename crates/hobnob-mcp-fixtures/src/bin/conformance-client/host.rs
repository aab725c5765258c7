//! A host that agrees to everything: it returns forms with their default values.

use hobnob_mcp_client::Host;
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_types::capabilities::{
    ClientCapabilities, ElicitationCapability, RootsCapability, SamplingCapability,
};
use hobnob_mcp_types::elicitation::{ElicitAction, ElicitParams};
use hobnob_mcp_types::form::{FormSchema, PrimitiveSchema};
use hobnob_mcp_types::input::InputRequest;
use hobnob_mcp_types::{ErrorCode, RpcError};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

/// Accepts every request of a server.
pub(crate) struct AgreeableHost;

impl Host for AgreeableHost {
    fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities {
            roots: Some(RootsCapability::default()),
            sampling: Some(SamplingCapability::default()),
            elicitation: Some(ElicitationCapability::default()),
            ..ClientCapabilities::default()
        }
    }

    fn answer<'a>(
        &'a self,
        question: &'a InputRequest,
    ) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>> {
        Box::pin(std::future::ready(answer(question)))
    }
}

fn answer(question: &InputRequest) -> Result<Box<RawValue>, RpcError> {
    let answer = match question {
        InputRequest::Elicit(params) => match &**params {
            ElicitParams::Form(form) => {
                json!({ "action": ElicitAction::Accept, "content": filled(&form.requested_schema) })
            }
            _ => json!({ "action": ElicitAction::Accept }),
        },
        InputRequest::CreateMessage(_) => json!({
            "role": "assistant",
            "content": { "type": "text", "text": "Certainly." },
            "model": "none",
            "stopReason": "endTurn",
        }),
        InputRequest::ListRoots(_) => json!({ "roots": [] }),
        InputRequest::Unknown(_) => {
            return Err(RpcError::new(ErrorCode::METHOD_NOT_FOUND, "that is not known here"));
        }
    };
    to_raw_value(&answer)
        .map_err(|_| RpcError::new(ErrorCode::INTERNAL, "the answer cannot be written"))
}

/// The defaults; a required field without a default gets a value of its type.
fn filled(form: &FormSchema) -> Map<String, Value> {
    let mut content = Map::new();
    for (name, field) in form.properties.iter() {
        let (default, otherwise) = match field {
            PrimitiveSchema::String(field) => (json!(field.default), json!("text")),
            PrimitiveSchema::Number(field) => (json!(field.default.map(number)), json!(1)),
            PrimitiveSchema::Boolean(field) => (json!(field.default), json!(true)),
            PrimitiveSchema::UntitledSingleSelect(field) => {
                (json!(field.default), json!(field.values.first()))
            }
            _ => continue,
        };
        let required = form.required.iter().any(|needed| needed == name);
        match (default, required) {
            (Value::Null, false) => {}
            (Value::Null, true) => drop(content.insert(name.to_owned(), otherwise)),
            (default, _) => drop(content.insert(name.to_owned(), default)),
        }
    }
    content
}

/// A number that prints without a fraction if it is whole, as integer fields require.
fn number(value: f64) -> Value {
    let whole = value as i64;
    if whole as f64 == value { json!(whole) } else { json!(value) }
}
