//! What a service learns about its callers: their log level, and which resources they watch.

use crate::probe_service::probe;
use crate::support::{LEGACY, greeted, modern};
use hobnob_mcp_engine::Limits;
use hobnob_mcp_testkit::transcript::{converse, converse_doing, quiet, with_peer};

/// A session has the level that it set itself; other sessions' levels have no effect.
#[tokio::test(start_paused = true)]
async fn a_service_sees_the_level_a_session_has_set() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"level"}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"None"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"warning"}}
        < {"jsonrpc":"2.0","id":2,"result":{}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"level"}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"Some(Warning)"}]}}
    "#;
    for version in LEGACY {
        converse(&probe(Limits::default()).0, &greeted(version, script)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_sees_the_level_a_request_has_of_its_own() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"level",${me}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",
            "content":[{"type":"text","text":"None"}],${us}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"level",
            "_meta":{${about},${can}:{},"io.modelcontextprotocol/logLevel":"error"}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",
            "content":[{"type":"text","text":"Some(Error)"}],${us}}}
    "#;
    converse(&probe(Limits::default()).0, &modern(script)).await;
}

/// Subscribing creates interest; unsubscribing and disconnecting end it. Subscribing is idempotent.
#[tokio::test(start_paused = true)]
async fn a_subscription_is_interest_until_it_ends() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://a"}}
        < {"jsonrpc":"2.0","id":1,"result":{}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"test://a"}}
        < {"jsonrpc":"2.0","id":2,"result":{}}
        > {"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"test://b"}}
        < {"jsonrpc":"2.0","id":3,"result":{}}
        do received +test://a +test://b
        > {"jsonrpc":"2.0","id":4,"method":"resources/unsubscribe","params":{"uri":"test://a"}}
        < {"jsonrpc":"2.0","id":4,"result":{}}
        > {"jsonrpc":"2.0","id":5,"method":"resources/unsubscribe","params":{"uri":"test://a"}}
        < {"jsonrpc":"2.0","id":5,"result":{}}
        do received -test://a
    "#;
    for version in LEGACY {
        let (server, probe) = probe(Limits::default());
        converse_doing(&server, &greeted(version, script), |deed| probe.act(deed)).await;
        probe.act("received -test://b");
    }
}

/// A refused subscription creates no interest.
#[tokio::test(start_paused = true)]
async fn what_is_refused_is_not_watched() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://a"}}
        < {"jsonrpc":"2.0","id":1,"result":{}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"test://b"}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"$has 1 subscriptions"}}
        > {"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"test://much too long"}}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"$has 16 bytes"}}
        do received +test://a
    "#;
    let (server, probe) = probe(Limits { subscriptions: 1, uri_bytes: 16, ..Limits::default() });
    converse_doing(&server, &greeted("2025-11-25", script), |deed| probe.act(deed)).await;
}

/// A listen creates interest in its filter's resources, until it is cancelled or its peer leaves.
#[tokio::test(start_paused = true)]
async fn a_listen_is_interest_until_it_ends() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{
            "notifications":{"resourceSubscriptions":["test://a","test://b","test://a"]},${me}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":"$any"}
        > {"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{
            "notifications":{"resourceSubscriptions":["test://b"]},${me}}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":"$any"}
        do received +test://a +test://b
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        do received -test://a
    "#;
    let (server, probe) = probe(Limits::default());
    converse_doing(&server, &modern(script), |deed| probe.act(deed)).await;
    probe.act("received -test://b");
}

/// Two peers of one server: the service is notified of the first watcher and of the last.
#[tokio::test(start_paused = true)]
async fn interest_lasts_as_long_as_the_last_who_has_it() {
    let (server, probe) = probe(Limits::default());
    let stays = r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"test://a"}}
        < {"jsonrpc":"2.0","id":1,"result":{}}
    "#;
    with_peer(&server, async |peer| {
        let listen = r#"{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["test://a"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
        peer.send(format!("{listen}\n").as_bytes()).await;
        quiet().await;
        probe.act("received +test://a");
        converse(&server, &greeted("2025-06-18", stays)).await;
        quiet().await;
        probe.act("received .");
    })
    .await;
    probe.act("received -test://a");
}

/// A service can subscribe the session that calls it, as if the client had subscribed itself.
#[tokio::test(start_paused = true)]
async fn a_service_may_subscribe_its_caller() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"watch","arguments":{"uri":"test://a"}}}
        < {"jsonrpc":"2.0","id":1,"result":"$any"}
        do received +test://a
        do touch test://a
        < {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://a"}}
        # Over the limit it is left out in silence.
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"watch","arguments":{"uri":"test://b"}}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"watched"}]}}
        do touch test://b
        !
        do received .
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"unwatch","arguments":{"uri":"test://a"}}}
        < {"jsonrpc":"2.0","id":3,"result":"$any"}
        do received -test://a
        do touch test://a
        !
        # The same subscription either way: the client may take back what the service began.
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"watch","arguments":{"uri":"test://b"}}}
        < {"jsonrpc":"2.0","id":4,"result":"$any"}
        > {"jsonrpc":"2.0","id":5,"method":"resources/unsubscribe","params":{"uri":"test://b"}}
        < {"jsonrpc":"2.0","id":5,"result":{}}
        do received +test://b -test://b
    "#;
    for version in LEGACY {
        let (server, probe) = probe(Limits { subscriptions: 1, ..Limits::default() });
        converse_doing(&server, &greeted(version, script), |deed| probe.act(deed)).await;
    }
}

/// A modern request has no session that could be subscribed.
#[tokio::test(start_paused = true)]
async fn a_caller_without_a_session_is_not_subscribed() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"watch",
            "arguments":{"uri":"test://a"},"_meta":{${about},${can}:{},"progressToken":1}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",
            "content":[{"type":"text","text":"watched"}],${us}}}
        do received .
        do touch test://a
        !
    "#;
    let (server, probe) = probe(Limits::default());
    converse_doing(&server, &modern(script), |deed| probe.act(deed)).await;
}

/// A service may answer from a toolbox inside it, and with errors of its own.
#[tokio::test(start_paused = true)]
async fn a_service_may_have_a_toolbox_inside() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/list"}
        < {"jsonrpc":"2.0","id":1,"result":{"resources":["$any","$any"],"nextCursor":"$any"}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"other"}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-4711,"message":"no other"}}
    "#;
    converse(&probe(Limits::default()).0, &greeted("2025-06-18", script)).await;
}
