//! The page `/metrics` of a hub, over HTTP: what Prometheus reads there, and that strangers get
//! nothing. The traces of a hub, as a receiver of OTLP gets them.

use serde_json::{Value, json};
use std::io::ErrorKind;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::process::Command;

use crate::cli_config_home::Home;
use crate::memory_client::{Era, modern_meta};
use crate::program::{HttpServer, within};
use crate::tokens::{Response, ask, create, send, serve};

/// A server with the tool `fail`, whose calls end with an error of its own.
const UPSTREAM: &str = r#"import json, sys
for line in sys.stdin:
    call = json.loads(line)
    if "id" not in call: continue
    answer = {"jsonrpc": "2.0", "id": call["id"]}
    if call["method"] == "initialize":
        answer["result"] = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                            "serverInfo": {"name": "u", "version": "1"}}
    elif call["method"] == "tools/list":
        answer["result"] = {"tools": [{"name": "fail", "inputSchema": {"type": "object"},
                                       "annotations": {"readOnlyHint": True}}]}
    elif call["method"] == "tools/call":
        seen = call["params"].get("_meta", {}).get("traceparent", "")
        answer["result"] = {"content": [{"type": "text", "text": seen}], "isError": True}
    else:
        answer["error"] = {"code": -32601, "message": "no"}
    print(json.dumps(answer), flush=True)
"#;

/// A home with these settings and one server.
fn home(settings: &str) -> Home {
    let home = Home::new();
    home.write("upstream.py", UPSTREAM);
    let script = home.path("upstream.py");
    let servers = json!({"mcpServers": {"flaky": {"command": "python3", "args": [script]}}});
    home.write("hobnob/config/mcp.json", &servers.to_string());
    home.write(
        "hobnob/config/config.toml",
        &format!(
            "[gateway]\ntool_search = \"never\"\n{settings}\
             [[permissions]]\nserver = \"flaky\"\naction = \"allow\"\n"
        ),
    );
    home
}

async fn read(server: &HttpServer, headers: &str) -> Response {
    send(&server.url, &format!("GET /metrics HTTP/1.1{headers}"), "").await
}

async fn call(server: &HttpServer, token: Option<&str>, tool: &str) {
    let params = json!({"name": tool, "arguments": {}});
    let answer = ask(server, "/mcp", token, "tools/call", params).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let answer: Value = serde_json::from_str(&answer.body).unwrap();
    assert!(answer["result"].is_object(), "{answer}");
}

/// The value of the one sample that begins so, with all these labels.
fn value(page: &str, name: &str, labels: &[&str]) -> f64 {
    let is_it = |line: &&str| {
        line.split(['{', ' ']).next() == Some(name) && labels.iter().all(|it| line.contains(it))
    };
    let lines: Vec<&str> = page.lines().filter(is_it).collect();
    let [line] = lines[..] else { panic!("{name} {labels:?}: {lines:?} in {page}") };
    line.rsplit_once(' ').unwrap().1.parse().unwrap()
}

#[tokio::test]
async fn prometheus_reads_what_was_called() {
    let home = home("[metrics]\nenabled = true\n");
    let server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    for tool in ["health_check", "mcp__flaky__fail", "mcp__flaky__fail"] {
        call(&server, None, tool).await;
    }
    let invented = json!({"name": "invented\"name", "arguments": {}});
    let answer = ask(&server, "/mcp", None, "tools/call", invented).await;
    assert!(answer.body.contains("Unknown tool"), "{}", answer.body);
    let page = read(&server, "").await;
    assert_eq!(page.status, 200, "{}", page.body);
    let head = page.head.to_lowercase();
    assert!(head.contains("content-type: text/plain; version=0.0.4"), "{head}");
    assert!(head.contains("cache-control: no-store"), "{head}");
    let page = page.body;
    let count = "mcp_server_operation_duration_seconds_count";
    let of = |tool: &str| format!("gen_ai_tool_name=\"{tool}\"");
    assert_eq!(value(&page, count, &[&of("health_check")]), 1.0);
    let failed = "error_type=\"tool_error\"";
    assert_eq!(value(&page, count, &[&of("mcp__flaky__fail"), failed]), 2.0);
    assert_eq!(value(&page, count, &[&of("other"), "error_type=\"refused\""]), 1.0);
    let flaky = "hobnob_server=\"flaky\"";
    let of_server = "mcp_client_operation_duration_seconds_count";
    assert_eq!(value(&page, of_server, &[flaky, &of("fail"), failed]), 2.0);
    assert_eq!(value(&page, "hobnob_upstream_up", &[flaky]), 1.0);
    assert_eq!(value(&page, "hobnob_upstream_starts_total", &[flaky]), 1.0);
    assert_eq!(value(&page, "hobnob_running_calls", &[]), 0.0);
    assert!(0.0 < value(&page, "hobnob_store_bytes", &[]));
    #[cfg(target_os = "linux")]
    assert!(0.0 < value(&page, "process_resident_memory_bytes", &[]));
    assert!(!page.contains("invented"), "{page}");
    promtool(&page).await;
}

/// What Prometheus' own program says; without it, the tests of `hobnob-telemetry` read the format.
async fn promtool(page: &str) {
    let mut command = Command::new("promtool");
    command.args(["check", "metrics"]).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut promtool = match command.stdout(Stdio::null()).spawn() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            eprintln!("SKIPPED: promtool is not installed; Debian's package is `prometheus`");
            return;
        }
        spawned => spawned.unwrap(),
    };
    promtool.stdin.take().unwrap().write_all(page.as_bytes()).await.unwrap();
    let output = within("promtool", promtool.wait_with_output()).await.unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}\n{page}");
}

