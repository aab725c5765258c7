//! How much data of a peer is kept, and how long a call may take.

use crate::support::{Gate, greeted, server, with};
use hobnob_mcp_engine::Limits;
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::transcript::converse;
use std::time::Duration;

/// A session keeps what a client says about itself, so the size of that is limited.
#[tokio::test(start_paused = true)]
async fn a_hello_that_is_too_long_is_refused() {
    let name = "x".repeat(70_000);
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"${name}","version":"1"}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"`params` of initialize are longer than 65536 bytes"}}
        > {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"short","version":"1"}}}
        < {"jsonrpc":"2.0","id":2,"result":"$any"}
    "#;
    converse(&server([]), &with(&[("name", &name)], script)).await;
}

/// A call that never ends is cancelled at its time limit, no matter how it waits.
#[tokio::test(start_paused = true)]
async fn a_call_that_takes_too_long_is_given_up() {
    let gate = Gate::new();
    let limits = Limits { call: Duration::from_millis(1500), ..Limits::default() };
    let kit = gate.kit();
    let server = Server::builder("probe", "1.0").limits(limits).kit(kit).build().expect("sound");
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-31002,"message":"gave no answer within 1 s"}}
        > {"jsonrpc":"2.0","id":2,"method":"ping"}
        < {"jsonrpc":"2.0","id":2,"result":{}}
    "#;
    converse(&server, &greeted("2025-06-18", script)).await;
    assert_eq!(gate.tally().2, 1, "the work was dropped");
}
