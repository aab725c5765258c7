//! The echo service on the wire: one event per repetition, one result, and limits.

use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::transcript::converse;
use hobnob_services::echo::EchoService;
use hobnob_services::{BuiltInService as _, Presentation, ServiceVisibility};
use serde_json::json;

#[tokio::test(start_paused = true)]
async fn a_message_comes_back_event_by_event() {
    assert_eq!(EchoService.visibility(), ServiceVisibility::WhereNamed);
    let kit = EchoService.kit(&Presentation::default()).unwrap();
    let server = Server::builder("probe", "1").kit(kit).build().unwrap();
    let refused = |arguments: &str, message: &str| {
        format!(
            r#"
            > {{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{"name":"echo_echo",
                "arguments":{arguments}}}}}
            < {{"jsonrpc":"2.0","id":3,"result":{{"content":[{{"type":"text","text":"{message}"}}],
                "isError":true}}}}
            "#
        )
    };
    let long = json!({"message": "x".repeat(16_385)}).to_string();
    let script = r#"
        > {"jsonrpc":"2.0","id":0,"method":"initialize","params":{
            "protocolVersion":"2025-03-26","capabilities":{},
            "clientInfo":{"name":"script","version":"1"}}}
        < {"jsonrpc":"2.0","id":0,"result":"$any"}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo_echo",
            "arguments":{"message":"hi","count":2},"_meta":{"progressToken":"t"}}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{
            "progressToken":"t","progress":1,"message":"hi\n"}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{
            "progressToken":"t","progress":2,"message":"hi"}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hi\nhi"}],
            "isError":false}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo_echo",
            "arguments":{"message":"hi","count":null}}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"hi"}],
            "isError":false}}
    "#
    .to_owned()
        + &refused(&long, "message: 16385 bytes, at most 16384");
    converse(&server, &script).await;
}
