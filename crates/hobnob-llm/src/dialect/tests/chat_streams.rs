//! Streams of chat completions, as OpenAI's servers and others send them.

use super::*;

const CHAT: ProviderDialect = ProviderDialect::OpenaiChat;
const DONE: &str = "data: [DONE]\n\n";

fn chunk(delta: &str, finish: &str) -> String {
    format!(
        r#"{{"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt-x","choices":[{{"index":0,"delta":{delta},"logprobs":null,"finish_reason":{finish}}}],"usage":null}}"#
    )
}

fn stream(chunks: &[String], end: &str) -> String {
    let chunks: Vec<_> = chunks.iter().map(String::as_str).collect();
    sse(&chunks) + end
}

#[test]
fn text_then_usage_then_done() {
    let counts = r#"{"id":"c1","object":"chat.completion.chunk","model":"gpt-x","choices":[],"usage":{"prompt_tokens":30,"completion_tokens":7,"total_tokens":37,"prompt_tokens_details":{"cached_tokens":20},"completion_tokens_details":{"reasoning_tokens":4}}}"#;
    let found = events(
        CHAT,
        &stream(
            &[
                chunk(r#"{"role":"assistant","content":"","refusal":null}"#, "null"),
                chunk(r#"{"content":"Hallo"}"#, "null"),
                chunk(r#"{"content":" \u4e16\u754c"}"#, "null"),
                chunk("{}", r#""stop""#),
                counts.into(),
            ],
            DONE,
        ),
    );
    let counted =
        TokenUsage { input: 10, output: 7, cache_read: 20, thinking: Some(4), ..usage(0, 0) };
    let expected = [
        started("c1", "gpt-x"),
        text("Hallo"),
        text(" 世界"),
        ModelEvent::Usage(counted),
        finished(StopReason::End, Some(counted)),
    ];
    assert_eq!(found, expected);
}

#[test]
fn pieces_of_parallel_calls_are_put_together_by_their_index() {
    let found = events(
        CHAT,
        &stream(
            &[
                chunk(
                    r#"{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"weather","arguments":""}}]}"#,
                    "null",
                ),
                chunk(r#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"at\""}}]}"#, "null"),
                chunk(
                    r#"{"tool_calls":[{"index":1,"id":"call_b","function":{"name":"time","arguments":"{}"}},{"index":0,"function":{"arguments":":1}"}}]}"#,
                    "null",
                ),
                chunk("{}", r#""tool_calls""#),
            ],
            DONE,
        ),
    );
    let expected = [
        started("c1", "gpt-x"),
        call("call_a", "weather", r#"{"at":1}"#),
        call("call_b", "time", "{}"),
        finished(StopReason::ToolUse, None),
    ];
    assert_eq!(found, expected);
}

#[test]
fn servers_that_differ_are_understood() {
    // No id of the call, no last line, `stop` although calls wait, thinking under either name.
    let found = events(
        CHAT,
        &stream(
            &[
                r#"{"choices":[{"delta":{"reasoning_content":"hm"}}]}"#.into(),
                r#"{"choices":[{"delta":{"reasoning":"!"}}]}"#.into(),
                r#"{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}"#.into(),
                r#"{"choices":[{"delta":{"tool_calls":[{"function":{"name":"go","arguments":"{}"}}]}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}"#.into(),
                r#"{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#.into(),
            ],
            "",
        ),
    );
    let expected = [
        started("", ""),
        thinking("hm"),
        thinking("!"),
        thought("hm!", None),
        text("a"),
        ModelEvent::Usage(usage(1, 1)),
        call("call_0000abcd_1", "go", "{}"),
        ModelEvent::Usage(usage(1, 2)),
        finished(StopReason::ToolUse, Some(usage(1, 2))),
    ];
    assert_eq!(found, expected);
}

#[test]
fn reasons_to_stop_are_told_apart() {
    for (delta, word, expected) in [
        (r#"{"content":"a"}"#, "length", StopReason::Length),
        (r#"{"content":"a"}"#, "content_filter", StopReason::Refusal),
        (r#"{"refusal":"No."}"#, "stop", StopReason::Refusal),
        (r#"{"content":"a"}"#, "eos", StopReason::Other("eos".into())),
        (
            r#"{"tool_calls":[{"index":0,"function":{"name":"x","arguments":"{\"a"}}]}"#,
            "length",
            StopReason::Length,
        ),
    ] {
        let found = events(
            CHAT,
            &stream(&[chunk(delta, "null"), chunk("{}", &format!("\"{word}\""))], DONE),
        );
        assert_eq!(found.last(), Some(&finished(expected, None)), "{delta} {word}");
    }
}

#[test]
fn done_without_a_reason_is_no_end() {
    for end in [DONE, ""] {
        let stream = stream(&[chunk(r#"{"content":"a"}"#, "null")], end);
        let (found, end) = check(CHAT, stream.as_bytes());
        assert_eq!(found, [started("c1", "gpt-x"), text("a")]);
        assert!(matches!(end, Err(StreamFault::Cut(_))), "{end:?}");
    }
}
