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

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";

/// Calls the server with these headers and this `_meta`; returns the `traceparent` that it got.
async fn seen_by_server(server: &HttpServer, headers: &str, context: Value) -> String {
    let mut meta = modern_meta(&json!({}));
    meta.as_object_mut().unwrap().extend(context.as_object().unwrap().clone());
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "mcp__flaky__fail", "arguments": {"secret": "hunter2"}, "_meta": meta}});
    let head = format!(
        "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json\r\n\
         MCP-Protocol-Version: {}\r\nMcp-Method: tools/call\r\nMcp-Name: mcp__flaky__fail{headers}",
        Era::Modern.revision()
    );
    let answer = send(&server.url, &head, &body.to_string()).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let answer: Value = serde_json::from_str(&answer.body).unwrap();
    answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

/// The two spans of a call: of the hub's client, and of its server.
async fn both_spans(receiver: &TcpListener) -> [Value; 2] {
    next_spans(receiver).await.try_into().unwrap_or_else(|spans| panic!("{spans:#?}"))
}

#[tokio::test]
async fn a_call_has_spans_in_the_trace_of_its_caller() {
    let receiver = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", receiver.local_addr().unwrap());
    let home = home(&format!("[traces]\nendpoint = \"{endpoint}\"\n"));
    let server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let traceparent = format!("00-{TRACE}-{PARENT}-01");
    let context = json!({"traceparent": traceparent, "tracestate": "rojo=1"});
    let seen = seen_by_server(&server, "", context).await;
    let [of_hub, of_server] = both_spans(&receiver).await;
    assert_eq!(of_hub["name"], "tools/call mcp__flaky__fail");
    assert_eq!(of_server["name"], "tools/call fail");
    assert_eq!((&of_hub["traceId"], &of_server["traceId"]), (&json!(TRACE), &json!(TRACE)));
    assert_eq!(of_hub["parentSpanId"], PARENT);
    assert_eq!(of_server["parentSpanId"], of_hub["spanId"]);
    assert_eq!(
        (&of_hub["traceState"], &of_server["traceState"]),
        (&json!("rojo=1"), &json!("rojo=1"))
    );
    let below = |span: &Value| {
        format!("00-{}-{}-01", span["traceId"].as_str().unwrap(), span["spanId"].as_str().unwrap())
    };
    assert_eq!(seen, below(&of_server), "the server is below the hub");
    let failed = json!({"key": "error.type", "value": {"stringValue": "tool_error"}});
    assert!(of_hub["attributes"].as_array().unwrap().contains(&failed), "{of_hub}");
    let client = json!({"key": "client.address", "value": {"stringValue": "127.0.0.1"}});
    assert!(of_hub["attributes"].as_array().unwrap().contains(&client), "{of_hub}");
    assert!(!json!([of_hub, of_server]).to_string().contains("hunter2"));

    // The headers of the request count if `_meta` has no context.
    let headers = format!("\r\nTraceparent: {traceparent}");
    let seen = seen_by_server(&server, &headers, json!({})).await;
    let [of_hub, of_server] = both_spans(&receiver).await;
    assert_eq!((&of_hub["traceId"], &of_hub["parentSpanId"]), (&json!(TRACE), &json!(PARENT)));
    assert_eq!(seen, below(&of_server));

    // A malformed context is none: a trace begins.
    let seen = seen_by_server(&server, "", json!({"traceparent": "00-\"x"})).await;
    let [of_hub, of_server] = both_spans(&receiver).await;
    assert!(of_hub.get("parentSpanId").is_none() && of_hub["traceId"] != TRACE, "{of_hub}");
    assert_eq!(seen, below(&of_server));

    // A caller that does not record its trace gets no spans; the next ones are those of another.
    let unrecorded = format!("00-{TRACE}-{PARENT}-00");
    let seen = seen_by_server(&server, "", json!({"traceparent": unrecorded})).await;
    assert_eq!(seen, unrecorded);
    let seen = seen_by_server(&server, "", json!({})).await;
    let [_, of_server] = both_spans(&receiver).await;
    assert_eq!(seen, below(&of_server));
}

#[tokio::test]
async fn without_traces_a_valid_context_passes_unchanged() {
    let home = home("");
    let server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let traceparent = format!("00-{TRACE}-{PARENT}-01");
    for (headers, context, passes) in [
        (String::new(), json!({"traceparent": traceparent}), true),
        (format!("\r\ntraceparent: {traceparent}"), json!({}), true),
        (format!("\r\ntraceparent: {traceparent}"), json!({"traceparent": "00-x"}), false),
        ("\r\ntraceparent: 00-x".into(), json!({}), false),
        (String::new(), json!({}), false),
    ] {
        let seen = seen_by_server(&server, &headers, context).await;
        assert_eq!(seen, if passes { &*traceparent } else { "" }, "{headers}");
    }
}

#[tokio::test]
async fn sessions_of_clients_and_servers_are_measured() {
    let home = home("[metrics]\nenabled = true\n");
    let server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let greeting = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"}}});
    let head = "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\n\
        Accept: application/json, text/event-stream";
    let answer = send(&server.url, head, &greeting.to_string()).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let head = answer.head.to_lowercase();
    let (_, session) = head.split_once("mcp-session-id: ").unwrap();
    // The case of the name matters, so it is read from the head as it was sent.
    let at = answer.head.len() - session.len();
    let session = answer.head[at..].lines().next().unwrap();
    call(&server, None, "mcp__flaky__fail").await;
    let page = read(&server, "").await.body;
    assert!(!page.contains("session_duration_seconds_count"), "none has ended: {page}");
    let bye = format!("DELETE /mcp HTTP/1.1\r\nMcp-Session-Id: {session}");
    let answer = send(&server.url, &bye, "").await;
    assert!(answer.status < 300, "{} {}", answer.status, answer.body);
    home.ok(&["restart", "flaky"]);
    let page = until_measured(&server).await;
    let of_client = ["mcp_protocol_version=\"2025-06-18\"", "network_transport=\"tcp\""];
    assert_eq!(value(&page, "mcp_server_session_duration_seconds_count", &of_client), 1.0);
    let of_server = ["hobnob_server=\"flaky\"", "network_transport=\"pipe\""];
    assert_eq!(value(&page, "mcp_client_session_duration_seconds_count", &of_server), 1.0);
    promtool(&page).await;
}

/// The page, once the session of a client and of a server are in it.
async fn until_measured(server: &HttpServer) -> String {
    let all =
        ["mcp_server_session_duration_seconds_count", "mcp_client_session_duration_seconds_count"];
    within("the ends of both sessions", async {
        loop {
            let page = read(server, "").await.body;
            if all.iter().all(|name| page.contains(name)) {
                return page;
            }
            tokio::task::yield_now().await;
        }
    })
    .await
}
