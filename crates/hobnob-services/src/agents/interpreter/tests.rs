//! Output streams as the programs document them, and the events they must become.

use super::Interpreter;
use crate::agents::catalog::AgentCatalog;
use crate::agents::event::AgentEvent;
use crate::agents::json_lines::{LineSplitter, SplitLine};
use crate::commands::Utf8Stream;
use serde_json::Value;
use std::sync::Arc;

/// `claude -p --output-format stream-json --verbose --include-partial-messages`. It contains a
/// multi-byte character, an escape, an invalid byte, garbage, and a line of an unknown type.
const CLAUDE: &str = r#"{"type":"system","subtype":"init","session_id":"0e63-1","model":"claude-opus","tools":["Bash"],"cwd":"/p"}
{"type":"stream_event","event":{"type":"message_start","message":{"id":"m1"}},"session_id":"0e63-1","parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm, "}},"session_id":"0e63-1","parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"files."}},"parent_tool_use_id":null}
{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"Hm, files.","signature":"x"}]},"parent_tool_use_id":null,"session_id":"0e63-1"}
{"type":"stream_event","event":{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Gr\u00fc\u00df "}},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"dich 🦀"}},"parent_tool_use_id":null}
{"type":"assistant","message":{"content":[{"type":"text","text":"Gr\u00fc\u00df dich 🦀"}]},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"comm"}},"parent_tool_use_id":null}
{"type":"assistant","message":{"content":[{"type":"tool_use","id":"toolu_1","name":"Task","input":{"prompt":"look"}}]},"parent_tool_use_id":null}
Warning: something that is no JSON {
{"type":"assistant","message":{"content":[{"type":"text","text":"a sub-agent's own words"},{"type":"tool_use","id":"toolu_2","name":"Bash","input":{"command":"ls"}}]},"parent_tool_use_id":"toolu_1"}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_2","content":[{"type":"text","text":"bad BYTE byte"}],"is_error":true}]},"parent_tool_use_id":"toolu_1"}
{"type":"user","message":{"role":"user","content":"a text of the user, which is no list"}}
{"type":"rate_limit_event","rate_limit_info":{"status":"allowed"}}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"done"}]},"parent_tool_use_id":null}
{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"One file."}},"parent_tool_use_id":null}
{"type":"assistant","message":{"content":[{"type":"text","text":"One file."}]},"parent_tool_use_id":null}
{"type":"result","subtype":"success","is_error":false,"duration_ms":1998,"num_turns":2,"result":"One file.","session_id":"0e63-1","total_cost_usd":0.0079,"usage":{"input_tokens":3,"output_tokens":6}}
{"type":"assistant","message":{"content":[{"type":"text","text":"too late"}]},"parent_tool_use_id":null}
"#;

const CLAUDE_EVENTS: &str = r#"{"type":"start","session_id":"0e63-1","model":"claude-opus"}
{"type":"thinking","text":"Hm, "}
{"type":"thinking","text":"files."}
{"type":"content","text":"Grüß "}
{"type":"content","text":"dich 🦀"}
{"type":"tool_use","tool_name":"Task","input":{"prompt":"look"},"tool_use_id":"toolu_1"}
{"type":"tool_use","tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"toolu_2"}
{"type":"tool_result","tool_use_id":"toolu_2","output":[{"type":"text","text":"bad � byte"}],"is_error":true}
{"type":"tool_result","tool_use_id":"toolu_1","output":"done","is_error":false}
{"type":"content","text":"\n\nOne file."}
{"type":"complete","session_id":"0e63-1","cost_usd":0.0079,"duration_ms":1998,"turns":2,"usage":{"input_tokens":3,"output_tokens":6},"skipped_lines":1}"#;

/// `codex exec --json`.
const CODEX: &str = r#"{"type":"thread.started","thread_id":"0199a213-81c0"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_0","type":"reasoning","text":"**Searching**"}}
{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"bash -lc ls","aggregated_output":"","status":"in_progress"}}
{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"bash -lc ls","aggregated_output":"README.md\n","exit_code":0,"status":"completed"}}
{"type":"error","message":"Reconnecting... 1/5"}
{"type":"item.started","item":{"id":"item_2","type":"mcp_tool_call","server":"s","tool":"find","arguments":{"q":1},"status":"in_progress"}}
{"type":"item.completed","item":{"id":"item_2","type":"mcp_tool_call","server":"s","tool":"find","status":"failed","error":{"message":"no"}}}
{"type":"item.completed","item":{"id":"item_4","type":"file_change","changes":[{"path":"a","kind":"add"}],"status":"completed"}}
{"type":"item.completed","item":{"id":"item_3","type":"agent_message","text":"There is one."}}
{"type":"item.completed","item":{"id":"item_5","type":"agent_message","text":"And one more."}}
{"type":"turn.completed","usage":{"input_tokens":24763,"cached_input_tokens":24448,"output_tokens":122}}
"#;

