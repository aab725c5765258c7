//! Several servers on one socket: each below its own path, with its own sessions.
#![expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]

use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_http::{Mount, OpenServer, Served};
use hobnob_mcp_server::Server;
use hobnob_mcp_toolbox::Kit;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::client::{Answer, Connection, TestRequest, wait_for};
use crate::mcp_server::{
    LEGACY, NEWEST_LEGACY, TestOptions, TestServer, initialize, modern, notification, request, said,
};

/// A server whose tool returns the server's name.
fn named(name: &'static str) -> Server {
    let kit = Kit::plain("who").tool("who", "Says who it is", move || async move { name });
    Server::builder(name, "1").kit(kit).build().unwrap()
}

/// A test server with two mounts beside its own root, which has no tool `who`.
async fn server(mut options: TestOptions) -> TestServer {
    for (prefix, server) in [("/p/a", named("a")), ("/p/ab", named("ab"))] {
        options.http.mounts.push(Mount { prefix: prefix.into(), server: Arc::new(server) });
    }
    TestServer::with(options).await
}

fn who(id: i64) -> Value {
    request(id, "tools/call", json!({"name": "who", "arguments": {}}))
}

/// Opens a session at a path; returns its id and the answer.
async fn open(server: &TestServer, path: &str, revision: &str) -> (String, Value) {
    let hello = TestRequest::post(initialize(revision, &json!({})).to_string()).to(path);
    let answer = hello.send(server.address).await;
    assert_eq!(answer.status, 200, "{path}");
    let id = answer.header("mcp-session-id").unwrap().to_owned();
    let hello = answer.json().await;
    let ready = notification("notifications/initialized", json!({}));
    let ready = in_session(server, path, &id, revision, &ready).await;
    assert_eq!(ready.status, 202, "{path}");
    (id, hello)
}

async fn in_session(
    server: &TestServer,
    path: &str,
    id: &str,
    revision: &str,
    body: &Value,
) -> Answer {
    let http_request = TestRequest::post(body.to_string()).to(path);
    let http_request =
        http_request.header("Mcp-Session-Id", id).header("MCP-Protocol-Version", revision);
    http_request.send(server.address).await
}

#[tokio::test]
async fn sessions_belong_to_one_server() {
    let server = server(TestOptions::default()).await;
    let paths = ["/mcp", "/p/a/mcp", "/p/ab/mcp"];
    for revision in LEGACY {
        for path in paths {
            let (id, hello) = open(&server, path, revision).await;
            let name = match path {
                "/mcp" => "test",
                "/p/a/mcp" => "a",
                _ => "ab",
            };
            assert_eq!(hello["result"]["serverInfo"]["name"], name);
            for asked in paths {
                let answer = in_session(&server, asked, &id, revision, &who(1)).await;
                if asked != path {
                    assert_eq!(answer.status, 404, "{path}, then {asked}");
                } else if path == "/mcp" {
                    assert_eq!(answer.json().await["error"]["code"], -32602);
                } else {
                    assert_eq!(said(&answer.json().await), name);
                }
            }
            // Another server cannot end the session.
            for asked in paths {
                let delete = TestRequest::new("DELETE", asked).header("Mcp-Session-Id", &id);
                if asked != path {
                    assert_eq!(delete.send(server.address).await.status, 404);
                }
            }
        }
    }
    for path in ["/health", "/p/a/health", "/p/ab/health"] {
        let health = TestRequest::new("GET", path).send(server.address).await.json().await;
        assert_eq!(health, json!({"status": "ok", "sessions": LEGACY.len()}), "{path}");
    }
}

#[tokio::test]
async fn every_route_is_below_the_prefix() {
    let server = server(TestOptions::default()).await;
    for path in ["/p/a/mcp", "/p/a/", "/p/a"] {
        let params = json!({"name": "who", "arguments": {}});
        let answer = modern(1, "tools/call", params).to(path).send(server.address).await;
        assert_eq!(said(&answer.json().await), "a", "{path}");
    }
    for (method, path, allowed) in [
        ("PUT", "/p/a/mcp", "GET, POST, DELETE"),
        ("GET", "/p/a/", "POST"),
        ("POST", "/p/ab/sse", "GET"),
        ("GET", "/p/ab/messages", "POST"),
    ] {
        let answer = TestRequest::new(method, path).send(server.address).await;
        assert_eq!((answer.status, answer.header("allow")), (405, Some(allowed)), "{path}");
    }
    let foreign = TestRequest::new("GET", "/p/a/health").with("Host", "example.com");
    assert_eq!(foreign.send(server.address).await.status, 403);
}

