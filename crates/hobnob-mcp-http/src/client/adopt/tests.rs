//! Texts as data: what is delivered for which request, and whether that answers it.

use super::*;

/// What is delivered, one word per message, and whether the request is answered.
fn check(text: &str, id: &RequestId, origin: Origin) -> (Vec<String>, bool) {
    let adopted = adopt(text.as_bytes(), id, origin);
    let words = adopted.messages.into_iter().map(|message| match message {
        Ok(Incoming::One(Message::Response(response))) => match response.id {
            Some(id) => format!("answer {id}"),
            None => "answer".into(),
        },
        Ok(Incoming::One(Message::Request(request))) => format!("request {}", request.id),
        Ok(Incoming::One(Message::Notification(_))) => "note".into(),
        Ok(Incoming::Many(_)) => "batch".into(),
        Err(refused) => format!("refused {:?}", refused.id),
    });
    (words.collect(), adopted.answered)
}

#[test]
fn answers_find_their_request() {
    use Origin::{Body, Event, Refusal};
    let seven = RequestId::from(7);
    let text = RequestId::from("a\"b");
    let result = r#"{"jsonrpc":"2.0","id":ID,"result":{}}"#;
    let error = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-1,"message":"x"}}"#;
    let with = |shape: &str, id: &str| shape.replace("ID", id);
    let without = |shape: &str| shape.replace("\"id\":ID,", "");
    let cases: Vec<(String, &RequestId, Origin, &str, bool)> = vec![
        (with(result, "7"), &seven, Body, "answer 7", true),
        (with(result, "7"), &seven, Event, "answer 7", true),
        (with(result, "\"7\""), &seven, Body, "answer 7", true),
        (with(result, "\"07\""), &seven, Body, "answer \"07\"", false),
        (with(result, "8"), &seven, Body, "answer 8", false),
        (with(result, "8"), &seven, Event, "answer 8", false),
        (with(result, "null"), &seven, Body, "answer 7", true),
        (without(result), &seven, Event, "answer 7", true),
        (without(result), &text, Body, "answer \"a\\\"b\"", true),
        (with(result, "1.5"), &seven, Body, "refused None", true),
        (with(error, "null"), &seven, Body, "answer 7", true),
        (without(error), &seven, Event, "answer 7", true),
        (with(error, "\"server-error\""), &seven, Refusal, "answer 7", true),
        (with(error, "\"server-error\""), &seven, Body, "answer \"server-error\"", false),
        (r#"{"jsonrpc":"2.0","method":"x"}"#.into(), &seven, Event, "note", false),
        (r#"{"jsonrpc":"2.0","id":7,"method":"x"}"#.into(), &seven, Event, "request 7", false),
        (r#"{"jsonrpc":"2.0","id":7}"#.into(), &seven, Event, "refused Some(7)", true),
        (r#"{"jsonrpc":"2.0","id":8}"#.into(), &seven, Event, "refused Some(8)", false),
        ("not JSON".into(), &seven, Body, "refused None", true),
        ("not JSON".into(), &seven, Event, "refused None", false),
        ("[]".into(), &seven, Body, "refused None", true),
        (
            format!("[{},{}]", with(result, "7"), r#"{"jsonrpc":"2.0","method":"x"}"#),
            &seven,
            Body,
            "answer 7|note",
            true,
        ),
    ];
    for (body, id, origin, expected, answered) in cases {
        let (words, did) = check(&body, id, origin);
        assert_eq!((words.join("|").as_str(), did), (expected, answered), "{body} {origin:?}");
    }
}
