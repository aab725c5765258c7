//! Both eras on one pipe, at the same time: each request is answered in its own era.

use crate::features::library_kit;
use crate::questions::question_kit;
use crate::support::{Gate, greeted, greeted_with, modern, plain_kit, server, with};
use hobnob_mcp_testkit::transcript::{converse, converse_doing};

/// Modern requests are answered before, during and after the handshake.
#[tokio::test(start_paused = true)]
async fn modern_requests_pass_by_the_handshake() {
    let script = r#"
        let call = "method":"tools/call","params":{"name":"echo","arguments":{"text":"m"},${me}}
        let done = "result":{"resultType":"complete","content":[{"type":"text","text":"m"}],${us}}
        > {"jsonrpc":"2.0","id":1,${call}}
        < {"jsonrpc":"2.0","id":1,${done}}
        > {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2024-11-05",
            "capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
        < {"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2024-11-05","capabilities":"$any","serverInfo":"$any"}}
        > {"jsonrpc":"2.0","id":3,${call}}
        < {"jsonrpc":"2.0","id":3,${done}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":4,"error":{"code":-32600,"message":"server not initialized"}}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        > {"jsonrpc":"2.0","id":5,${call}}
        < {"jsonrpc":"2.0","id":5,${done}}
        > {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"echo","arguments":{"text":"l"}}}
        < {"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"text","text":"l"}]}}
        > {"jsonrpc":"2.0","id":7,"method":"server/discover","params":{${me}}}
        < {"jsonrpc":"2.0","id":7,"result":"$any"}
    "#;
    converse(&server([plain_kit()]), &modern(script)).await;
}

/// Each era gets the same error in its own form.
#[tokio::test(start_paused = true)]
async fn errors_follow_the_era_of_their_request() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"test://x"}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"$any","data":{"uri":"test://x"}}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"test://x",${me}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"$any","data":{"uri":"test://x"}}}
        > {"jsonrpc":"2.0","id":3,"method":"ping"}
        < {"jsonrpc":"2.0","id":3,"result":{}}
        > {"jsonrpc":"2.0","id":4,"method":"ping","params":{${me}}}
        < {"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"method not found: ping"}}
        # Metadata of a legacy request does not make it a modern one, whatever it quotes.
        > {"jsonrpc":"2.0","id":5,"method":"ping","params":{"_meta":{"note":"io.modelcontextprotocol/protocolVersion"}}}
        < {"jsonrpc":"2.0","id":5,"result":{}}
    "#;
    for version in ["2024-11-05", "2025-11-25"] {
        converse(&server([library_kit()]), &modern(&greeted(version, script))).await;
    }
}

/// Capabilities declared in one era do not count in the other: a modern request stands alone.
#[tokio::test(start_paused = true)]
async fn capabilities_do_not_cross_over() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"roots",${me}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"$any",
            "data":{"requiredCapabilities":{"roots":{}}}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"roots",${can ask}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{"roots":{"method":"roots/list"}},${us}}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"roots"}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"roots/list","params":"$any"}
        > {"jsonrpc":"2.0","id":${question},"result":{"roots":[]}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":""}]}}
        # Answers of the modern kind mean nothing to a legacy call: it asks for itself.
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"roots",
            "inputResponses":{"roots":{"roots":[{"uri":"file:///forged"}]}}}}
        < {"jsonrpc":"2.0","id":"$keep question","method":"roots/list","params":"$any"}
        > {"jsonrpc":"2.0","id":${question},"result":{"roots":[{"uri":"file:///true"}]}}
        < {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"file:///true"}]}}
    "#;
    let script = greeted_with("2025-06-18", r#"{"roots":{}}"#, script);
    converse(&server([question_kit()]), &modern(&script)).await;
}

/// One pipe has one table of ids: a cancellation stops the call with that id, of either era.
#[tokio::test(start_paused = true)]
async fn ids_are_shared_by_the_pipe() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait",${me}}}
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait",${me}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"$has still being answered"}}
        do both
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${cancelled}}}
        do one
        do open
        < {"jsonrpc":"2.0","id":${kept},"result":"$any"}
        !
    "#;
    for (cancelled, kept) in [("1", "2"), ("2", "1")] {
        let gate = Gate::new();
        let script = with(&[("cancelled", cancelled), ("kept", kept)], script);
        let script = modern(&greeted("2025-03-26", &script));
        converse_doing(&server([gate.kit()]), &script, |deed| match deed {
            "both" => assert_eq!(gate.tally(), (2, 0, 0)),
            "one" => assert_eq!(gate.tally(), (2, 0, 1)),
            _ => gate.open(),
        })
        .await;
        assert_eq!(gate.tally(), (2, 1, 1));
    }
}

/// A modern request inside a batch of a 2025-03-26 session is refused: its own revision has no
/// batches.
#[tokio::test(start_paused = true)]
async fn modern_requests_do_not_come_in_batches() {
    let script = r#"
        > [{"jsonrpc":"2.0","id":1,"method":"ping"},
           {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{${me}}},
           {"jsonrpc":"2.0","id":3,"method":"subscriptions/listen","params":{"notifications":{},${me}}}]
        < [{"jsonrpc":"2.0","id":1,"result":{}},
           {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"$has batch"}},
           {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"$has batch"}}]
    "#;
    converse(&server([plain_kit()]), &modern(&greeted("2025-03-26", script))).await;
}