const CODEX_EVENTS: &str = r#"{"type":"start","session_id":"0199a213-81c0"}
{"type":"thinking","text":"**Searching**"}
{"type":"tool_use","tool_name":"command_execution","input":{"command":"bash -lc ls"},"tool_use_id":"item_1"}
{"type":"tool_result","tool_use_id":"item_1","output":"README.md\n","is_error":false}
{"type":"tool_use","tool_name":"find","input":{"q":1},"tool_use_id":"item_2"}
{"type":"tool_result","tool_use_id":"item_2","output":null,"is_error":true}
{"type":"tool_use","tool_name":"file_change","input":{"changes":[{"path":"a","kind":"add"}]},"tool_use_id":"item_4"}
{"type":"content","text":"There is one."}
{"type":"content","text":"\n\nAnd one more."}
{"type":"complete","session_id":"0199a213-81c0","usage":{"input_tokens":24763,"cached_input_tokens":24448,"output_tokens":122}}"#;

/// `gemini --output-format stream-json`.
const GEMINI: &str = r#"{"type":"init","timestamp":"t","session_id":"abc123","model":"gemini-pro"}
{"type":"message","timestamp":"t","role":"user","content":"hello"}
{"type":"tool_use","timestamp":"t","tool_name":"read_file","tool_id":"r-1","parameters":{"path":"a"}}
{"type":"tool_result","timestamp":"t","tool_id":"r-1","status":"success","output":"text"}
{"type":"tool_use","timestamp":"t","tool_name":"shell","tool_id":"r-2","parameters":{}}
{"type":"tool_result","timestamp":"t","tool_id":"r-2","status":"error","error":{"type":"X","message":"denied"}}
{"type":"message","timestamp":"t","role":"assistant","content":"Two ","delta":true}
{"type":"message","timestamp":"t","role":"assistant","content":"words","delta":true}
{"type":"result","timestamp":"t","status":"success","stats":{"total_tokens":3,"tool_calls":2}}
"#;

const GEMINI_EVENTS: &str = r#"{"type":"start","session_id":"abc123","model":"gemini-pro"}
{"type":"tool_use","tool_name":"read_file","input":{"path":"a"},"tool_use_id":"r-1"}
{"type":"tool_result","tool_use_id":"r-1","output":"text","is_error":false}
{"type":"tool_use","tool_name":"shell","input":{},"tool_use_id":"r-2"}
{"type":"tool_result","tool_use_id":"r-2","output":"denied","is_error":true}
{"type":"content","text":"Two "}
{"type":"content","text":"words"}
{"type":"complete","session_id":"abc123","usage":{"total_tokens":3,"tool_calls":2}}"#;

fn interpreter(agent: &str) -> Interpreter {
    let catalog = AgentCatalog::built_in().unwrap();
    Interpreter::new(Arc::clone(catalog.get(agent).unwrap()))
}

/// The events of a program's output that arrives in these pieces.
fn decode<'a>(agent: &str, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<AgentEvent> {
    let mut interpreter = interpreter(agent);
    let (mut text, mut splitter) = (Utf8Stream::default(), LineSplitter::default());
    let mut events = Vec::new();
    let mut take = |line: SplitLine<'_>| match line {
        SplitLine::Whole(line) => events.extend(interpreter.line(line)),
        SplitLine::TooLong => interpreter.skip("it is too long"),
    };
    for piece in pieces {
        splitter.push(&text.push(piece), &mut take);
    }
    splitter.push(&text.finish(), &mut take);
    splitter.finish(&mut take);
    events
}

fn json(events: &[AgentEvent]) -> Vec<Value> {
    let text = |event: &AgentEvent| event.clone().into_stream().to_json();
    events.iter().map(|event| serde_json::from_str(&text(event)).unwrap()).collect()
}

/// The bytes of a stream, in which an invalid byte replaces the word `BYTE`.
fn bytes_of(stream: &str) -> Vec<u8> {
    let parts: Vec<&[u8]> = stream.split("BYTE").map(str::as_bytes).collect();
    parts.join(&0xff)
}

/// Offsets at which a stream is cut in two: around multi-byte characters, escapes and line ends,
/// and at every 13th byte.
fn cuts(stream: &[u8]) -> impl Iterator<Item = usize> {
    let special = |at: &usize| {
        let near = &stream[at.saturating_sub(3)..stream.len().min(at + 3)];
        near.iter().any(|byte| !byte.is_ascii() || b"\\\n".contains(byte))
    };
    (0..stream.len()).filter(move |at| at % 13 == 0 || special(at))
}

