//! Callers without access try every way into a hub: its listener, its sockets and its files. Each
//! is refused, and the audit log has one line about it. What a confined command tries is in
//! `sandbox_attack`.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::process::Command;

use crate::behind_proxies::end;
use crate::peers::{Peer, report_of};
use crate::program::{HttpServer, listening, within};
use crate::sandbox_attack::{Hub, HubUser, is_root};
use crate::seed_wire::Home;
use crate::tokens::{self, create, send};

/// Neither the owner nor root.
const STRANGER: &str = "65533";
const OUTSIDE: &str = include_str!("every_door/outside.py");
const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

/// The lines of the log about refusals: the method, and what it was about.
fn refusals(log: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(log).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
    lines
        .filter(|line| line["outcome"] == "refused")
        .map(|line| (text(&line, "method"), text(&line, "uri")))
        .collect()
}

/// Every file and folder below these.
fn all_below(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = folders.to_vec();
    let mut at = 0;
    while let Some(path) = found.get(at).cloned() {
        if path.is_dir() {
            found.extend(std::fs::read_dir(path).unwrap().map(|it| it.unwrap().path()));
        }
        at += 1;
    }
    found
}

/// What another user of the machine reached.
async fn reached(targets: &Value) -> Vec<String> {
    let mut command = Command::new("setpriv");
    command
        .args([&format!("--reuid={STRANGER}"), &format!("--regid={STRANGER}"), "--clear-groups"])
        .args(["python3", "-c", OUTSIDE, &targets.to_string()])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .current_dir("/")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let output = within("the attempts", command.output()).await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("refused "), "{said}");
    said.lines().filter(|line| line.starts_with("REACHED")).map(str::to_owned).collect()
}

/// Only root can act as another user, so elsewhere there is nothing to try.
#[tokio::test]
async fn another_user_of_the_machine_reaches_no_door() {
    if !is_root() {
        return;
    }
    let hub = Hub::new(HubUser::Ordinary);
    hub.person(&["enable", "shell"]).await;
    let server = listening(hub.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
    // The folder of a user is often open to others; those of the hub are not.
    let open = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&hub.home.0, open).unwrap();
    let folders = ["config", "data", "state", "run"].map(|it| hub.home.0.join(it));
    let folders: Vec<_> = folders.into_iter().filter(|it| it.exists()).collect();
    let files = all_below(&folders);
    let named = |end: &str| files.iter().any(|it| it.to_string_lossy().ends_with(end));
    for end in ["audit.jsonl", ".sock", ".control", "owner-secret", ".db"] {
        assert!(named(end), "{end}: {files:?}");
    }
    let sockets: Vec<_> = all_below(&[hub.home.0.join("run")]);
    let site = server.url.trim_end_matches("/mcp");
    let pages = json!([
        ["GET", format!("{site}/health"), null],
        ["GET", format!("{site}/"), null],
        ["GET", format!("{site}/sse"), null],
        ["GET", format!("{site}/ws"), null],
        ["POST", format!("{site}/mcp"), CALL],
        ["POST", format!("{site}/p/subcog/mcp"), CALL],
    ]);
    let targets = json!({"files": files, "sockets": sockets, "pages": pages});
    let found = reached(&targets).await;
    assert!(found.is_empty(), "{found:#?}");
    // Even where the modes of the folder and of the sockets are open to everybody.
    for path in &sockets {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).unwrap();
    }
    let found = reached(&json!({"files": [], "sockets": sockets, "pages": []})).await;
    assert!(found.is_empty(), "{found:#?}");
    end(server).await;
    let lines = refusals(&hub.home.0.join("state/audit.jsonl"));
    let of = |method: &str| lines.iter().filter(|it| it.0 == method).count();
    // The first of each, and then how many more there were: at the listener, and at the sockets.
    assert_eq!(of("connections/other-user"), 4, "{lines:?}");
}

