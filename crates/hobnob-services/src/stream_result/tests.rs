//! The results of streams, for callers that receive no events.

use super::{MAX_BLOCKS, MAX_TEXT, StreamResult};
use hobnob_mcp_engine::{OutputStream, StreamEvent};
use hobnob_mcp_toolbox::ToolReply;
use serde_json::{Value, json};

/// The result of a stream, in its wire form.
fn collected(events: &[StreamEvent]) -> Value {
    let mut result = StreamResult::default();
    for event in events {
        result.collect(event);
    }
    match result.into_reply() {
        ToolReply::TextAndData { text, data, is_error: false } => {
            let data: Value = data.map_or(Value::Null, |data| serde_json::from_str(&data).unwrap());
            json!({"text": text, "data": data, "isError": false})
        }
        ToolReply::Full(result) => serde_json::to_value(result).unwrap(),
        other => panic!("{other:?}"),
    }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

#[test]
fn a_stream_becomes_one_result() {
    let read = || StreamEvent::tool_use("Read", &json!({"path": "a b"}));
    let done = || StreamEvent::complete().with("new_head", "n1");
    let cases = [
        (
            vec![
                StreamEvent::start(),
                StreamEvent::content("Hel"),
                StreamEvent::content("lo"),
                done(),
            ],
            json!({"text": "Hello", "data": {"new_head": "n1"}, "isError": false}),
        ),
        (
            vec![OutputStream::Stdout.event("a\n"), OutputStream::Stderr.event("b")],
            json!({"text": "a\nb", "data": null, "isError": false}),
        ),
        // The text comes first, even if other events came before it.
        (
            vec![read(), StreamEvent::thinking("hm"), StreamEvent::content("so"), done()],
            json!({
                "content": [text("so"), text(r#"[Tool: Read] {"path":"a b"}"#)],
                "structuredContent": {"new_head": "n1"},
            }),
        ),
        (
            vec![StreamEvent::content("so"), StreamEvent::error("the line is cut"), done()],
            json!({"content": [text("so"), text("the line is cut")], "isError": true}),
        ),
        // There was no other event.
        (
            vec![StreamEvent::start(), done()],
            json!({
                "text": "{\n  \"new_head\": \"n1\"\n}", "data": {"new_head": "n1"}, "isError": false,
            }),
        ),
        (
            vec![StreamEvent::complete().with("result", &[1])],
            json!({"text": "[\n  1\n]", "data": {"result": [1]}, "isError": false}),
        ),
        (vec![StreamEvent::start()], json!({"content": []})),
    ];
    for (events, expected) in cases {
        assert_eq!(collected(&events), expected, "{events:?}");
    }
}

#[test]
fn what_is_collected_is_bounded() {
    let piece = "é".repeat(1 << 19);
    let events: Vec<StreamEvent> = (0..6).map(|_| StreamEvent::content(&*piece)).collect();
    let result = collected(&events);
    let kept = result["text"].as_str().unwrap();
    assert!(kept.ends_with("\n[2097152 bytes left out]\n"), "{}", &kept[kept.len() - 60..]);
    assert!(kept.len() < MAX_TEXT + 60);

    let uses = (0..2 * MAX_BLOCKS).map(|at| StreamEvent::tool_use("T", &at));
    let events: Vec<StreamEvent> = uses.chain([StreamEvent::error("end")]).collect();
    let blocks = collected(&events)["content"].as_array().unwrap().clone();
    assert_eq!((blocks.len(), &blocks[MAX_BLOCKS - 1]), (MAX_BLOCKS, &text("end")));
}
