//! The stateless era on a pipe: what every request and every result must contain.

use crate::features::library_kit;
use crate::support::{Gate, greeted, modern, plain_kit, server, spec, with};
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::transcript::{converse, converse_doing};
use hobnob_mcp_toolbox::{Context, Kit, KitBuilder, Toolbox};
use hobnob_mcp_types::cache::{CacheHint, CacheScope};
use hobnob_mcp_types::capabilities::{ClientCapabilities, SamplingCapability};
use std::sync::Arc;

/// `server/discover` lists every revision that the server speaks, newest first.
#[tokio::test(start_paused = true)]
async fn discover_says_what_there_is() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{${me}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",
            "supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],
            "capabilities":{"tools":{"listChanged":true},"logging":{},"completions":{},
                "resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true}},
            "ttlMs":0,"cacheScope":"private",${us}}}
    "#;
    converse(&server([library_kit()]), &modern(script)).await;
    let server = Server::builder("probe", "1.0").instructions("Ask politely.").build();
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{${me}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":"$any",
            "capabilities":{"tools":{"listChanged":true},"logging":{}},"instructions":"Ask politely.",
            "ttlMs":0,"cacheScope":"private",${us}}}
    "#;
    converse(&server.expect("a server"), &modern(script)).await;
}

/// Every list and every read has a cache hint; every result has its type and the server's name.
#[tokio::test(start_paused = true)]
async fn results_carry_their_type_and_their_cache_hint() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{${me}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[],
            "ttlMs":0,"cacheScope":"private",${us}}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/list","params":{${me}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","resources":["$any","$any","$any"],
            "ttlMs":0,"cacheScope":"private",${us}}}
        > {"jsonrpc":"2.0","id":3,"method":"resources/templates/list","params":{${me}}}
        < {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","resourceTemplates":["$any","$any"],
            "ttlMs":0,"cacheScope":"private",${us}}}
        > {"jsonrpc":"2.0","id":4,"method":"prompts/list","params":{${me}}}
        < {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","prompts":["$any","$any"],
            "ttlMs":0,"cacheScope":"private",${us}}}
        > {"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"test://hello",${me}}}
        < {"jsonrpc":"2.0","id":5,"result":{"resultType":"complete",
            "contents":[{"uri":"test://hello","mimeType":"text/plain","text":"hello"}],
            "ttlMs":0,"cacheScope":"private",${us}}}
        > {"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{"name":"plain",${me}}}
        < {"jsonrpc":"2.0","id":6,"result":{"resultType":"complete",
            "messages":[{"role":"user","content":{"type":"text","text":"Plain."}}],${us}}}
        > {"jsonrpc":"2.0","id":7,"method":"completion/complete","params":{
            "ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"language","value":"g"},${me}}}
        < {"jsonrpc":"2.0","id":7,"result":{"resultType":"complete",
            "completion":{"values":["go"],"total":1,"hasMore":false},${us}}}
    "#;
    converse(&server([library_kit()]), &modern(script)).await;
}

/// A toolbox may set its own cache hints.
#[tokio::test(start_paused = true)]
async fn a_toolbox_may_give_a_cache_hint() {
    let server = Server::builder("probe", "1.0").build_with(|hub, tasks| {
        let lists = CacheHint { ttl_ms: 60_000, scope: CacheScope::Public };
        let reads = CacheHint { ttl_ms: 500, scope: CacheScope::Private };
        let toolbox = Toolbox::new(hub, tasks).with_list_cache(lists).with_read_cache(reads);
        toolbox.add(library_kit()).expect("a free name");
        Arc::new(toolbox)
    });
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{${me}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","prompts":"$any",
            "ttlMs":60000,"cacheScope":"public",${us}}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"test://hello",${me}}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","contents":"$any",
            "ttlMs":500,"cacheScope":"private",${us}}}
    "#;
    converse(&server.expect("a server"), &modern(script)).await;
}

