//! Lines of Ollama's chat API.

use super::*;

const OLLAMA: ProviderDialect = ProviderDialect::Ollama;

fn lines(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn thinking_text_and_calls_come_line_by_line() {
    let found = events(
        OLLAMA,
        &lines(&[
            r#"{"model":"qwen3","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"","thinking":"Hm"},"done":false}"#,
            r#"{"model":"qwen3","message":{"role":"assistant","content":"","thinking":"m"},"done":false}"#,
            "",
            r#"{"model":"qwen3","message":{"role":"assistant","content":"Gr\u00fc\u00dfe"},"done":false}"#,
            r#"{"model":"qwen3","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"weather","arguments":{"at":"日本"}}},{"id":"call_9","function":{"name":"time","arguments":null}}]},"done":false}"#,
            r#"{"model":"qwen3","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":5,"prompt_eval_count":11,"eval_count":6}"#,
        ]),
    );
    let expected = [
        started("", "qwen3"),
        thinking("Hm"),
        thinking("m"),
        thought("Hmm", None),
        text("Grüße"),
        call("call_0000abcd_1", "weather", r#"{"at":"日本"}"#),
        call("call_9", "time", "{}"),
        ModelEvent::Usage(usage(11, 6)),
        finished(StopReason::ToolUse, Some(usage(11, 6))),
    ];
    assert_eq!(found, expected);
}

#[test]
fn ends_are_told_apart_and_the_last_line_needs_no_end() {
    for (reason, stop) in [
        (r#","done_reason":"length""#, StopReason::Length),
        ("", StopReason::End),
        (r#","done_reason":"load""#, StopReason::Other("load".into())),
    ] {
        let stream = format!(r#"{{"model":"m","message":{{"content":"a"}},"done":true{reason}}}"#);
        let found = events(OLLAMA, &stream);
        assert_eq!(found, [started("", "m"), text("a"), finished(stop, None)]);
    }
}

#[test]
fn a_broken_call_is_told_with_its_problem() {
    for (call, name, problem) in [
        (r#"{"name":"go","arguments":[1]}"#, "go", "the arguments are not a JSON object: [1]"),
        (r#"{"name":"","arguments":{}}"#, "unnamed", "the call names no tool"),
    ] {
        let head = r#"{"model":"m","message":{"content":"","tool_calls":[{"function":"#;
        let call = format!(r#"{head}{call}}}]}},"done":false}}"#);
        let stream = lines(&[&call, r#"{"model":"m","done":true,"done_reason":"stop"}"#]);
        let found = events(OLLAMA, &stream);
        let ModelEvent::ToolUse(emitted) = &found[1] else { panic!("{found:?}") };
        assert_eq!((&*emitted.id, &*emitted.name), ("call_0000abcd_1", name));
        assert_eq!((emitted.input.as_str(), emitted.input.problem()), ("{}", Some(problem)));
        assert_eq!(found[2..], [finished(StopReason::ToolUse, None)]);
    }
}
