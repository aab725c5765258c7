//! What a call sends while it runs: progress and log messages, and who receives them.

use crate::support::{LEGACY, greeted, modern, server, spec, with};
use hobnob_mcp_engine::{OutputStream, StreamEvent};
use hobnob_mcp_testkit::transcript::converse;
use hobnob_mcp_toolbox::{Context, Kit, KitBuilder};
use hobnob_mcp_types::logging::LoggingLevel;

/// Callers that sent a token get progress under the unchanged token. Its `message` came with
/// 2025-03-26.
#[tokio::test(start_paused = true)]
async fn progress_goes_to_its_token() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"climb",
            "_meta":{"progressToken":${token}}}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},
            "progress":0,"total":100${begun}}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},
            "progress":50.5,"total":100}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},
            "progress":100}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"up"}]}}
        # Without a token nobody asked.
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"climb"}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"up"}]}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"climb","_meta":{}}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"up"}]}}
    "#;
    for version in LEGACY {
        let begun = if version == "2024-11-05" { "" } else { r#","message":"begun""# };
        for token in ["7", "\"7\"", "\"\"", "-1", "\"é \\\" \\n\""] {
            let script = with(&[("token", token), ("begun", begun)], script);
            converse(&server([noisy_kit()]), &greeted(version, &script)).await;
        }
    }
}

/// Two concurrent calls: each gets only its own progress.
#[tokio::test(start_paused = true)]
async fn progress_of_two_calls_is_kept_apart() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"climb","_meta":{"progressToken":"a"}}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"a","progress":0,"total":100,"message":"begun"}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"a","progress":50.5,"total":100}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"a","progress":100}}
        < {"jsonrpc":"2.0","id":1,"result":"$any"}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"climb","_meta":{"progressToken":1}}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0,"total":100,"message":"begun"}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":50.5,"total":100}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":100}}
        < {"jsonrpc":"2.0","id":2,"result":"$any"}
        # A token that could not be one is as good as none.
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"climb","_meta":{"progressToken":{"a":1}}}}
        < {"jsonrpc":"2.0","id":3,"result":"$any"}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"climb","_meta":{"progressToken":1.5}}}
        < {"jsonrpc":"2.0","id":4,"result":"$any"}
    "#;
    converse(&server([noisy_kit()]), &greeted("2025-11-25", script)).await;
}

const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// `logging/setLevel` enables a level and all above it; the server's default is `info`.
#[tokio::test(start_paused = true)]
async fn the_level_decides_which_messages_pass() {
    for version in LEGACY {
        for (at, level) in LEVELS.iter().enumerate() {
            let set = r#"
                > {"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"${level}"}}
                < {"jsonrpc":"2.0","id":1,"result":{}}
            "#;
            let script = format!("{}{}", with(&[("level", level)], set), spoken_from(at));
            converse(&server([noisy_kit()]), &greeted(version, &script)).await;
        }
        converse(&server([noisy_kit()]), &greeted(version, &spoken_from(1))).await;
    }
}

/// The level belongs to a session and may be changed; an unknown level is refused.
#[tokio::test(start_paused = true)]
async fn a_level_is_a_sessions_own_and_may_change() {
    let server = server([noisy_kit()]);
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"$any"}}
        > {"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"$any"}}
        > {"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"ERROR"}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"$any"}}
        > {"jsonrpc":"2.0","id":4,"method":"logging/setLevel","params":{"level":"debug"}}
        < {"jsonrpc":"2.0","id":4,"result":{}}
        > {"jsonrpc":"2.0","id":5,"method":"logging/setLevel","params":{"level":"emergency"}}
        < {"jsonrpc":"2.0","id":5,"result":{}}
    "#;
    let script = format!("{script}{}", spoken_from(7));
    converse(&server, &greeted("2025-06-18", &script)).await;
    converse(&server, &greeted("2025-06-18", &spoken_from(1))).await;
}

/// In the modern era a request names its own log level; without one, nothing is sent.
#[tokio::test(start_paused = true)]
async fn a_modern_request_carries_its_own_level() {
    let ask = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"speak","_meta":{${about},${can}:{}${level}}}}
    "#;
    let done = r#"
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",
            "content":[{"type":"text","text":"said"}],${us}}}
    "#;
    for (at, level) in LEVELS.iter().enumerate() {
        let level = format!(r#","io.modelcontextprotocol/logLevel":"{level}""#);
        let script = format!("{ask}{}{done}", messages(at));
        let script = with(&[("level", &level)], &script);
        converse(&server([noisy_kit()]), &modern(&script)).await;
    }
    let script = with(&[("level", "")], &format!("{ask}{done}"));
    converse(&server([noisy_kit()]), &modern(&script)).await;
    let refused = r#"< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"$has logLevel"}}"#;
    let level = r#","io.modelcontextprotocol/logLevel":"loud""#;
    let script = with(&[("level", level)], &format!("{ask}{refused}"));
    converse(&server([noisy_kit()]), &modern(&script)).await;
}

/// A modern request's progress: its token, with messages.
#[tokio::test(start_paused = true)]
async fn modern_progress_goes_to_its_token() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"climb",
            "_meta":{${about},${can}:{},"progressToken":"p"}}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":0,"total":100,"message":"begun"}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":50.5,"total":100}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":100}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"up"}],${us}}}
    "#;
    converse(&server([noisy_kit()]), &modern(script)).await;
}

