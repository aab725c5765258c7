//! Unanswered questions, reported to a service that wants refusals.

use crate::probe_service::probe;
use crate::support::{Gate, greeted_with, modern, server, with};
use crate::tasks::task_kit;
use hobnob_mcp_engine::Limits;
use hobnob_mcp_testkit::transcript::{converse, converse_doing};
use std::time::Duration;

const BOTH: &str = r#"{"roots":{},"elicitation":{}}"#;

/// The call of `insist` and its two questions, whose ids are kept as `form` and `roots`.
const ASKED: &str = r#"
    > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"insist"}}
    < {"jsonrpc":"2.0","id":"$keep form","method":"elicitation/create","params":"$any"}
    < {"jsonrpc":"2.0","id":"$keep roots","method":"roots/list","params":"$any"}
"#;

/// A refusal of one question leaves the other one open. The service gets both ends, with the
/// client's own message and its own state.
#[tokio::test(start_paused = true)]
async fn a_refusal_reaches_the_service() {
    let script = r#"
        > {"jsonrpc":"2.0","id":${form},"error":{"code":-1,"message":"not \"now\""}}
        !
        > {"jsonrpc":"2.0","id":${roots},"result":{"roots":[]}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text",
            "text":"form: -1 not \"now\", roots: answered, held"}]}}
    "#;
    for version in ["2025-06-18", "2025-11-25"] {
        let script = greeted_with(version, BOTH, &format!("{ASKED}{script}"));
        converse(&probe(Limits::default()).0, &script).await;
    }
}

/// The question is cancelled at the client, and the service gets a refusal.
#[tokio::test(start_paused = true)]
async fn silence_reaches_the_service() {
    let script = r#"
        > {"jsonrpc":"2.0","id":${form},"result":{"action":"decline"}}
        < {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${roots}}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text",
            "text":"form: answered, roots: -31002 the client gave no answer within 1 s, held"}]}}
    "#;
    let limits = Limits { ask_timeout: Duration::from_secs(1), ..Limits::default() };
    let script = greeted_with("2025-06-18", BOTH, &format!("{ASKED}{script}"));
    converse(&probe(limits).0, &script).await;
}

#[tokio::test(start_paused = true)]
async fn leaving_reaches_the_service() {
    let script = r#"
        > {"jsonrpc":"2.0","id":${form},"result":{"action":"accept"}}
        end
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text",
            "text":"form: answered, roots: -32600 the client is gone, held"}]}}
    "#;
    let script = greeted_with("2025-06-18", BOTH, &format!("{ASKED}{script}"));
    converse(&probe(Limits::default()).0, &script).await;
}

/// A question that the client cannot be asked is refused; the other one is asked.
#[tokio::test(start_paused = true)]
async fn a_missing_capability_reaches_the_service() {
    let none = "-32600 the client did not declare a capability this needs";
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"insist"}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text",
            "text":"form: ${none}, roots: ${none}, held"}]}}
    "#;
    let script = with(&[("none", none)], script);
    converse(&probe(Limits::default()).0, &greeted_with("2025-06-18", "{}", &script)).await;
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"insist"}}
        < {"jsonrpc":"2.0","id":"$keep roots","method":"roots/list","params":"$any"}
        > {"jsonrpc":"2.0","id":${roots},"result":{"roots":[]}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text",
            "text":"form: ${none}, roots: answered, held"}]}}
    "#;
    let script = with(&[("none", none)], script);
    // Before 2025-06-18 no client could be asked to fill in a form, even if it declared that.
    converse(&probe(Limits::default()).0, &greeted_with("2024-11-05", BOTH, &script)).await;
}

/// A client's answer cannot look like a refusal of the server, in any spelling.
#[tokio::test(start_paused = true)]
async fn a_legacy_client_cannot_forge_a_refusal() {
    let script = r#"
        > {"jsonrpc":"2.0","id":${form},"result":{"${key}":{"code":-5,"message":"forged"}}}
        > {"jsonrpc":"2.0","id":${roots},"result":{"roots":[]}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"form: -32602
            `inputResponses.form` may not have the member `hobnob/refused`, roots: answered, held"}]}}
    "#;
    let script = script.replace("-32602\n            `", "-32602 `");
    for key in ["hobnob/refused", r"hobnob\/refused", r"\u0068obnob/refused"] {
        let script = with(&[("key", key)], &format!("{ASKED}{script}"));
        converse(&probe(Limits::default()).0, &greeted_with("2025-06-18", BOTH, &script)).await;
    }
}

/// The modern edge asks what it can, and refuses the rest at once: the client never sees it.
#[tokio::test(start_paused = true)]
async fn a_modern_client_is_asked_only_what_it_declared() {
    let script = r#"
        let none = -32021 the client did not declare a capability this needs
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"insist",${me}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text",
            "text":"form: ${none}, roots: ${none}, held"}],${us}}}
        let some = "_meta":{${about},${can}:{"roots":{}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"insist",${some}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required",
            "inputRequests":{"roots":{"method":"roots/list"}},"requestState":"$keep state",${us}}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"insist",
            "requestState":${state},"inputResponses":{"roots":{"roots":[]}},${some}}}
        < {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[{"type":"text",
            "text":"form: ${none}, roots: answered, held"}],${us}}}
        # With everything declared nothing is different from other questions.
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"insist",${can ask}}}
        < {"jsonrpc":"2.0","id":4,"result":{"resultType":"input_required",
            "inputRequests":{"form":"$any","roots":"$any"},"requestState":"$any",${us}}}
    "#;
    converse(&probe(Limits::default()).0, &modern(script)).await;
}

#[tokio::test(start_paused = true)]
async fn a_modern_client_cannot_forge_a_refusal() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"insist",
            "inputResponses":{"roots":{"roots":[]},"form":{"${key}":{"code":-5,"message":"forged"}}},${can ask}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,
            "message":"`inputResponses.form` may not have the member `hobnob/refused`"}}
    "#;
    for key in ["hobnob/refused", r"hobnob\/refused", r"\u0068obnob/refused"] {
        let script = with(&[("key", key)], script);
        converse(&probe(Limits::default()).0, &modern(&script)).await;
    }
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"asks",${can wait}}}
        < {"jsonrpc":"2.0","id":1,"result":"$any"}
        do nothing
        > {"jsonrpc":"2.0","id":2,"method":"tasks/update","params":{"taskId":"any",
            "inputResponses":{"sure":{"hobnob/refused":{}}},${can wait}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"$has hobnob/refused"}}
    "#;
    converse_doing(&server([task_kit(&Gate::new())]), &modern(script), |_| ()).await;
}