#[tokio::test]
async fn strangers_get_nothing() {
    let token_mode = "[listener]\nmode = \"token\"\npublic_url = \"https://hub.example.com\"\n";
    let on = "[metrics]\nenabled = true\n";
    let named = "[metrics]\nenabled = true\ntoken_file = \"monitor\"\n";
    let right = "0123456789abcdef0123";
    for (settings, with_right) in [
        (format!("{on}{token_mode}"), 401),
        (format!("{named}{token_mode}"), 200),
        (format!("{named}[listener]\nmode = \"open\"\n"), 200),
    ] {
        let home = home(&settings);
        home.write("hobnob/config/monitor", &format!("{right}\n"));
        let caller = create(&home, &["ci"]);
        let server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
        let bearer = |token: &str| format!("\r\nAuthorization: Bearer {token}");
        for headers in [String::new(), bearer(&caller), bearer(""), bearer("0123456789abcdef")] {
            let answer = read(&server, &headers).await;
            assert_eq!(answer.status, 401, "{settings} {headers}: {}", answer.body);
            assert!(!answer.body.contains("mcp_"), "{}", answer.body);
            let head = answer.head.to_lowercase();
            assert!(head.contains("www-authenticate: bearer"), "{head}");
        }
        let answer = read(&server, &bearer(right)).await;
        assert_eq!(answer.status, with_right, "{settings}: {}", answer.body);
        let secret = home.path("hobnob/state/metrics-secret");
        if let Ok(secret) = std::fs::read_to_string(secret) {
            let answer = read(&server, &bearer(secret.trim())).await;
            assert_eq!(answer.status, 200, "{settings}: {}", answer.body);
            let asked = ask(&server, "/mcp", Some(secret.trim()), "tools/list", json!({})).await;
            assert_eq!(asked.status, 401, "the token is good for nothing else");
        }
        let page = format!("{}\r\nOrigin: https://evil.example", bearer(right));
        assert_ne!(read(&server, &page).await.status, 200, "a web page");
    }
}

#[tokio::test]
async fn a_caller_behind_a_proxy_is_a_stranger() {
    let home = home("[metrics]\nenabled = true\n");
    let server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    assert_eq!(read(&server, "").await.status, 200);
    for header in ["X-Forwarded-For: 192.0.2.7", "Via: 1.1 proxy"] {
        assert_eq!(read(&server, &format!("\r\n{header}")).await.status, 401, "{header}");
    }
    let rebound = "GET http://evil.example/metrics HTTP/1.1";
    assert_eq!(send(&server.url, rebound, "").await.status, 403);
}

#[tokio::test]
async fn without_the_setting_there_is_no_such_page() {
    let home = home("");
    let server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    assert_eq!(read(&server, "").await.status, 404);
    assert!(!home.path("hobnob/state/metrics-secret").exists());
}

/// The spans of the next request to a receiver of OTLP.
async fn next_spans(receiver: &TcpListener) -> Vec<Value> {
    let (stream, _) = within("traces", receiver.accept()).await.unwrap();
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(within("a line", stream.read_line(&mut head)).await.unwrap(), 0, "{head}");
    }
    assert!(head.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{head}");
    let head = head.to_lowercase();
    let (_, length) = head.split_once("content-length: ").unwrap();
    let mut body = vec![0; length.split("\r\n").next().unwrap().parse().unwrap()];
    within("the body", stream.read_exact(&mut body)).await.unwrap();
    let answer = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";
    stream.write_all(answer).await.unwrap();
    let body: Value = serde_json::from_slice(&body).unwrap();
    let scope = &body["resourceSpans"][0]["scopeSpans"][0];
    scope["spans"].as_array().unwrap_or_else(|| panic!("{body}")).clone()
}

#[tokio::test]
async fn a_call_has_spans_in_the_trace_of_its_caller() {
    let receiver = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", receiver.local_addr().unwrap());
    let home = home(&format!("[traces]\nendpoint = \"{endpoint}\"\n"));
    let server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let (trace, parent) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
    let mut meta = modern_meta(&json!({}));
    let traceparent = format!("00-{trace}-{parent}-01");
    meta["traceparent"] = traceparent.as_str().into();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "mcp__flaky__fail", "arguments": {"secret": "hunter2"}, "_meta": meta}});
    let head = format!(
        "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json\r\n\
         MCP-Protocol-Version: {}\r\nMcp-Method: tools/call\r\nMcp-Name: mcp__flaky__fail",
        Era::Modern.revision()
    );
    let answer = send(&server.url, &head, &body.to_string()).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.body.contains(&traceparent), "the server gets it as well: {}", answer.body);
    let spans = next_spans(&receiver).await;
    let [of_hub, of_server] = &spans[..] else { panic!("{spans:#?}") };
    assert_eq!(of_hub["name"], "tools/call mcp__flaky__fail");
    assert_eq!(of_server["name"], "tools/call fail");
    assert_eq!((&of_hub["traceId"], &of_server["traceId"]), (&json!(trace), &json!(trace)));
    assert_eq!(of_hub["parentSpanId"], parent);
    assert_eq!(of_server["parentSpanId"], of_hub["spanId"]);
    let failed = json!({"key": "error.type", "value": {"stringValue": "tool_error"}});
    assert!(of_hub["attributes"].as_array().unwrap().contains(&failed), "{of_hub}");
    assert!(!json!(spans).to_string().contains("hunter2"), "{spans:#?}");
}