/// A legacy session's level has no effect on a modern request.
#[tokio::test(start_paused = true)]
async fn a_sessions_level_says_nothing_about_a_modern_request() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}
        < {"jsonrpc":"2.0","id":1,"result":{}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"speak",${me}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"said"}],${us}}}
        # And there is no such request in the modern era.
        > {"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"debug",${me}}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"method not found: logging/setLevel"}}
    "#;
    converse(&server([noisy_kit()]), &modern(&greeted("2025-11-25", script))).await;
}

/// An event is progress with its text as the message; real progress in between still grows.
#[tokio::test(start_paused = true)]
async fn events_are_progress_with_their_kind() {
    let script = r#"
        let progress = "jsonrpc":"2.0","method":"notifications/progress"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"print",
            "_meta":{"progressToken":"p"}}}
        < {${progress},"params":{"progressToken":"p","progress":1${first}}}
        < {${progress},"params":{"progressToken":"p","progress":2${second}}}
        < {${progress},"params":{"progressToken":"p","progress":2.5}}
        < {${progress},"params":{"progressToken":"p","progress":3${third}}}
        < {${progress},"params":{"progressToken":"p","progress":4${fourth}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"printed"}]}}
        # Without a token nobody asked.
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"print"}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"printed"}]}}
    "#;
    for version in LEGACY {
        let piece = |text: &str, stream: &str| match version {
            "2024-11-05" => String::new(),
            "2025-03-26" => format!(r#","message":{text}"#),
            _ => format!(r#","message":{text},"_meta":{{"dev.hobnob/event":"{stream}"}}"#),
        };
        let (first, second) = (piece(r#""one\n""#, "stdout"), piece(r#""two""#, "stderr"));
        let third = piece(r#""one\n""#, "stdout");
        let fourth = piece(r#""Using tool: Read""#, "tool_use");
        let pieces =
            [("first", &*first), ("second", &second), ("third", &third), ("fourth", &fourth)];
        let script = with(&pieces, script);
        converse(&server([noisy_kit()]), &greeted(version, &script)).await;
    }
}

/// The same for a modern request.
#[tokio::test(start_paused = true)]
async fn modern_events_are_progress_with_their_kind() {
    let script = r#"
        let progress = "jsonrpc":"2.0","method":"notifications/progress"
        let out = "_meta":{"dev.hobnob/event":"stdout"}
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"print",
            "_meta":{${about},${can}:{},"progressToken":7}}}
        < {${progress},"params":{"progressToken":7,"progress":1,"message":"one\n",${out}}}
        < {${progress},"params":{"progressToken":7,"progress":2,"message":"two",
            "_meta":{"dev.hobnob/event":"stderr"}}}
        < {${progress},"params":{"progressToken":7,"progress":2.5}}
        < {${progress},"params":{"progressToken":7,"progress":3,"message":"one\n",${out}}}
        < {${progress},"params":{"progressToken":7,"progress":4,"message":"Using tool: Read",
            "_meta":{"dev.hobnob/event":"tool_use"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",
            "content":[{"type":"text","text":"printed"}],${us}}}
    "#;
    converse(&server([noisy_kit()]), &modern(script)).await;
}

/// A call of `speak` that expects the messages from the level at this index on.
fn spoken_from(at: usize) -> String {
    let ask = r#"
        > {"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"speak"}}
    "#;
    let done = r#"
        < {"jsonrpc":"2.0","id":"s","result":{"content":[{"type":"text","text":"said"}]}}
    "#;
    format!("{ask}{}{done}", messages(at))
}

fn messages(at: usize) -> String {
    let message = r#"
        < {"jsonrpc":"2.0","method":"notifications/message","params":{
            "level":"LEVEL","logger":"speak","data":{"said":"LEVEL"}}}
    "#;
    LEVELS[at..].iter().map(|level| message.replace("LEVEL", level)).collect()
}

fn noisy_kit() -> KitBuilder {
    Kit::plain("noisy")
        .tool("climb", spec("climb"), async |context: Context| {
            context.progress(0.0, Some(100.0), Some("begun"));
            context.progress(50.5, Some(100.0), None);
            context.progress(100.0, None, None);
            Ok("up")
        })
        .tool("print", spec("print"), async |context: Context| {
            // An event without a text for people is not sent.
            context.emit(StreamEvent::start()).await;
            context.output(OutputStream::Stdout, "one\n");
            context.output(OutputStream::Stderr, "two");
            context.progress(2.0, None, None);
            context.progress(2.5, None, None);
            context.output(OutputStream::Stdout, "one\n");
            context.emit(StreamEvent::tool_use("Read", &1)).await;
            context.emit(StreamEvent::complete()).await;
            Ok("printed")
        })
        .tool("speak", spec("speak"), async |context: Context| {
            use LoggingLevel::{Alert, Critical, Debug, Emergency, Error, Info, Notice, Warning};
            for level in [Debug, Info, Notice, Warning, Error, Critical, Alert, Emergency] {
                context.log(level, &serde_json::json!({"said": level}));
            }
            Ok("said")
        })
}
