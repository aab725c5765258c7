//! Requests that a proxy on this machine passes on, and pages of other programs on it: their sender
//! is not the owner, although the connection begins here.

use serde_json::{Value, json};

use crate::memory_client::{Era, modern_meta};
use crate::program::{HttpServer, listening, within};
use crate::seed_wire::Home;
use crate::tokens::{Response, send};

/// The address of a caller behind the proxy.
const STRANGER: &str = "203.0.113.9";
const ASK: &str = "[[permissions]]\ntool = \"*\"\naction = \"ask\"\n";

/// Calls a tool that a person is asked about, with further headers.
async fn call(server: &HttpServer, headers: &str) -> Response {
    call_with(server, headers, json!({})).await
}

/// The same, with further parameters.
async fn call_with(server: &HttpServer, headers: &str, more: Value) -> Response {
    let head = format!(
        "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json\r\n\
         MCP-Protocol-Version: {}\r\nMcp-Method: tools/call\r\nMcp-Name: health_check{headers}",
        Era::Modern.revision()
    );
    let meta = modern_meta(&json!({"elicitation": {}}));
    let mut params = json!({"name": "health_check", "arguments": {}, "_meta": meta});
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    send(&server.url, &head, &body.to_string()).await
}

/// The further parameters of the next round, with this answer to every question of the last one.
fn answered(asked: &str, answer: &Value) -> Value {
    let asked: Value = serde_json::from_str(asked).unwrap();
    let keys = asked["result"]["inputRequests"].as_object().unwrap().keys();
    let answers: Value = keys.map(|key| (key.clone(), answer.clone())).collect();
    json!({"inputResponses": answers, "requestState": asked["result"]["requestState"]})
}

async fn start(home: &Home, settings: &str) -> HttpServer {
    let file = home.0.join("config/config.toml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, settings).unwrap();
    listening(home.hobnob(&["serve", "--http", "127.0.0.1:0"])).await
}

/// Stops the server gracefully, so that its log is complete.
pub(crate) async fn end(mut server: HttpServer) {
    let pid = rustix::process::Pid::from_raw(server.child.id().unwrap().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    within("its end", server.child.wait()).await.unwrap();
}

/// Only the owner is offered to write a rule; no caller behind a proxy is, with or without headers.
#[tokio::test]
async fn strangers_are_not_offered_to_write_settings() {
    let home = Home::new("proxies");
    let server = start(&home, ASK).await;
    let forwarded = format!("\r\nX-Forwarded-For: {STRANGER}");
    for (headers, is_owner) in [
        ("", true),
        (&*forwarded, false),
        ("\r\nForwarded: for=_x", false),
        ("\r\nVia: 1.1 proxy", false),
        ("\r\nX-Real-IP: 203.0.113.9", false),
    ] {
        let answer = call(&server, headers).await;
        assert!(answer.body.contains("Yes, this once"), "{}", answer.body);
        for offered in ["always", "until_restart"] {
            assert_eq!(answer.body.contains(offered), is_owner, "{headers}: {}", answer.body);
        }
    }
    drop(server);
    let trusting = format!("[listener]\ntrusted_proxies = [\"127.0.0.0/8\"]\n{ASK}");
    let server = start(&home, &trusting).await;
    for headers in ["", &forwarded] {
        let answer = call(&server, headers).await;
        assert!(!answer.body.contains("always"), "{}", answer.body);
    }
    // A call has its line once it is answered.
    let asked = call(&server, &forwarded).await.body;
    call_with(&server, &forwarded, answered(&asked, &json!({"action": "decline"}))).await;
    end(server).await;
    let log = within("the log", home.hobnob(&["audit", "--json"]).output()).await.unwrap();
    let log = String::from_utf8_lossy(&log.stdout).into_owned();
    assert!(log.contains(&format!("\"address\":\"{STRANGER}\"")), "{log}");
}

/// The owner and strangers both have no name, but the owner's consent does not count for strangers.
#[tokio::test]
async fn what_the_owner_agreed_to_is_asked_of_strangers() {
    let home = Home::new("proxies-consent");
    let server = start(&home, ASK).await;
    let answer = json!({"action": "accept", "content": {"answer": "until_restart"}});
    let round = answered(&call(&server, "").await.body, &answer);
    for (headers, more, is_asked) in
        [("", round, false), ("", json!({}), false), ("\r\nVia: 1.1 proxy", json!({}), true)]
    {
        let answer = call_with(&server, headers, more).await.body;
        assert_eq!(answer.contains("Yes, this once"), is_asked, "{headers}: {answer}");
    }
}

#[tokio::test]
async fn what_is_no_address_of_a_proxy_is_refused_at_the_start() {
    let home = Home::new("proxies-bad");
    std::fs::create_dir_all(home.0.join("config")).unwrap();
    let settings = "[listener]\ntrusted_proxies = [\"localhost\"]\n";
    std::fs::write(home.0.join("config/config.toml"), settings).unwrap();
    let run = home.hobnob(&["serve", "--http", "127.0.0.1:0"]).output();
    let run = within("the refusal", run).await.unwrap();
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(!run.status.success() && said.contains("`localhost` is neither"), "{said}");
}

/// A browser hides HTTP answers from such a page, but opens a WebSocket without asking.
#[tokio::test]
async fn pages_of_other_ports_open_no_websocket() {
    let home = Home::new("pages");
    let server = start(&home, "").await;
    let own = server.url.replace("/mcp", "");
    for (origin, status) in [
        (None, 101),
        (Some(&*own), 101),
        (Some("http://localhost:3000"), 403),
        (Some("http://127.0.0.1"), 403),
        (Some("https://example.com"), 403),
    ] {
        let origin = origin.map(|it| format!("\r\nOrigin: {it}")).unwrap_or_default();
        let head = format!(
            "GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=={origin}"
        );
        let answer = upgrade_status(&server, &head).await;
        assert_eq!(answer, status, "{origin}");
    }
}

/// The status of a request after which the connection may go on.
async fn upgrade_status(server: &HttpServer, head: &str) -> u16 {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    let authority = server.url.trim_start_matches("http://").trim_end_matches("/mcp");
    let mut stream = tokio::net::TcpStream::connect(authority).await.unwrap();
    let request = format!("{head}\r\nHost: {authority}\r\nConnection: Upgrade\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut line = String::new();
    within("a status", BufReader::new(stream).read_line(&mut line)).await.unwrap();
    line.split(' ').nth(1).unwrap().parse().unwrap()
}