#[tokio::test]
async fn a_path_that_leads_nowhere_names_those_that_lead_somewhere() {
    let server = server(TestOptions::default()).await;
    for path in ["/p/b/mcp", "/p/a/mcp/", "/p/abc/mcp", "/p/a//mcp", "/p", "/P/a/mcp", "/p/%61/mcp"]
    {
        let answer = TestRequest::post("{}").to(path).send(server.address).await;
        assert_eq!(answer.status, 404, "{path}");
        let message = answer.json().await["error"]["message"].clone();
        assert_eq!(message, "no such path; MCP is served at /mcp, /p/a/mcp, /p/ab/mcp", "{path}");
    }
    let alone = TestServer::start().await;
    let answer = TestRequest::new("GET", "/p/a/mcp").send(alone.address).await;
    let message = answer.json().await["error"]["message"].clone();
    assert_eq!(message, "no such path; MCP is served at /mcp");
}

#[tokio::test]
async fn the_oldest_transport_learns_where_to_post() {
    let server = server(TestOptions::default()).await;
    let mut stream = TestRequest::get("/p/a/sse").send(server.address).await.events();
    let first = stream.next().await.unwrap();
    let target = first.data.unwrap();
    assert!(target.starts_with("/p/a/messages?sessionId="), "{target}");
    let elsewhere = target.trim_start_matches("/p/a");
    let hello = TestRequest::post(initialize("2024-11-05", &json!({})).to_string());
    for path in [elsewhere.to_owned(), format!("/p/ab{elsewhere}")] {
        assert_eq!(hello.clone().to(&path).send(server.address).await.status, 404, "{path}");
    }
    assert_eq!(hello.to(&target).send(server.address).await.status, 202);
    assert_eq!(stream.message().await["result"]["serverInfo"]["name"], "a");
}

#[tokio::test]
async fn connections_are_counted_for_all_servers_together() {
    let mut options = TestOptions::default();
    options.http.limits.connections = 1;
    let server = server(options).await;
    let mut held = Connection::connect(server.address).await;
    held.send(&TestRequest::get("/p/a/sse")).await;
    let mut events = held.answer().await.events();
    events.next().await;
    let refused = TestRequest::new("GET", "/p/ab/health").send(server.address).await;
    assert_eq!(refused.status, 503);
}

#[tokio::test]
async fn all_servers_stop_together() {
    let server = server(TestOptions::default()).await;
    let mut standing = Vec::new();
    for path in ["/mcp", "/p/a/mcp", "/p/ab/mcp"] {
        let (id, _) = open(&server, path, NEWEST_LEGACY).await;
        let http_request = TestRequest::get(path).header("Mcp-Session-Id", &id);
        standing.push(http_request.send(server.address).await.events());
        let params = json!({"notifications": {"toolsListChanged": true}});
        let http_request = modern(1, "subscriptions/listen", params).to(path);
        let mut listen = http_request.send(server.address).await.events();
        listen.message().await;
        standing.push(listen);
    }
    let (mut serving, _events) = server.stop();
    for mut events in standing {
        wait_for("the end of a stream", async { while events.next().await.is_some() {} }).await;
    }
    let served = wait_for("the server's end", serving.join_next()).await;
    assert_eq!(served.unwrap().unwrap().unwrap(), Served { cut: 0 });
}

/// Fails the first time, and yields to other tasks each time.
#[derive(Debug, Default)]
struct SlowToOpen {
    asked: AtomicUsize,
}

impl OpenServer for SlowToOpen {
    fn open(&self) -> BoxFuture<'_, Result<Server, String>> {
        Box::pin(async {
            let before = self.asked.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            if before == 0 { Err("not today".into()) } else { Ok(named("late")) }
        })
    }
}

#[tokio::test]
async fn a_server_is_opened_by_its_first_request_and_once_for_all_who_wait() {
    let slow = Arc::new(SlowToOpen::default());
    let mut options = TestOptions::default();
    let server = Arc::clone(&slow) as Arc<dyn OpenServer>;
    options.http.mounts.push(Mount { prefix: "/p/late".into(), server });
    let server = TestServer::with(options).await;
    assert_eq!(TestRequest::new("GET", "/health").send(server.address).await.status, 200);
    let foreign = TestRequest::new("GET", "/p/late/health").with("Host", "example.com");
    assert_eq!(foreign.send(server.address).await.status, 403);
    assert_eq!(slow.asked.load(Ordering::SeqCst), 0, "nobody has asked for it");
    let refused = TestRequest::new("GET", "/p/late/health").send(server.address).await;
    assert_eq!(refused.status, 503);
    let error = json!({"code": -32603, "message": "not today"});
    assert_eq!(refused.json().await["error"], error);
    let call_who = async || {
        let params = json!({"name": "who", "arguments": {}});
        let answer = modern(1, "tools/call", params).to("/p/late/mcp").send(server.address).await;
        said(&answer.json().await).to_owned()
    };
    let (one, two, three) = tokio::join!(call_who(), call_who(), call_who());
    assert_eq!([one, two, three], ["late", "late", "late"]);
    assert_eq!(slow.asked.load(Ordering::SeqCst), 2, "one failure, one opening");
}