/// Pages elsewhere, and pages whose name leads here, as a browser sends their requests.
#[tokio::test]
async fn a_web_page_reaches_no_door() {
    let home = Home::new("doors");
    let server = listening(home.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
    let page = "\r\nOrigin: https://evil.example";
    let upgrade = "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\
                   \r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
    let neighbour = format!("{upgrade}\r\nOrigin: http://127.0.0.1:1");
    for (head, headers, body) in [
        ("POST /mcp HTTP/1.1\r\nContent-Type: text/plain", page, CALL),
        ("POST /mcp HTTP/1.1\r\nContent-Type: application/json", page, CALL),
        ("OPTIONS /mcp HTTP/1.1", page, ""),
        ("GET /sse HTTP/1.1", page, ""),
        ("GET /health HTTP/1.1", page, ""),
        ("GET /nowhere HTTP/1.1", page, ""),
        ("GET /ws HTTP/1.1", page, ""),
        ("GET /ws HTTP/1.1", &*neighbour, ""),
        ("POST /mcp HTTP/1.1\r\nContent-Type: application/json", "\r\nOrigin: null", CALL),
        ("POST http://evil.example/mcp HTTP/1.1\r\nContent-Type: application/json", "", CALL),
    ] {
        let answer = send(&server.url, &format!("{head}{headers}"), body).await;
        assert_eq!(answer.status, 403, "{head}{headers}: {}", answer.body);
    }
    end(server).await;
    let lines = refusals(&home.0.join("state/audit.jsonl"));
    let [origin, host, more] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!((&*origin.0, &*origin.1), ("requests/origin", "https://evil.example"));
    assert_eq!((&*host.0, &*host.1), ("requests/host", ""));
    assert_eq!(more, origin, "the others are counted");
}

/// The same in a real browser, with all that a page can do by itself.
#[tokio::test]
async fn a_page_in_a_browser_reaches_no_door() {
    let (Some(library), Some(browser)) = (Peer::find("playwright"), Peer::find("chromium")) else {
        return;
    };
    let home = Home::new("doors-browser");
    let server = listening(home.hobnob(&["serve", "--http", "127.0.0.1:0"])).await;
    let mut command = library.script("doors.mjs");
    let seen = report_of(command.arg(browser.home()).arg(&server.url)).await;
    end(server).await;
    for page in ["neighbour", "foreign", "rebound"] {
        let tried = seen[page].as_object().unwrap();
        assert!(5 <= tried.len(), "{seen}");
        for (way, outcome) in tried {
            assert!(outcome.as_str().unwrap().starts_with("refused"), "{page} {way}: {outcome}");
        }
    }
    assert_eq!(seen["own"], "200", "the browser reaches the listener: {seen}");
    let lines = refusals(&home.0.join("state/audit.jsonl"));
    for method in ["requests/origin", "requests/host"] {
        assert!(lines.iter().any(|it| it.0 == method), "{method}: {lines:?}");
    }
}

/// A caller with a token of their own, or with none, at what is not theirs.
#[tokio::test]
async fn another_principal_reaches_no_door() {
    let home = tokens::home();
    let ann = create(&home, &["ann"]);
    let bob = create(&home, &["bob"]);
    let reader = create(&home, &["reader", "--scope", "read"]);
    let profile = create(&home, &["only", "--profile", "subcog"]);
    let server = tokens::serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
    let session = session_of(&server, &ann).await;
    let bearer = |token: &str| format!("\r\nAuthorization: Bearer {token}");
    let in_session = format!("{}\r\nMcp-Session-Id: {session}", bearer(&bob));
    let post = "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\n\
                Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-06-18";
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"health_check"}}"#;
    for (head, headers, status, method) in [
        (post, String::new(), 401, "tokens/missing"),
        (post, bearer("guessed"), 401, "tokens/unknown"),
        (post, bearer(&profile), 401, "tokens/other-audience"),
        (post, bearer(&reader), 403, "tokens/scope"),
        (post, format!("{}{}", bearer(&ann), bearer(&bob)), 400, "tokens/misplaced"),
        (post, in_session.clone(), 404, "sessions/others"),
        ("GET /mcp HTTP/1.1\r\nAccept: text/event-stream", in_session.clone(), 404, ""),
        ("DELETE /mcp HTTP/1.1", in_session, 404, ""),
    ] {
        let answer = send(&server.url, &format!("{head}{headers}"), call).await;
        assert_eq!(answer.status, status, "{head} {method}: {}", answer.body);
    }
    end(server).await;
    let text = std::fs::read_to_string(home.path("hobnob/state/audit.jsonl")).unwrap();
    let lines: Vec<Value> = text.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    for (method, principal, repeated) in [
        ("tokens/missing", "", None),
        ("tokens/unknown", "", None),
        ("tokens/other-audience", "", None),
        ("tokens/scope", "token:reader", None),
        ("tokens/misplaced", "", None),
        ("sessions/others", "token:bob", Some(2)),
    ] {
        let of: Vec<_> = lines.iter().filter(|line| line["method"] == method).collect();
        let first = of.first().unwrap_or_else(|| panic!("{method}: {text}"));
        assert_eq!(first["principal"].as_str().unwrap_or_default(), principal, "{first}");
        assert_eq!(first["address"], "127.0.0.1", "{first}");
        let more = of.get(1).map(|line| line["repeated"].as_u64().unwrap());
        assert_eq!(more, repeated, "{method}: {text}");
    }
}

/// The id of a session that the bearer of this token has begun.
async fn session_of(server: &HttpServer, token: &str) -> String {
    let head = format!(
        "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nAuthorization: Bearer {token}"
    );
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "ann", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let answer = send(&server.url, &head, &body.to_string()).await;
    let named = |line: &str| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("mcp-session-id").then(|| value.to_owned())
    };
    answer.head.lines().find_map(named).unwrap_or_else(|| panic!("{}", answer.head))
}
