//! The envelope: a message that we encode decodes to the same id, method and body.

use super::{any_object, any_text, config, object_with};
use hobnob_mcp_types::{
    ErrorCode, Incoming, Message, Method, MethodName, Params, RequestId, RpcError, encode,
};
use proptest::prelude::*;
use serde_json::Value;

/// Numbers, texts, and integers too large for an `i64`.
fn any_id() -> impl Strategy<Value = RequestId> {
    let digits = "-?[1-9][0-9]{19,40}";
    let digits = digits.prop_filter_map("digits are an id", |text| RequestId::from_json(&text));
    let text = any_text().prop_map(|text| RequestId::from(text.as_str()));
    prop_oneof![any::<i64>().prop_map(RequestId::from), text, digits]
}

fn any_method() -> impl Strategy<Value = Method> {
    prop::sample::select(Method::ALL)
}

fn params_text() -> impl Strategy<Value = String> {
    any_object().prop_map(|object| Value::Object(object).to_string())
}

fn decode(text: &str) -> Option<Message> {
    Message::decode(text.to_owned()).ok()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_request_is_read_as_it_was_written(
        id in any_id(), method in any_method(), params in params_text(),
    ) {
        let Some(Message::Request(read)) = decode(&encode::request(&id, method, &params)) else {
            panic!("not a request")
        };
        prop_assert_eq!(read.id, id);
        prop_assert_eq!(read.method, MethodName::Known(method));
        prop_assert_eq!(read.params.raw(), params);
    }

    #[test]
    fn a_notification_is_read_as_it_was_written(method in any_method(), params in params_text()) {
        let Some(Message::Notification(read)) = decode(&encode::notification(method, &params)) else {
            panic!("not a notification")
        };
        prop_assert_eq!(read.method, MethodName::Known(method));
        prop_assert_eq!(read.params.raw(), params);
    }

    #[test]
    fn an_answer_is_read_as_it_was_written(
        id in any_id(), result in params_text(), code in any::<i64>(), message in any_text(),
    ) {
        let written = encode::result(&id, |out| out.push_str(&result));
        let Some(Message::Response(read)) = decode(&written) else { panic!("not a response") };
        prop_assert_eq!(read.id.as_ref(), Some(&id));
        let outcome = read.outcome.ok();
        prop_assert_eq!(outcome.as_deref(), Some(result.as_str()));

        let error = RpcError::new(ErrorCode(code), message.clone());
        let Some(Message::Response(read)) = decode(&encode::error(Some(&id), &error)) else {
            panic!("not a response")
        };
        prop_assert_eq!(read.id, Some(id));
        let read = read.outcome.unwrap_err();
        prop_assert_eq!((read.code, read.message.as_ref()), (ErrorCode(code), message.as_str()));
    }

    #[test]
    fn a_batch_is_split_into_its_messages(
        ids in prop::collection::vec(any_id(), 1..12), limit in 1usize..12,
    ) {
        let messages = ids.iter().map(|id| encode::request(id, Method::Ping, "{}"));
        let text = format!("[{}]", messages.collect::<Vec<_>>().join(" ,\n"));
        let Ok(Incoming::Many(batch)) = Incoming::decode(text) else { panic!("not a batch") };
        match batch.split(limit) {
            Err(_) => prop_assert!(ids.len() > limit),
            Ok(found) => {
                prop_assert!(ids.len() <= limit);
                let found = found.into_iter().map(|message| match message {
                    Ok(Message::Request(request)) => request.id,
                    other => panic!("{other:?}"),
                });
                prop_assert_eq!(found.collect::<Vec<_>>(), ids);
            }
        }
    }

    /// Leaving out one member keeps all others unchanged and in order.
    #[test]
    fn members_that_are_not_left_out_stay(
        object in object_with("[a-z]{1,8}"), left_out in any::<prop::sample::Index>(),
    ) {
        prop_assume!(!object.is_empty());
        let params = Params::from_json(Value::Object(object.clone()).to_string()).unwrap();
        let key = object.keys().nth(left_out.index(object.len())).unwrap();
        let mut expected = object.clone();
        expected.shift_remove(key);
        prop_assert_eq!(params.without(&[key]), Value::Object(expected).to_string());
    }
}
