//! Checks the JSON-RPC decoder: every input decodes to a message, or to an error that can be sent,
//! and other readers read an accepted message in the same way.
#![expect(clippy::expect_used, reason = "what the decoder accepted must be readable again")]

use hobnob_mcp_engine::{
    ClientId, Dialogue, HandshakeRules, Principal, choose_era, modern_caller, progress_token,
};
use hobnob_mcp_types::{
    ErrorCode, Incoming, Message, MethodName, Params, RequestId, Response, Undecodable, encode,
};
use serde::de::IgnoredAny;
use serde_json::Value;

/// Batches with more messages than this are refused.
const MAX_MESSAGES: usize = 8;

/// Tests the input as the bytes of a line or of a body.
pub fn jsonrpc_decode(data: &[u8]) {
    let value: Option<Value> = serde_json::from_slice(data).ok();
    match Incoming::decode_bytes(data) {
        Ok(Incoming::One(message)) => accepted(&message, value.as_ref()),
        Ok(Incoming::Many(batch)) => match batch.split(MAX_MESSAGES) {
            Ok(messages) => {
                let values = value.as_ref().and_then(Value::as_array);
                assert!((1..=MAX_MESSAGES).contains(&messages.len()));
                assert!(values.is_none_or(|values| values.len() == messages.len()));
                for (at, message) in messages.iter().enumerate() {
                    match message {
                        Ok(message) => accepted(message, values.map(|values| &values[at])),
                        Err(refused) => sendable(refused),
                    }
                }
            }
            Err(refused) => sendable(&refused),
        },
        Err(refused) => sendable(&refused),
    }
}

/// The error can be sent as a response that we would read as the same error.
fn sendable(refused: &Undecodable) {
    let code = refused.error.code;
    assert!(code == ErrorCode::PARSE || code == ErrorCode::INVALID_REQUEST);
    let read = response(encode::error(refused.answer_id(), &refused.error));
    assert_eq!(read.id.as_ref(), refused.answer_id());
    if let Some(id) = &refused.id {
        answerable(id);
    }
    assert_eq!(read.outcome.map_err(|error| error.code), Err(code));
}

fn accepted(message: &Message, value: Option<&Value>) {
    let named = |method: &MethodName| {
        let theirs = value.and_then(|value| value.get("method"));
        assert!(theirs.is_none_or(|theirs| theirs == method.as_str()));
    };
    let identified = |id: Option<&RequestId>| {
        let ours = id.map_or(Value::Null, |id| serde_json::to_value(id).expect("an id is JSON"));
        let theirs = value.and_then(|value| value.get("id"));
        assert!(theirs.is_none_or(|theirs| *theirs == ours), "{ours}");
    };
    match message {
        Message::Request(request) => {
            named(&request.method);
            identified(Some(&request.id));
            answerable(&request.id);
            readable(&request.method, &request.params);
        }
        Message::Notification(notification) => {
            named(&notification.method);
            readable(&notification.method, &notification.params);
        }
        Message::Response(response) => {
            identified(response.id.as_ref());
            if let Ok(result) = &response.outcome {
                assert!(serde_json::from_str::<IgnoredAny>(result).is_ok(), "{result}");
            }
        }
    }
}

/// The id comes back in the answer with the same type and value.
fn answerable(id: &RequestId) {
    assert_eq!(RequestId::from_json(&id.to_json()).as_ref(), Some(id));
    let read = response(encode::result(id, |out| out.push_str("{}")));
    assert_eq!(read.id.as_ref(), Some(id));
    assert_eq!(read.outcome.ok().as_deref(), Some("{}"));
}

fn readable(method: &MethodName, params: &Params) {
    let raw = params.raw();
    assert!(serde_json::from_str::<IgnoredAny>(raw).is_ok(), "{raw}");
    let principal = Principal::anonymous();
    // None of these may panic on any parameters.
    drop((
        choose_era(method, params, None),
        modern_caller(params, None, ClientId::next(), &principal),
        progress_token(params),
        Dialogue::default().initialize(params, HandshakeRules::Strict),
        Dialogue::default().initialize(params, HandshakeRules::Lenient),
        Dialogue::default().initialize(params, HandshakeRules::KnownRevisions),
    ));
    if params.check().is_err() {
        return;
    }
    let again = Params::from_json(raw.to_owned()).expect("checked parameters are an object");
    assert_eq!(again.get("_meta"), params.get("_meta"));
    let before: Option<Value> = serde_json::from_str(raw).ok();
    assert_eq!(before, serde_json::from_str(&params.without(&[])).ok());
    if let Some(before) = &before {
        let name = params.string("name").ok();
        assert_eq!(before.get("name").and_then(Value::as_str), name.as_deref());
    }
}

fn response(text: String) -> Response {
    let Ok(Message::Response(response)) = Message::decode(text.clone()) else {
        unreachable!("what we send is a response: {text}")
    };
    response
}