/// Requests without parts of the required `_meta`.
#[tokio::test(start_paused = true)]
async fn a_request_without_its_metadata_is_refused() {
    let version = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
    let cases = [
        ("{}".to_owned(), "-32602", "$has io.modelcontextprotocol/protocolVersion"),
        (r#"{"_meta":{}}"#.to_owned(), "-32602", "$has io.modelcontextprotocol/protocolVersion"),
        (
            format!(r#"{{"_meta":{{{version}}}}}"#),
            "-32602",
            "$has io.modelcontextprotocol/clientCapabilities",
        ),
        (
            format!(r#"{{"_meta":{{{version},"io.modelcontextprotocol/clientCapabilities":7}}}}"#),
            "-32602",
            "$has io.modelcontextprotocol/clientCapabilities",
        ),
        (
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":20260728,
                "io.modelcontextprotocol/clientCapabilities":{}}}"#
                .to_owned(),
            "-32602",
            "$has io.modelcontextprotocol/protocolVersion",
        ),
        (
            format!(
                r#"{{"_meta":{{{version},"io.modelcontextprotocol/clientCapabilities":{{}},
                "io.modelcontextprotocol/clientInfo":"me"}}}}"#
            ),
            "-32602",
            "$has io.modelcontextprotocol/clientInfo",
        ),
        (r#"{"_meta":[]}"#.to_owned(), "-32602", "$has _meta"),
        (r#"{"_meta":null}"#.to_owned(), "-32602", "$has _meta"),
        ("[]".to_owned(), "-32602", "$has params"),
    ];
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"server/discover","params":${params}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":${code},"message":"${message}"}}
    "#;
    for (params, code, message) in cases {
        let params: String = params.split('\n').map(str::trim).collect();
        let script = with(&[("params", &params), ("code", code), ("message", message)], script);
        converse(&server([plain_kit()]), &script).await;
    }
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"server/discover"}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"$has protocolVersion"}}
    "#;
    converse(&server([plain_kit()]), script).await;
}

/// Clients should name themselves, but need not.
#[tokio::test(start_paused = true)]
async fn a_client_need_not_say_its_name() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"},
            "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
            "io.modelcontextprotocol/clientCapabilities":{},
            "traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01","other.example/x":[1]}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"a"}],${us}}}
    "#;
    converse(&server([plain_kit()]), &modern(script)).await;
}

/// A request for an unknown revision, or one of the other era, is refused with its name.
#[tokio::test(start_paused = true)]
async fn another_revision_is_refused_with_those_we_speak() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{
            "_meta":{"io.modelcontextprotocol/protocolVersion":"${asked}",
            "io.modelcontextprotocol/clientCapabilities":{}}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"$any",
            "data":{"supported":"$keep ours","requested":"${asked}"}}}
    "#;
    for asked in ["2030-01-01", "2025-11-25", "2024-11-05", "", "latest"] {
        converse(&server([plain_kit()]), &with(&[("asked", asked)], script)).await;
    }
}

/// Methods that the modern era does not have are not found, even after a handshake.
#[tokio::test(start_paused = true)]
async fn what_was_removed_is_not_found() {
    let removed = [
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "tasks/list",
        "tasks/result",
        "sampling/createMessage",
        "elicitation/create",
        "roots/list",
        "no/such",
    ];
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"${method}","params":{${me}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: ${method}"}}
    "#;
    for method in removed {
        let script = with(&[("method", method)], script);
        converse(&server([plain_kit()]), &modern(&script)).await;
        converse(&server([plain_kit()]), &modern(&greeted("2025-11-25", &script))).await;
    }
}

/// In the modern era a missing resource is an invalid parameter, and the error has its URI.
#[tokio::test(start_paused = true)]
async fn a_resource_that_is_not_there_is_a_bad_parameter() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"test://nowhere",${me}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"resource not found: test://nowhere",
            "data":{"uri":"test://nowhere"}}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"test://nothing",${me}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"resource not found: test://nothing",
            "data":{"uri":"test://nothing"}}}
    "#;
    converse(&server([library_kit()]), &modern(script)).await;
}

/// A missing capability is named in the error, and is required for this request only.
#[tokio::test(start_paused = true)]
async fn a_missing_capability_is_named() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"needy",${can ask}}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"served"}],${us}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"needy",${me}}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32021,"message":"$any",
            "data":{"requiredCapabilities":{"sampling":{}}}}}
    "#;
    converse(&server([needy_kit()]), &modern(script)).await;
}

/// An id may be reused once its request is answered, but not before.
#[tokio::test(start_paused = true)]
async fn an_id_may_be_used_again_once_it_is_answered() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait",${me}}}
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait",${me}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"$has still being answered"}}
        do open
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"through"}],${us}}}
        > {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{${me}}}
        < {"jsonrpc":"2.0","id":1,"result":"$any"}
    "#;
    let gate = Gate::new();
    let server = server([gate.kit()]);
    converse_doing(&server, &modern(script), |_| gate.open()).await;
    assert_eq!(gate.tally(), (1, 1, 0));
}

fn needy_kit() -> KitBuilder {
    Kit::plain("needy").tool("needy", spec("needy"), async |context: Context| {
        let sampling = Some(SamplingCapability::default());
        context.require(ClientCapabilities { sampling, ..ClientCapabilities::default() })?;
        Ok("served")
    })
}
