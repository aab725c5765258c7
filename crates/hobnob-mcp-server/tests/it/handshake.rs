//! `initialize`, negotiation of the revision, and which messages each state allows.

use crate::support::{LEGACY, greeted, modern, plain_kit, server, with};
use hobnob_mcp_engine::HandshakeRules;
use hobnob_mcp_testkit::transcript::converse;

/// Every legacy revision is accepted. The declared capabilities depend on it: completions came with
/// 2025-03-26, tasks are declared only to 2025-11-25, extensions to no legacy revision.
#[tokio::test(start_paused = true)]
async fn each_revision_is_agreed_to() {
    for version in LEGACY {
        let script = r#"
            > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{
                "protocolVersion":"${version}","capabilities":{},
                "clientInfo":{"name":"c","version":"1"}}}
            < {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"${version}",
                "capabilities":{"tools":{"listChanged":true},"logging":{}},
                "serverInfo":{"name":"probe","version":"1.0"}}}
            "#;
        converse(&server([plain_kit()]), &with(&[("version", version)], script)).await;
    }
}

/// For an unknown revision the server offers the newest legacy one, and also for the modern
/// revision, which has no `initialize`.
#[tokio::test(start_paused = true)]
async fn an_unknown_revision_is_answered_with_the_newest_legacy_one() {
    for version in ["2026-07-28", "2024-10-07", "1999-01-01", "2030-01-01", "latest", ""] {
        let script = r#"
            > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{
                "protocolVersion":"${version}","capabilities":{},
                "clientInfo":{"name":"c","version":"1"}}}
            < {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25",
                "capabilities":"$any","serverInfo":"$any"}}
            "#;
        converse(&server([plain_kit()]), &with(&[("version", version)], script)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn instructions_are_part_of_the_handshake() {
    let server = hobnob_mcp_server::Server::builder("probe", "1.0").instructions("Ask politely.");
    let server = server.build().expect("a server");
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{
            "protocolVersion":"2024-11-05","capabilities":{},
            "clientInfo":{"name":"c","version":"1"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05",
            "capabilities":"$any","serverInfo":"$any","instructions":"Ask politely."}}
    "#;
    converse(&server, script).await;
}

/// A failed handshake changes nothing: the client may try again.
#[tokio::test(start_paused = true)]
async fn a_broken_handshake_may_be_repeated() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"initialize"}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"$has protocolVersion"}}
        > {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":7,
            "capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"$any"}}
        > {"jsonrpc":"2.0","id":3,"method":"initialize","params":["2025-06-18"]}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"`params` must be an object"}}
        > {"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":"2025-06-18",
            "capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
        < {"jsonrpc":"2.0","id":4,"result":{"protocolVersion":"2025-06-18",
            "capabilities":"$any","serverInfo":"$any"}}
    "#;
    converse(&server([plain_kit()]), script).await;
}

/// Created, initializing, operating: `ping` is answered in every state, other requests only in the
/// last one, and a second `initialize` never.
#[tokio::test(start_paused = true)]
async fn each_state_answers_what_it_may() {
    for version in LEGACY {
        let script = r#"
            > {"jsonrpc":"2.0","id":1,"method":"ping"}
            < {"jsonrpc":"2.0","id":1,"result":{}}
            > {"jsonrpc":"2.0","id":2,"method":"tools/list"}
            < {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"server not initialized"}}
            > {"jsonrpc":"2.0","id":3,"method":"no/such"}
            < {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"server not initialized"}}

            # Out of place it means nothing: the handshake has not begun.
            > {"jsonrpc":"2.0","method":"notifications/initialized"}
            !
            > {"jsonrpc":"2.0","id":4,"method":"initialize","params":{
                "protocolVersion":"${version}","capabilities":{},
                "clientInfo":{"name":"c","version":"1"}}}
            < {"jsonrpc":"2.0","id":4,"result":"$any"}
            > {"jsonrpc":"2.0","id":5,"method":"ping","params":{}}
            < {"jsonrpc":"2.0","id":5,"result":{}}
            > {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}
            < {"jsonrpc":"2.0","id":6,"error":{"code":-32600,"message":"server not initialized"}}
            > {"jsonrpc":"2.0","id":7,"method":"initialize","params":{
                "protocolVersion":"${version}","capabilities":{},
                "clientInfo":{"name":"c","version":"1"}}}
            < {"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"already initialized"}}

            > {"jsonrpc":"2.0","method":"notifications/initialized"}
            !
            > {"jsonrpc":"2.0","id":8,"method":"ping"}
            < {"jsonrpc":"2.0","id":8,"result":{}}
            > {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}
            < {"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"a"}]}}
            > {"jsonrpc":"2.0","id":10,"method":"initialize","params":{
                "protocolVersion":"2025-06-18","capabilities":{},
                "clientInfo":{"name":"c","version":"1"}}}
            < {"jsonrpc":"2.0","id":10,"error":{"code":-32600,"message":"already initialized"}}

            # A second one changes nothing either.
            > {"jsonrpc":"2.0","method":"notifications/initialized"}
            > {"jsonrpc":"2.0","id":11,"method":"no/such"}
            < {"jsonrpc":"2.0","id":11,"error":{"code":-32601,"message":"method not found: no/such"}}
            "#;
        converse(&server([plain_kit()]), &with(&[("version", version)], script)).await;
    }
}

