//! Streams of OpenAI's Responses API.

use super::*;

const RESPONSES: ProviderDialect = ProviderDialect::OpenaiResponses;

const CREATED: &str = r#"{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","model":"gpt-x","output":[],"usage":null}}"#;
const COUNTS: &str = r#"{"input_tokens":40,"input_tokens_details":{"cached_tokens":30},"output_tokens":12,"output_tokens_details":{"reasoning_tokens":8},"total_tokens":52}"#;

fn counted() -> TokenUsage {
    TokenUsage { input: 10, output: 12, cache_read: 30, thinking: Some(8), ..usage(0, 0) }
}

fn completed() -> String {
    format!(
        r#"{{"type":"response.completed","response":{{"id":"resp_1","status":"completed","usage":{COUNTS}}}}}"#
    )
}

#[test]
fn reasoning_text_and_calls_come_as_their_items_are_done() {
    let found = events(
        RESPONSES,
        &sse(&[
            CREATED,
            r#"{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}"#,
            r#"{"type":"response.reasoning_summary_part.added","item_id":"rs_1","summary_index":0}"#,
            r#"{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","delta":"First"}"#,
            r#"{"type":"response.reasoning_summary_part.added","item_id":"rs_1","summary_index":1}"#,
            r#"{"type":"response.reasoning_summary_text.delta","item_id":"rs_1","delta":"then"}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"First"},{"type":"summary_text","text":"then"}],"encrypted_content":"gAAA="}}"#,
            r#"{"type":"response.output_text.delta","item_id":"msg_1","output_index":1,"content_index":0,"delta":"Sch\u00f6n"}"#,
            r#"{"type":"response.output_text.done","item_id":"msg_1","text":"Schön"}"#,
            r#"{"type":"response.function_call_arguments.delta","item_id":"fc_1","delta":"{\"at\""}"#,
            r#"{"type":"response.output_item.done","output_index":2,"item":{"id":"fc_1","type":"function_call","status":"completed","call_id":"call_1","name":"weather","arguments":"{\"at\":1}"}}"#,
            r#"{"type":"response.output_item.done","output_index":3,"item":{"id":"fc_2","type":"function_call","call_id":"call_2","name":"time","arguments":""}}"#,
            r#"{"type":"response.output_item.done","output_index":4,"item":{"id":"x","type":"new_kind"}}"#,
            &completed(),
        ]),
    );
    let expected = [
        started("resp_1", "gpt-x"),
        thinking("First"),
        thinking("\n\n"),
        thinking("then"),
        thought("First\n\nthen", Some("gAAA=")),
        text("Schön"),
        call("call_1", "weather", r#"{"at":1}"#),
        call("call_2", "time", "{}"),
        ModelEvent::Usage(counted()),
        finished(StopReason::ToolUse, Some(counted())),
    ];
    assert_eq!(found, expected);
}

#[test]
fn ends_are_told_apart() {
    let incomplete = |reason: &str| {
        format!(
            r#"{{"type":"response.incomplete","response":{{"id":"resp_1","incomplete_details":{{"reason":"{reason}"}},"usage":{COUNTS}}}}}"#
        )
    };
    let refusal = r#"{"type":"response.refusal.delta","delta":"No."}"#;
    for (middle, end, stop) in [
        (None, completed(), StopReason::End),
        (Some(refusal), completed(), StopReason::Refusal),
        (None, incomplete("max_output_tokens"), StopReason::Length),
        (None, incomplete("content_filter"), StopReason::Refusal),
        (None, incomplete("whim"), StopReason::Other("whim".into())),
    ] {
        let payloads: Vec<_> = [Some(CREATED), middle, Some(&*end)].into_iter().flatten().collect();
        let found = events(RESPONSES, &sse(&payloads));
        assert_eq!(found.last(), Some(&finished(stop, Some(counted()))), "{end}");
    }
}

#[test]
fn a_failed_response_says_why() {
    let nested = r#"{"type":"response.failed","response":{"id":"resp_1","status":"failed","error":{"code":"server_error","message":"The model\nfailed"}}}"#;
    let flat = r#"{"type":"error","code":"rate_limit_exceeded","message":"Slow down","param":null,"sequence_number":3}"#;
    for (payload, line) in
        [(nested, "server_error: The model failed"), (flat, "rate_limit_exceeded: Slow down")]
    {
        let (found, end) = check(RESPONSES, sse(&[CREATED, payload]).as_bytes());
        assert_eq!(found, [started("resp_1", "gpt-x")]);
        let Err(StreamFault::Reported(fault)) = end else { panic!("{end:?}") };
        assert!(fault.is_transient());
        assert_eq!(&*fault.line(), line);
    }
}