fn check(agent: &str, stream: &str, expected: &str) {
    let expected: Vec<Value> =
        expected.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let stream = &bytes_of(stream)[..];
    let events = decode(agent, [stream]);
    assert_eq!(json(&events), expected, "{agent}");
    // The events are the same wherever the bytes are cut, in two or in many pieces.
    for at in cuts(stream) {
        assert_eq!(decode(agent, [&stream[..at], &stream[at..]]), events, "{agent} at {at}");
    }
    for size in [1, 2, 3, 7, 61, 997] {
        assert_eq!(decode(agent, stream.chunks(size)), events, "{agent} in pieces of {size}");
    }
}

#[test]
fn the_stream_of_claude_becomes_events() {
    check("claude", CLAUDE, CLAUDE_EVENTS);
}

#[test]
fn the_stream_of_codex_becomes_events() {
    check("codex", CODEX, CODEX_EVENTS);
}

#[test]
fn the_stream_of_gemini_becomes_events() {
    check("gemini", GEMINI, GEMINI_EVENTS);
}

#[test]
fn a_failure_ends_the_stream_with_its_message() {
    for (agent, line, message) in [
        (
            "claude",
            r#"{"type":"result","subtype":"success","is_error":true,"result":"Not logged in"}"#,
            "Not logged in",
        ),
        (
            "claude",
            r#"{"type":"result","subtype":"error_max_turns","is_error":true,"errors":["x"]}"#,
            "the agent stopped at its limit of turns: chat again to let it go on",
        ),
        (
            "claude",
            r#"{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["boom"]}"#,
            "boom",
        ),
        (
            "claude",
            r#"{"type":"result","subtype":"error_during_execution"}"#,
            "error_during_execution",
        ),
        ("codex", r#"{"type":"turn.failed","error":{"message":"no money"}}"#, "no money"),
        ("gemini", r#"{"type":"result","status":"error","error":{"message":"quota"}}"#, "quota"),
        ("gemini", r#"{"type":"result","status":"error"}"#, "the agent failed"),
    ] {
        let events = interpreter(agent).line(line);
        let [AgentEvent::Failed { message: found, .. }] = &events[..] else {
            panic!("{agent}: {events:?}")
        };
        assert_eq!(found, message, "{agent}");
    }
}

#[test]
fn a_conversation_can_be_resumed_once_the_model_has_answered() {
    let init = |id: &str| {
        format!(r#"{{"type":"system","subtype":"init","session_id":"{id}","model":"m"}}"#)
    };
    let text = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Hi"}]}}"#;
    let failed = r#"{"type":"result","subtype":"success","is_error":true,"result":"no","session_id":"id-1"}"#;
    for (lines, resumable) in [
        (vec![init("id-1")], None),
        (vec![init("id-1"), text.to_owned()], Some("id-1")),
        (vec![init("id-1"), failed.to_owned()], None),
        (vec![init("id-1"), text.to_owned(), failed.to_owned()], Some("id-1")),
        // An id that could be mistaken for an option is rejected.
        (vec![init("--dangerous"), text.to_owned()], None),
        (vec![init("a b"), text.to_owned()], None),
    ] {
        let mut interpreter = interpreter("claude");
        for line in &lines {
            interpreter.line(line);
        }
        assert_eq!(interpreter.resumable(), resumable, "{lines:?}");
    }
}

#[test]
fn lines_of_no_use_end_nothing() {
    let mut interpreter = interpreter("claude");
    let deep = format!("{{\"a\":{}", "[".repeat(100_000));
    for line in ["", "x", "{", "[]", "null", "{}", "{\"type\":7}", "\u{1b}[?1004l", deep.as_str()] {
        assert_eq!(interpreter.line(line), [], "{line:.20}");
    }
    let text = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Hi"}]}}"#;
    let with_control = format!("\u{1b}[?1004l{text}");
    assert_eq!(interpreter.line(&with_control), [AgentEvent::Content("Hi".into())]);
}

#[test]
fn long_values_are_cut() {
    let long = "ü".repeat(100_000);
    let line = format!(
        r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"t","content":["{long}"]}}]}}}}"#
    );
    let events = interpreter("claude").line(&line);
    let [AgentEvent::ToolResult { output: Value::String(output), .. }] = &events[..] else {
        panic!("{events:?}")
    };
    assert!(output.len() < 40_000 && output.ends_with("bytes left out]"), "{}", output.len());
}