/// `initialized`, the name in drafts before the first revision, ends the handshake too, but only as
/// a notification.
#[tokio::test(start_paused = true)]
async fn the_drafts_name_ends_the_handshake_too() {
    for version in LEGACY {
        let script = r#"
            > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{
                "protocolVersion":"${version}","capabilities":{},
                "clientInfo":{"name":"c","version":"1"}}}
            < {"jsonrpc":"2.0","id":1,"result":"$any"}
            > {"jsonrpc":"2.0","id":2,"method":"initialized"}
            < {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"server not initialized"}}
            > {"jsonrpc":"2.0","method":"initialized","params":{}}
            > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}
            < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"a"}]}}
            "#;
        converse(&server([plain_kit()]), &with(&[("version", version)], script)).await;
    }
}

/// Methods of other revisions, and those that servers send, are not found.
#[tokio::test(start_paused = true)]
async fn methods_of_other_revisions_are_not_found() {
    let foreign = [
        "notifications/initialized",
        "notifications/cancelled",
        "notifications/tools/list_changed",
        "sampling/createMessage",
        "elicitation/create",
        "roots/list",
        "tasks/update",
    ];
    for version in LEGACY {
        for method in foreign {
            // `tasks/update` exists only in the modern era, which checks the metadata first.
            let code = if method == "tasks/update" { "-32602" } else { "-32601" };
            let script = r#"
                > {"jsonrpc":"2.0","id":1,"method":"${method}"}
                < {"jsonrpc":"2.0","id":1,"error":{"code":${code},"message":"$any"}}
                "#;
            let script = with(&[("method", method), ("code", code)], script);
            converse(&server([plain_kit()]), &greeted(version, &script)).await;
        }
    }
}

/// The modern era needs no handshake, and has none.
#[tokio::test(start_paused = true)]
async fn a_modern_request_needs_no_handshake() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",
            "arguments":{"text":"a"},${me}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",
            "content":[{"type":"text","text":"a"}],${us}}}
        > {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2026-07-28",
            "capabilities":{},"clientInfo":{"name":"c","version":"1"},${me}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"method not found: initialize"}}
        > {"jsonrpc":"2.0","id":3,"method":"ping","params":{${me}}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"method not found: ping"}}
        # None of this was a legacy handshake.
        > {"jsonrpc":"2.0","id":4,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":4,"error":{"code":-32600,"message":"server not initialized"}}
    "#;
    converse(&server([plain_kit()]), &modern(script)).await;
}

/// A lenient server accepts clients that leave out their revision, their capabilities and the end
/// of the handshake, but not their name.
#[tokio::test(start_paused = true)]
async fn a_lenient_handshake_leaves_most_of_it_out() {
    let lenient = || {
        let builder = hobnob_mcp_server::Server::builder("probe", "1.0");
        let builder = builder.handshake(HandshakeRules::Lenient).kit(plain_kit());
        builder.build().expect("a server")
    };
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",
            "capabilities":{}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"$has clientInfo"}}
        > {"jsonrpc":"2.0","id":2,"method":"initialize"}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"$has clientInfo"}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"$any"}}
        > {"jsonrpc":"2.0","id":4,"method":"initialize","params":{
            "clientInfo":{"name":"c","version":"1"}}}
        < {"jsonrpc":"2.0","id":4,"result":{"protocolVersion":"2024-11-05",
            "capabilities":"$any","serverInfo":"$any"}}
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo",
            "arguments":{"text":"hello"}}}
        < {"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"hello"}]}}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        > {"jsonrpc":"2.0","id":6,"method":"ping"}
        < {"jsonrpc":"2.0","id":6,"result":{}}
    "#;
    converse(&lenient(), script).await;
    let newer = r#"
        > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",
            "clientInfo":{"name":"c","version":"1"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25",
            "capabilities":"$any","serverInfo":"$any"}}
    "#;
    converse(&lenient(), newer).await;
}
