//! The native RPC on a pipe: beside MCP of both eras, and without a handshake.

use crate::test_view::{hash_of, view};
use hobnob_mcp_testkit::transcript::{converse, converse_doing, quiet, with_peer};
use hobnob_rpc::RpcLimits;
use std::time::Duration;

/// Runs the same script in each state that a pipe can be in.
async fn check(script: &str) {
    let words = format!(
        "let of bash = \"provenance\":[\"substrate\",\"bash\"],\"hash\":\"{}\"\n\
         let of once = \"provenance\":[\"substrate\",\"echo\"],\"hash\":\"{}\"\n\
         let of data = \"provenance\":[\"substrate\",\"echo\"],\"hash\":\"{}\"\n",
        hash_of("bash.execute"),
        hash_of("echo.once"),
        hash_of("echo.data"),
    );
    let legacy = r#"
        > {"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocolVersion":"2025-11-25",
            "capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
        < {"jsonrpc":"2.0","id":"h","result":"$any"}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
    "#;
    let modern = r#"
        > {"jsonrpc":"2.0","id":"h","method":"server/discover","params":{"_meta":{
            "io.modelcontextprotocol/protocolVersion":"2026-07-28",
            "io.modelcontextprotocol/clientCapabilities":{}}}}
        < {"jsonrpc":"2.0","id":"h","result":"$any"}
    "#;
    for before in ["", legacy, modern] {
        let (server, stage) = view(RpcLimits::default());
        let script = format!("{words}{before}{script}");
        converse_doing(&server, &script, |_| stage.open_gate()).await;
        assert_eq!(stage.running(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_is_a_subscription_with_events_and_one_end() {
    check(
        r#"
        let event = "jsonrpc":"2.0","method":"bash.execute","params"
        > {"jsonrpc":"2.0","id":1,"method":"bash.execute","params":["say one\nwait\nsay two"]}
        = {"jsonrpc":"2.0","id":1,"result":1}
        = {${event}:{"subscription":1,"result":{"type":"start"},"sequence":1,${of bash}}}
        = {${event}:{"subscription":1,"result":{"type":"stdout","data":"one\n"},"sequence":2,${of bash}}}
        # The producer waits for us: what came, came at once.
        !
        do open
        = {${event}:{"subscription":1,"result":{"type":"stdout","data":"two\n"},"sequence":3,${of bash}}}
        = {${event}:{"subscription":1,"result":{"type":"complete","exit_code":0},"sequence":4,${of bash}}}
        !
        # By name, and with the other spelling; the number is another one.
        > {"jsonrpc":"2.0","id":"2","method":"bash_execute","params":{"command":"","exit_code":7}}
        < {"jsonrpc":"2.0","id":"2","result":2}
        < {"jsonrpc":"2.0","method":"bash_execute","params":{
            "subscription":2,"result":{"type":"start"},"sequence":1,${of bash}}}
        < {"jsonrpc":"2.0","method":"bash_execute","params":{
            "subscription":2,"result":{"type":"complete","exit_code":7},"sequence":2,${of bash}}}
        "#,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_does_not_stream_ends_with_its_result() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"echo.once","params":["hi"]}
        < {"jsonrpc":"2.0","id":1,"result":1}
        < {"jsonrpc":"2.0","method":"echo.once","params":{"subscription":1,
            "result":{"type":"complete","result":"hi"},"sequence":1,${of once}}}
        > {"jsonrpc":"2.0","id":2,"method":"echo.data","params":["hi"]}
        < {"jsonrpc":"2.0","id":2,"result":2}
        < {"jsonrpc":"2.0","method":"echo.data","params":{"subscription":2,
            "result":{"type":"complete","result":{"text":"hi"}},"sequence":1,${of data}}}
        "#,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_fails_ends_with_an_error_once() {
    check(
        r#"
        let event = "jsonrpc":"2.0","method":"bash.execute","params"
        > {"jsonrpc":"2.0","id":1,"method":"bash.execute","params":["progress 1\nfail no such thing"]}
        < {"jsonrpc":"2.0","id":1,"result":1}
        < {${event}:{"subscription":1,"result":{"type":"start"},"sequence":1,${of bash}}}
        < {${event}:{"subscription":1,"result":{"type":"progress","progress":1.0,"total":3.0},
            "sequence":2,${of bash}}}
        < {${event}:{"subscription":1,"result":{"type":"error","message":"no such thing"},
            "sequence":3,${of bash}}}
        !
        # Arguments that do not fit.
        > {"jsonrpc":"2.0","id":2,"method":"bash.execute","params":[7]}
        < {"jsonrpc":"2.0","id":2,"result":2}
        < {${event}:{"subscription":2,"result":{"type":"error",
            "message":"arguments.command: expected string, received integer 7"},
            "sequence":1,${of bash}}}
        > {"jsonrpc":"2.0","id":3,"method":"bash.execute","params":[1,2,3]}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32602,
            "message":"bash.execute takes at most 2 parameters: command, exit_code"}}
        "#,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn unsubscribing_ends_the_call() {
    check(
        r#"
        let event = "jsonrpc":"2.0","method":"bash.execute","params"
        > {"jsonrpc":"2.0","id":1,"method":"bash.execute","params":["wait"]}
        < {"jsonrpc":"2.0","id":1,"result":1}
        < {${event}:{"subscription":1,"result":{"type":"start"},"sequence":1,${of bash}}}
        > {"jsonrpc":"2.0","id":2,"method":"unsubscribe","params":[7]}
        < {"jsonrpc":"2.0","id":2,"result":false}
        > {"jsonrpc":"2.0","id":3,"method":"bash.execute.unsubscribe","params":[1]}
        < {"jsonrpc":"2.0","id":3,"result":true}
        !
        > {"jsonrpc":"2.0","id":4,"method":"bash.unsubscribe","params":{"subscription":1}}
        < {"jsonrpc":"2.0","id":4,"result":false}
        > {"jsonrpc":"2.0","id":5,"method":"unsubscribe","params":["1"]}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"$any"}}
        "#,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn schemas_and_hashes_are_methods_too() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"schema"}
        < {"jsonrpc":"2.0","id":1,"result":{"services":[
            {"name":"bash","methods":["$any"],"hash":"$keep bash"},
            {"name":"echo","methods":["$any","$any"],"hash":"$any"}],"hash":"$keep all"}}
        > {"jsonrpc":"2.0","id":2,"method":"hash","params":[]}
        < {"jsonrpc":"2.0","id":2,"result":${all}}
        > {"jsonrpc":"2.0","id":3,"method":"bash.hash"}
        < {"jsonrpc":"2.0","id":3,"result":${bash}}
        > {"jsonrpc":"2.0","id":4,"method":"hash","params":{"name":"bash"}}
        < {"jsonrpc":"2.0","id":4,"result":${bash}}
        > {"jsonrpc":"2.0","id":5,"method":"schema","params":["echo.once"]}
        < {"jsonrpc":"2.0","id":5,"result":{"name":"echo.once","tool":"echo_once",
            "description":"Say it once","params":"$any","hash":"$keep once"}}
        > {"jsonrpc":"2.0","id":6,"method":"echo.hash","params":["once"]}
        < {"jsonrpc":"2.0","id":6,"result":${once}}
        > {"jsonrpc":"2.0","id":7,"method":"schema","params":["echo.onse"]}
        < {"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"$has did you mean `echo.once`?",
            "data":"$any"}}
        "#,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_nobody_has_is_answered_with_what_there_is() {
    check(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"bash.exceute","params":["ls"]}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32601,
            "message":"service `bash` has no method `bash.exceute`; it has: execute; did you mean `bash.execute`?",
            "data":{"service":"bash","methods":["execute"],"nearest":["bash.execute"]}}}
        # Names like those of MCP stay with MCP.
        > {"jsonrpc":"2.0","id":2,"method":"bash/execute","params":{}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":"$any","message":"$any"}}
        # Nobody waits for an answer to this.
        > {"jsonrpc":"2.0","method":"bash.execute","params":["say one"]}
        !
        "#,
    )
    .await;
}

/// MCP continues beside it, and a batch may contain only MCP.
#[tokio::test(start_paused = true)]
async fn mcp_goes_on_beside_a_stream() {
    let (server, stage) = view(RpcLimits::default());
    let script = r#"
        > {"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocolVersion":"2025-03-26",
            "capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
        < {"jsonrpc":"2.0","id":"h","result":"$any"}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        > {"jsonrpc":"2.0","id":1,"method":"bash.execute","params":["wait"]}
        < {"jsonrpc":"2.0","id":1,"result":1}
        < {"jsonrpc":"2.0","method":"bash.execute","params":"$any"}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo.once","arguments":{"text":"a"}}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"a"}]}}
        > [{"jsonrpc":"2.0","id":3,"method":"ping"},{"jsonrpc":"2.0","id":4,"method":"hash"}]
        < [{"jsonrpc":"2.0","id":3,"result":{}},
           {"jsonrpc":"2.0","id":4,"error":{"code":-32601,
             "message":"method not found: hash; only methods of MCP may be in a batch"}}]
        do open
        < {"jsonrpc":"2.0","method":"bash.execute","params":"$any"}
    "#;
    converse_doing(&server, script, |_| stage.open_gate()).await;
    // With a progress token, MCP gets the same events as notifications.
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"bash.execute",
            "arguments":{"command":"say one"},"_meta":{"progressToken":1,
            "io.modelcontextprotocol/protocolVersion":"2026-07-28",
            "io.modelcontextprotocol/clientCapabilities":{}}}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,
            "message":"one\n","_meta":{"dev.hobnob/event":"stdout"}}}
        < {"jsonrpc":"2.0","id":1,"result":"$any"}
    "#;
    converse(&server, script).await;
}

