//! Faulty streams: cut off, malformed, oversized, ended by an error. In every dialect, the events
//! before the fault are emitted once.

use super::*;

/// A valid beginning in each dialect, with one piece of text.
fn beginnings() -> [(ProviderDialect, String); 4] {
    let anthropic = sse(&[
        r#"{"type":"message_start","message":{"id":"i","model":"m"}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"so far"}}"#,
    ]);
    let chat = sse(&[r#"{"id":"i","model":"m","choices":[{"delta":{"content":"so far"}}]}"#]);
    let responses = sse(&[
        r#"{"type":"response.created","response":{"id":"i","model":"m"}}"#,
        r#"{"type":"response.output_text.delta","delta":"so far"}"#,
    ]);
    let ollama = "{\"model\":\"m\",\"message\":{\"content\":\"so far\"}}\n".to_owned();
    [
        (ProviderDialect::Anthropic, anthropic),
        (ProviderDialect::OpenaiChat, chat),
        (ProviderDialect::OpenaiResponses, responses),
        (ProviderDialect::Ollama, ollama),
    ]
}

/// Appends `rest` to each beginning, and asserts that the text is emitted once before the fault.
fn check_all(rest: impl Fn(ProviderDialect) -> Vec<u8>, expected: impl Fn(&StreamFault) -> bool) {
    for (dialect, beginning) in beginnings() {
        let stream = [beginning.as_bytes(), &rest(dialect)].concat();
        let (found, end) = check(dialect, &stream);
        let id = if dialect == ProviderDialect::Ollama { "" } else { "i" };
        assert_eq!(found, [started(id, "m"), text("so far")], "{dialect:?}");
        assert!(end.as_ref().is_err_and(&expected), "{dialect:?}: {end:?}");
    }
}

fn payload(dialect: ProviderDialect, payload: &[u8]) -> Vec<u8> {
    match dialect {
        ProviderDialect::Ollama => [payload, b"\n"].concat(),
        ProviderDialect::Anthropic
        | ProviderDialect::OpenaiChat
        | ProviderDialect::OpenaiResponses => [b"data: ", payload, b"\n\n"].concat(),
    }
}

#[test]
fn an_answer_that_is_cut_off_is_no_answer() {
    check_all(|_| vec![], |fault| matches!(fault, StreamFault::Cut(_)));
    // Cut off within an event, a character, and an escape.
    for part in [&b"data: {\"type\":\"conte"[..], b"data: \"Gr\xC3", b"data: \"\\ud83d\\u"] {
        let part = |dialect| match dialect {
            ProviderDialect::Ollama => part[6..].to_vec(),
            ProviderDialect::Anthropic
            | ProviderDialect::OpenaiChat
            | ProviderDialect::OpenaiResponses => part.to_vec(),
        };
        check_all(part, |fault| matches!(fault, StreamFault::Cut(_)));
    }
}

#[test]
fn garbage_is_a_clear_error() {
    for garbage in
        [&b"<html>"[..], b"{\"type\":", b"[1]", b"\xff\xfe\x00", b"null", b"{\"type\":7}"]
    {
        check_all(
            |dialect| match (dialect, garbage) {
                // These dialects have no `type`, so this object is valid and empty for them.
                (ProviderDialect::OpenaiChat | ProviderDialect::Ollama, b"{\"type\":7}") => {
                    payload(dialect, b"{\"done\":7,\"choices\":7}")
                }
                _ => payload(dialect, garbage),
            },
            |fault| matches!(fault, StreamFault::Garbled(what) if what.contains("not as documented")),
        );
    }
}

#[test]
fn an_event_beyond_the_limit_is_refused() {
    let long = format!("{{\"type\":\"{}\"}}", "x".repeat(5_000));
    // Splitting five thousand bytes at every place takes long, and proves nothing more.
    for (dialect, beginning) in beginnings() {
        let stream = [beginning.into_bytes(), payload(dialect, long.as_bytes())].concat();
        for size in [stream.len(), 1_000, 7] {
            let (found, end) = decode(dialect, stream.chunks(size));
            assert_eq!(found.len(), 2, "{dialect:?}");
            let Err(StreamFault::Garbled(what)) = end else { panic!("{dialect:?}: {end:?}") };
            assert_eq!(&*what, "an event is larger than 4096 bytes");
        }
    }
}

#[test]
fn an_error_in_the_middle_is_the_providers_own() {
    let error = |dialect| {
        payload(
            dialect,
            match dialect {
                ProviderDialect::Anthropic => {
                    br#"{"type":"error","error":{"type":"overloaded_error","message":"Busy"}}"#
                }
                ProviderDialect::OpenaiChat => {
                    br#"{"error":{"type":"server_error","message":"Busy","code":null}}"#
                }
                ProviderDialect::OpenaiResponses => {
                    br#"{"type":"error","code":"server_error","message":"Busy"}"#
                }
                ProviderDialect::Ollama => br#"{"error":"Busy"}"#,
            },
        )
    };
    check_all(
        error,
        |fault| matches!(fault, StreamFault::Reported(it) if it.line().ends_with("Busy")),
    );
}

#[test]
fn a_bad_byte_in_a_text_is_replaced_and_the_answer_goes_on() {
    let dialect = ProviderDialect::Ollama;
    let stream = b"{\"model\":\"m\",\"message\":{\"content\":\"a\xFFb\xC3\"}}\n{\"model\":\"m\",\"message\":{\"content\":\"c\"},\"done\":true}\n";
    let (found, end) = check(dialect, stream);
    assert_eq!(end, Ok(()));
    let replaced = text("a\u{fffd}b\u{fffd}");
    assert_eq!(found, [started("", "m"), replaced, text("c"), finished(StopReason::End, None)]);
}

#[test]
fn half_a_surrogate_pair_is_replaced_in_texts_and_arguments() {
    let stream = sse(&[
        r#"{"choices":[{"delta":{"content":"a\ud83d"}}]}"#,
        r#"{"choices":[{"delta":{"content":"\ude00b\ud83d\ude00"}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"id":"c","function":{"name":"go","arguments":"{\"x\":\"\\ud8"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"3d\"}"}}]},"finish_reason":"tool_calls"}]}"#,
    ]);
    let expected = [
        started("", ""),
        text("a\u{fffd}"),
        text("\u{fffd}b😀"),
        call("c", "go", r#"{"x":"\ufffd"}"#),
        finished(StopReason::ToolUse, None),
    ];
    assert_eq!(events(ProviderDialect::OpenaiChat, &stream), expected);
}

#[test]
fn a_delta_that_belongs_to_no_block_is_an_error() {
    let start = r#"{"type":"message_start","message":{"id":"i","model":"m"}}"#;
    for payloads in [
        &[
            start,
            r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"x"}}"#,
        ][..],
        &[start, r#"{"type":"content_block_stop","index":1}"#],
        &[
            start,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"x"}}"#,
        ],
    ] {
        let (found, end) = check(ProviderDialect::Anthropic, sse(payloads).as_bytes());
        assert_eq!(found, [started("i", "m")]);
        assert!(matches!(end, Err(StreamFault::Garbled(_))), "{end:?}");
    }
}
