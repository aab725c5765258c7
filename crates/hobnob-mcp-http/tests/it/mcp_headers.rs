//! The fields that a modern request repeats in its headers (T12): every pair that agrees passes,
//! and any other is refused before anything runs.

use serde_json::{Value, json};

use crate::client::TestRequest;
use crate::mcp_server::{MODERN, TestServer, modern, modern_meta, request};

const MISMATCH: Option<i64> = Some(-32020);
const UNSUPPORTED: Option<i64> = Some(-32022);

async fn check(server: &TestServer, cases: Vec<(&str, TestRequest, u16, Option<i64>)>) {
    for (name, http_request, status, code) in cases {
        let answer = http_request.send(server.address).await;
        assert_eq!(answer.status, status, "{name}");
        assert_eq!(answer.header("mcp-session-id"), None, "{name}");
        let answer = answer.json().await;
        assert_eq!(answer["error"]["code"].as_i64(), code, "{name}: {answer}");
        assert_eq!(answer["id"], 9, "{name}: {answer}");
        assert_eq!(answer.get("result").is_some(), code.is_none(), "{name}: {answer}");
    }
}

fn echo() -> TestRequest {
    modern(9, "tools/call", json!({"name": "echo", "arguments": {"text": "a"}}))
}

#[tokio::test]
async fn the_version_is_the_same_in_header_and_body() {
    let server = TestServer::start().await;
    let body_says = |version: &str| {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": version});
        modern(9, "tools/list", json!({"_meta": meta}))
    };
    let header = "MCP-Protocol-Version";
    let cases = vec![
        ("both modern", echo(), 200, None),
        ("spaces around", echo().with(header, "  2026-07-28  "), 200, None),
        (
            "name in capitals",
            echo().without(header).header("MCP-PROTOCOL-VERSION", MODERN),
            200,
            None,
        ),
        ("no header", echo().without(header), 400, MISMATCH),
        ("empty header", echo().with(header, ""), 400, UNSUPPORTED),
        ("header legacy", echo().with(header, "2025-11-25"), 400, MISMATCH),
        ("header unknown", echo().with(header, "v999"), 400, UNSUPPORTED),
        ("header twice", echo().header(header, MODERN), 400, MISMATCH),
        ("header beyond ASCII", echo().with(header, "2026\u{2010}07"), 400, MISMATCH),
        ("both unknown", body_says("v999").with(header, "v999"), 400, UNSUPPORTED),
        ("body unknown", body_says("v999"), 400, MISMATCH),
        ("both legacy", body_says("2025-11-25").with(header, "2025-11-25"), 400, UNSUPPORTED),
    ];
    check(&server, cases).await;
}

#[tokio::test]
async fn an_unsupported_version_is_answered_with_those_that_are() {
    let server = TestServer::start().await;
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "v999"});
    let http_request = modern(9, "tools/list", json!({"_meta": meta}));
    let answer =
        http_request.with("MCP-Protocol-Version", "v999").send(server.address).await.json().await;
    assert_eq!(answer["error"]["data"]["requested"], "v999");
    let discovered =
        modern(1, "server/discover", json!({})).send(server.address).await.json().await;
    let supported = &discovered["result"]["supportedVersions"];
    assert_eq!(answer["error"]["data"]["supported"], *supported);
    assert!(supported.as_array().unwrap().contains(&Value::from(MODERN)));
}

#[tokio::test]
async fn the_method_is_the_same_in_header_and_body() {
    let server = TestServer::start().await;
    let header = "Mcp-Method";
    let cases = vec![
        ("spaces around", echo().with(header, " tools/call\t"), 200, None),
        (
            "name in small letters",
            echo().without(header).header("mcp-method", "tools/call"),
            200,
            None,
        ),
        ("missing", echo().without(header), 400, MISMATCH),
        ("empty", echo().with(header, ""), 400, MISMATCH),
        ("another", echo().with(header, "tools/list"), 400, MISMATCH),
        ("in capitals", echo().with(header, "TOOLS/CALL"), 400, MISMATCH),
        ("base64", echo().with(header, "=?base64?dG9vbHMvY2FsbA==?="), 400, MISMATCH),
        ("twice, the same", echo().header(header, "tools/call"), 400, MISMATCH),
        ("twice, another", echo().header(header, "tools/list"), 400, MISMATCH),
        ("beyond ASCII", echo().with(header, "tools/c\u{e4}ll"), 400, MISMATCH),
        ("unknown method, agreed", modern(9, "made/up", json!({})), 404, Some(-32601)),
        (
            "unknown method, header apart",
            modern(9, "made/up", json!({})).with(header, "tools/list"),
            400,
            MISMATCH,
        ),
    ];
    check(&server, cases).await;
}

