//! Streams of Anthropic's Messages API.

use super::*;

const ANTHROPIC: ProviderDialect = ProviderDialect::Anthropic;

const START: &str = r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"claude-x","stop_reason":null,"usage":{"input_tokens":25,"output_tokens":1}}}"#;

#[test]
fn text_comes_in_pieces_and_ends_with_usage_and_cost() {
    let stream = sse(&[
        START,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"ping"}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grüße, "}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\ud83d\ude00 \"日本\"\n"}}"#,
        r#"{"type":"something_new","index":0,"more":[{"deep":[1]}]}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":15}}"#,
        r#"{"type":"message_stop"}"#,
    ]);
    let expected = [
        started("msg_1", "claude-x"),
        ModelEvent::Usage(usage(25, 1)),
        text("Grüße, "),
        text("😀 \"日本\"\n"),
        ModelEvent::Usage(usage(25, 15)),
        finished(StopReason::End, Some(usage(25, 15))),
    ];
    let found = events(ANTHROPIC, &stream);
    assert_eq!(found, expected);
    let ModelEvent::Finished(end) = &found[5] else { panic!("{found:?}") };
    assert_eq!(end.cost.unwrap().to_string(), "0.000175");
    // What comes after the end is not read.
    let more = format!("{stream}data: garbage\n\n");
    assert_eq!(events(ANTHROPIC, &more), expected);
}

#[test]
fn parallel_calls_are_told_whole_and_thinking_with_its_signature() {
    let found = events(
        ANTHROPIC,
        &sse(&[
            START,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Two "}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"places."}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQ="}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"hidden=="}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
            r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"weather","input":{}}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"at\": \"Z\\u00fc"}}"#,
            r#"{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_2","name":"time","input":{}}}"#,
            r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"rich\"}"}}"#,
            r#"{"type":"content_block_stop","index":3}"#,
            r#"{"type":"content_block_stop","index":2}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}"#,
            r#"{"type":"message_stop"}"#,
        ]),
    );
    let hidden = ModelEvent::ThinkingEnded(ThinkingBlock {
        text: String::new(),
        signature: Some("hidden==".into()),
        hidden: true,
        model: "asked".into(),
    });
    let expected = [
        started("msg_1", "claude-x"),
        ModelEvent::Usage(usage(25, 1)),
        thinking("Two "),
        thinking("places."),
        thought("Two places.", Some("EqQ=")),
        hidden,
        call("toolu_2", "time", "{}"),
        call("toolu_1", "weather", r#"{"at": "Z\u00fcrich"}"#),
        ModelEvent::Usage(usage(25, 9)),
        finished(StopReason::ToolUse, Some(usage(25, 9))),
    ];
    assert_eq!(found, expected);
}

#[test]
fn every_cached_token_is_counted_once() {
    let found = events(
        ANTHROPIC,
        &sse(&[
            r#"{"type":"message_start","message":{"id":"m","model":"c","usage":{"input_tokens":5,"output_tokens":1,"cache_creation_input_tokens":100,"cache_read_input_tokens":1000,"cache_creation":{"ephemeral_5m_input_tokens":60,"ephemeral_1h_input_tokens":40}}}}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"stop_sequence","stop_sequence":"END"},"usage":{"output_tokens":2}}"#,
            r#"{"type":"message_stop"}"#,
        ]),
    );
    let counted = TokenUsage {
        input: 5,
        output: 2,
        cache_read: 1_000,
        cache_write: 60,
        cache_write_hour: 40,
        thinking: None,
    };
    assert_eq!((counted.prompt(), counted.total()), (1_105, 1_107));
    assert_eq!(found.last(), Some(&finished(StopReason::StopText, Some(counted))));
}

#[test]
fn a_call_that_the_length_cuts_off_is_left_out_and_any_other_broken_one_says_so() {
    let stream = |reason: &str| {
        let end = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}}}}"#);
        sse(&[
            START,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"weather","input":{}}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"at\": \"Zü"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            &end,
            r#"{"type":"message_stop"}"#,
        ])
    };
    let found = events(ANTHROPIC, &stream("max_tokens"));
    assert_eq!(found[2..], [finished(StopReason::Length, Some(usage(25, 1)))]);
    let found = events(ANTHROPIC, &stream("tool_use"));
    let ModelEvent::ToolUse(call) = &found[2] else { panic!("{found:?}") };
    assert_eq!((&*call.id, &*call.name, call.input.as_str()), ("t", "weather", "{}"));
    let problem = "the arguments are not a JSON object: {\"at\": \"Zü";
    assert_eq!(call.input.problem(), Some(problem));
    assert_eq!(found[3..], [finished(StopReason::ToolUse, Some(usage(25, 1)))]);
}

#[test]
fn other_reasons_are_passed_on() {
    for (word, expected) in [
        ("refusal", StopReason::Refusal),
        ("model_context_window_exceeded", StopReason::Length),
        ("pause_turn", StopReason::Other("pause_turn".into())),
    ] {
        let end = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{word}"}}}}"#);
        let found = events(ANTHROPIC, &sse(&[START, &end, r#"{"type":"message_stop"}"#]));
        assert_eq!(found.last(), Some(&finished(expected, Some(usage(25, 1)))));
    }
}
