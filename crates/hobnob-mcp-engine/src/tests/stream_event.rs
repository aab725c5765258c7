//! Events in the forms that views deliver: an object with `type`, and a text for people.

use crate::{OutputStream, StreamEvent};

#[test]
fn an_event_is_an_object_and_a_text() {
    let cases = [
        (StreamEvent::start(), r#"{"type":"start"}"#, None),
        (
            StreamEvent::start().with("id", "a").with("count", &2),
            r#"{"type":"start","id":"a","count":2}"#,
            None,
        ),
        (
            OutputStream::Stdout.event("\u{7}\"a\"\n"),
            r#"{"type":"stdout","data":"\u0007\"a\"\n"}"#,
            Some("\u{7}\"a\"\n"),
        ),
        (OutputStream::Stderr.event("oh"), r#"{"type":"stderr","data":"oh"}"#, Some("oh")),
        (StreamEvent::content("Hi"), r#"{"type":"content","text":"Hi"}"#, Some("Hi")),
        (
            StreamEvent::thinking("hm").with("signature", "s"),
            r#"{"type":"thinking","text":"hm","signature":"s"}"#,
            Some("hm"),
        ),
        (
            StreamEvent::tool_use("Read", &serde_json::json!({"path": "a"})),
            r#"{"type":"tool_use","tool_name":"Read","input":{"path":"a"}}"#,
            Some("Using tool: Read"),
        ),
        (StreamEvent::error("no"), r#"{"type":"error","message":"no"}"#, None),
        (
            StreamEvent::complete().with_json("usage", r#"{"tokens":3}"#),
            r#"{"type":"complete","usage":{"tokens":3}}"#,
            None,
        ),
    ];
    for (event, json, message) in cases {
        assert_eq!(event.to_json(), json);
        let escapes = json.contains('\\');
        assert!(escapes || event.json_room() == json.len(), "{json}");
        assert_eq!(event.message(), message, "{json}");
    }
}

#[test]
fn only_two_kinds_end_a_stream() {
    for (event, is_end) in [
        (StreamEvent::start(), false),
        (StreamEvent::content("complete"), false),
        (StreamEvent::error("no"), true),
        (StreamEvent::complete(), true),
    ] {
        assert_eq!(event.is_end(), is_end, "{event:?}");
    }
}

#[test]
fn an_event_comes_back_from_progress_as_its_kind_and_text() {
    let long = "a".repeat(65);
    let cases = [
        ("stdout", Some("a"), Some(r#"{"type":"stdout","data":"a"}"#)),
        ("content", Some("a"), Some(r#"{"type":"content","text":"a"}"#)),
        ("tool_use", Some("a"), Some(r#"{"type":"tool_use","message":"a"}"#)),
        ("of_a_later_version", None, Some(r#"{"type":"of_a_later_version"}"#)),
        ("", Some("a"), None),
        ("Start", Some("a"), None),
        (r#"a\"b"#, Some("a"), None),
        (&long, Some("a"), None),
    ];
    for (kind, message, json) in cases {
        let event = StreamEvent::from_progress(kind, message);
        assert_eq!(event.map(|event| event.to_json()).as_deref(), json, "{kind}");
    }
}

#[test]
fn a_member_that_is_no_json_is_left_out() {
    let broken: std::collections::HashMap<(u8, u8), u8> = [((1, 2), 3)].into();
    let event = StreamEvent::start().with("broken", &broken).with("whole", &1);
    assert_eq!(event.to_json(), r#"{"type":"start","whole":1}"#);
}

#[test]
fn streams_have_words() {
    for stream in [OutputStream::Stdout, OutputStream::Stderr] {
        assert_eq!(OutputStream::parse(stream.as_str()), Some(stream));
    }
    assert_eq!(OutputStream::parse("STDOUT"), None);
}