#[tokio::test]
async fn the_name_is_the_same_in_header_and_body() {
    let server = TestServer::start().await;
    let header = "Mcp-Name";
    let prompt = || modern(9, "prompts/get", json!({"name": "greet"}));
    let resource = || modern(9, "resources/read", json!({"uri": "test://one"}));
    let cases = vec![
        ("tool", echo(), 200, None),
        ("prompt", prompt(), 200, None),
        ("resource", resource(), 200, None),
        ("spaces around", echo().with(header, "   echo  "), 200, None),
        ("base64", echo().with(header, "=?base64?ZWNobw==?="), 200, None),
        ("prompt missing", prompt().without(header), 400, MISMATCH),
        ("resource missing", resource().without(header), 400, MISMATCH),
        ("missing", echo().without(header), 400, MISMATCH),
        ("empty", echo().with(header, ""), 400, MISMATCH),
        ("another", echo().with(header, "run_steps"), 400, MISMATCH),
        ("in capitals", echo().with(header, "ECHO"), 400, MISMATCH),
        ("bad padding", echo().with(header, "=?base64?ZWNobw?="), 400, MISMATCH),
        ("bad base64", echo().with(header, "=?base64?ZW!!bw==?="), 400, MISMATCH),
        ("base64 of no text", echo().with(header, "=?base64?/w==?="), 400, MISMATCH),
        ("marker in capitals", echo().with(header, "=?BASE64?ZWNobw==?="), 400, MISMATCH),
        ("beyond ASCII", echo().with(header, "\u{e9}cho"), 400, MISMATCH),
        ("twice, the same", echo().header(header, "echo"), 400, MISMATCH),
        ("twice, another", echo().header(header, "run_steps"), 400, MISMATCH),
        (
            "name where none belongs",
            modern(9, "tools/list", json!({})).header(header, "echo"),
            200,
            None,
        ),
        (
            "no name in the body",
            modern(9, "tools/call", json!({})).header(header, "echo"),
            400,
            Some(-32602),
        ),
    ];
    check(&server, cases).await;
}

fn mirror(region: &str) -> TestRequest {
    modern(9, "tools/call", json!({"name": "mirror", "arguments": {"region": region}}))
}

#[tokio::test]
async fn marked_texts_are_the_same_in_header_and_body() {
    let server = TestServer::start().await;
    let header = "Mcp-Param-Region";
    let hello = |value: &str| mirror("Hello").header(header, value);
    let cases = vec![
        ("plain", hello("Hello"), 200, None),
        ("name in capitals", mirror("Hello").header("MCP-PARAM-REGION", "Hello"), 200, None),
        ("base64", hello("=?base64?SGVsbG8=?="), 200, None),
        ("looks like base64", mirror("SGVsbG8=").header(header, "SGVsbG8="), 200, None),
        (
            "no end marker",
            mirror("=?base64?SGVsbG8=").header(header, "=?base64?SGVsbG8="),
            200,
            None,
        ),
        ("beyond ASCII", mirror("h\u{e9}").header(header, "=?base64?aMOp?="), 200, None),
        ("empty", mirror("").header(header, ""), 200, None),
        ("spaces kept inside base64", mirror(" a ").header(header, "=?base64?IGEg?="), 200, None),
        ("missing", mirror("Hello"), 400, MISMATCH),
        ("another", hello("World"), 400, MISMATCH),
        ("in capitals", hello("HELLO"), 400, MISMATCH),
        ("bad padding", hello("=?base64?SGVsbG8?="), 400, MISMATCH),
        ("bad base64", hello("=?base64?SGVs!!!bG8=?="), 400, MISMATCH),
        ("spaces lost", mirror(" a ").header(header, " a "), 400, MISMATCH),
        ("raw bytes", mirror("h\u{e9}").header(header, "h\u{e9}"), 400, MISMATCH),
        ("twice, the same", hello("Hello").header(header, "Hello"), 400, MISMATCH),
        ("twice, another", hello("Hello").header(header, "World"), 400, MISMATCH),
        ("of no argument of the tool", hello("Hello").header("Mcp-Param-Other", "x"), 200, None),
    ];
    check(&server, cases).await;
}

#[tokio::test]
async fn marked_numbers_and_flags_are_the_same_in_header_and_body() {
    let server = TestServer::start().await;
    let with = |arguments: Value| {
        modern(9, "tools/call", json!({"name": "mirror", "arguments": arguments}))
    };
    let count = |value: &str| with(json!({"count": 7})).header("Mcp-Param-Count", value);
    let flag = |value: &str| with(json!({"flag": true})).header("Mcp-Param-Flag", value);
    let nothing = || with(json!({}));
    let cases = vec![
        ("count", count("7"), 200, None),
        ("count as base64", count("=?base64?Nw==?="), 200, None),
        ("another count", count("8"), 400, MISMATCH),
        ("no number", count("seven"), 400, MISMATCH),
        ("flag", flag("true"), 200, None),
        ("another flag", flag("false"), 400, MISMATCH),
        ("flag in capitals", flag("True"), 400, MISMATCH),
        ("nothing marked", nothing(), 200, None),
        ("header without argument", nothing().header("Mcp-Param-Flag", "true"), 400, MISMATCH),
    ];
    check(&server, cases).await;
}

#[tokio::test]
async fn a_missing_header_is_reported_before_one_that_differs() {
    let server = TestServer::start().await;
    let bare = |params: Value| {
        TestRequest::post(request(9, "tools/list", params).to_string())
            .header("MCP-Protocol-Version", MODERN)
            .header("Mcp-Method", "tools/list")
    };
    let without = |key: &str| {
        let mut meta = modern_meta();
        meta.as_object_mut().unwrap().remove(key);
        json!({"_meta": meta})
    };
    let (version, able) =
        ("io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities");
    let wrong_client =
        json!({"_meta": {version: MODERN, able: {}, "io.modelcontextprotocol/clientInfo": 7}});
    let cases = vec![
        ("all there", bare(json!({"_meta": modern_meta()})), 200, None),
        ("no meta", bare(json!({})), 400, Some(-32602)),
        ("no version", bare(without(version)), 400, Some(-32602)),
        ("no capabilities", bare(without(able)), 400, Some(-32602)),
        ("meta is a list", bare(json!({"_meta": [version]})), 400, Some(-32602)),
        ("version is a number", bare(json!({"_meta": {version: 7, able: {}}})), 400, Some(-32602)),
        (
            "capabilities are a list",
            bare(json!({"_meta": {version: MODERN, able: []}})),
            400,
            Some(-32602),
        ),
        ("client is a number", bare(wrong_client), 400, Some(-32602)),
    ];
    check(&server, cases).await;
}