/// A reader that does not read holds its calls up, and learns why they were cut.
#[tokio::test(start_paused = true)]
async fn a_slow_reader_is_cut_with_a_reason() {
    let limits = RpcLimits {
        queued_bytes: 10_000,
        slow_reader: Duration::from_secs(5),
        ..RpcLimits::default()
    };
    let (server, stage) = view(limits);
    with_peer(&server, async |peer| {
        let ask = r#"{"jsonrpc":"2.0","id":1,"method":"bash.execute","params":["flood 1000"]}"#;
        peer.send(format!("{ask}\n").as_bytes()).await;
        // The client does not read for a while.
        quiet().await;
        tokio::time::advance(Duration::from_secs(4)).await;
        quiet().await;
        let emitted = stage.emitted.load(std::sync::atomic::Ordering::SeqCst);
        assert!(0 < emitted && emitted <= 10, "{emitted} events wait");
        assert_eq!(stage.running(), 1);
        tokio::time::advance(Duration::from_secs(2)).await;
        quiet().await;
        assert_eq!(stage.running(), 0, "the call is over");
        let mut last = String::new();
        for _ in 0..emitted + 3 {
            let frame = peer.receive().await.unwrap();
            last = String::from_utf8_lossy(&frame.bytes).into_owned();
        }
        assert!(
            last.contains(r#""type":"error","message":"the client reads too slowly"#),
            "{last}"
        );
        // The connection is still usable.
        peer.send(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"echo.once\",\"params\":[\"a\"]}\n")
            .await;
        let answer = peer.receive().await.unwrap();
        assert_eq!(&answer.bytes[..], br#"{"jsonrpc":"2.0","id":2,"result":2}"#);
        drop(peer.receive().await);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn subscriptions_are_bounded_and_end_with_their_connection() {
    let (server, stage) = view(RpcLimits::default());
    let limit = RpcLimits::default().subscriptions;
    with_peer(&server, async |peer| {
        let ask = br#"{"jsonrpc":"2.0","id":1,"method":"bash.execute","params":["wait"]}"#;
        for _ in 0..=limit {
            peer.send(&[ask, &b"\n"[..]].concat()).await;
        }
        let (mut subscribed, mut refused) = (0, 0);
        while subscribed + refused <= limit {
            let text = String::from_utf8_lossy(&peer.receive().await.unwrap().bytes).into_owned();
            subscribed += usize::from(text.contains(r#""result":"#) && text.contains(r#""id""#));
            refused += usize::from(text.contains(r#""code":-31001"#));
        }
        assert_eq!((subscribed, refused), (limit, 1));
        assert_eq!(stage.running(), limit);
    })
    .await;
    assert_eq!(stage.running(), 0, "calls end with their connection");
}
