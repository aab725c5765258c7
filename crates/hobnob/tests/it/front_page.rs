//! The page at `/` of a hub, over HTTP: a person who opens the address in a browser reads what it
//! is, and every program gets what it got before.

use serde_json::json;

use crate::program::serve_http;
use crate::tokens::{ask, create, home, send, serve};

/// What browsers send.
const BROWSER: &str = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

#[tokio::test]
async fn a_browser_is_told_what_this_is() {
    let server = serve_http().await;
    let page = send(&server.url, &format!("GET / HTTP/1.1\r\n{BROWSER}"), "").await;
    assert_eq!(page.status, 200, "{}", page.body);
    let head = page.head.to_lowercase();
    for header in [
        "content-type: text/html; charset=utf-8",
        "content-security-policy: default-src 'none'; style-src 'sha256-",
        "x-frame-options: deny",
        "x-content-type-options: nosniff",
    ] {
        assert!(head.contains(header), "{head}");
    }
    assert!(server.url.ends_with("/mcp"), "{}", server.url);
    let line = format!("claude mcp add --transport http hobnob {}", server.url);
    assert!(page.body.contains(&line), "{}", page.body);
    for other in ["/mcp", "/sse"] {
        let head = format!("GET {other} HTTP/1.1\r\nAccept: text/html");
        assert_ne!(send(&server.url, &head, "").await.status, 200, "{other}");
    }
}

#[tokio::test]
async fn programs_get_what_they_got_before_and_strangers_nothing() {
    let home = home();
    home.write("hobnob/config/mcp.json", r#"{"mcpServers": {"payroll": {"command": "true"}}}"#);
    let token = create(&home, &["zelda"]);
    let words = ["serve", "--http", "127.0.0.1:0", "--profile", "bossman", "--profile", "subcog"];
    let server = serve(&home, &words).await;
    let get = async |path: &str, headers: &str| {
        send(&server.url, &format!("GET {path} HTTP/1.1\r\n{headers}"), "").await
    };
    let page = get("/", BROWSER).await;
    assert_eq!(page.status, 200, "{}", page.body);
    assert!(page.body.contains("Authorization: Bearer TOKEN"), "{}", page.body);
    for secret in ["payroll", "bossman", "subcog", "zelda", &token] {
        assert!(!page.body.contains(secret), "{secret}: {}", page.body);
    }
    for (path, headers, status) in [
        ("/", "Accept: */*", 401),
        ("/", "Accept: text/event-stream", 401),
        ("/", "Accept: text/html, text/event-stream", 401),
        ("/", "Accept: text/html\r\nOrigin: https://evil.example", 403),
        ("/p/bossman", BROWSER, 401),
        ("/p/bossman/", BROWSER, 401),
    ] {
        assert_eq!(get(path, headers).await.status, status, "{path} {headers}");
    }
    let stranger = format!("GET http://evil.example/ HTTP/1.1\r\n{BROWSER}");
    assert_eq!(send(&server.url, &stranger, "").await.status, 403);
    for (with, status) in [(None, 401), (Some(&*token), 200)] {
        for path in ["/", "/p/bossman"] {
            let listed = ask(&server, path, with, "tools/list", json!({})).await;
            assert_eq!(listed.status, status, "{path}: {}", listed.body);
        }
    }
}
