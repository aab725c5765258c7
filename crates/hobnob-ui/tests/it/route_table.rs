//! All paths of the page: their methods, the length of their bodies, and the headers of every
//! answer.

use crate::page_hub::PageHub;
use crate::requests::{Browser, PageRequest, browser, get, post};
use flate2::read::GzDecoder;
use hobnob_mcp_http::{OpenRequest, ReplyBody};
use http::{HeaderMap, Method, Response};
use serde_json::json;
use std::io::Read as _;

/// Who may use a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Users {
    Anybody,
    Everyone,
    Owner,
}
use Users::{Anybody, Everyone, Owner};

/// Every path with its methods and users.
pub(crate) const PATHS: &[(&str, &str, Users)] = &[
    ("/ui", "GET", Anybody),
    ("/ui/", "GET", Anybody),
    ("/ui/app.js", "GET", Anybody),
    ("/ui/app.css", "GET", Anybody),
    ("/ui/icon.svg", "GET", Anybody),
    ("/ui/licenses.txt", "GET", Anybody),
    ("/ui/events", "GET", Everyone),
    ("/ui/api/session", "GET, POST", Everyone),
    ("/ui/api/session/end", "POST", Everyone),
    ("/ui/api/state", "GET", Everyone),
    ("/ui/api/calls/1/cancel", "POST", Everyone),
    ("/ui/api/questions/1", "POST", Owner),
    ("/ui/api/servers/git/restart", "POST", Owner),
    ("/ui/api/servers/git/enable", "POST", Owner),
    ("/ui/api/servers/git/disable", "POST", Owner),
    ("/ui/api/servers/git/log", "GET", Owner),
    ("/ui/api/servers", "POST", Owner),
    ("/ui/api/servers/preview", "POST", Owner),
    ("/ui/api/servers/git/entry", "GET", Owner),
    ("/ui/api/servers/git/review", "GET", Owner),
    ("/ui/api/servers/git/approve", "POST", Owner),
    ("/ui/api/servers/git/remove", "POST", Owner),
    ("/ui/api/servers/git/login", "GET, POST", Owner),
    ("/ui/api/servers/git/logout", "POST", Owner),
    ("/ui/api/servers/git/history", "GET", Owner),
    ("/ui/api/histories", "GET", Owner),
    ("/ui/api/mcp", "POST", Everyone),
    ("/ui/api/recordings", "GET, POST", Owner),
    ("/ui/api/recordings/1/stop", "POST", Owner),
    ("/ui/api/recordings/1/messages", "GET", Owner),
    ("/ui/api/recordings/1/messages/1", "GET", Owner),
    ("/ui/api/recordings/1/export", "GET", Owner),
    ("/ui/api/usage", "GET", Everyone),
    ("/ui/api/audit", "GET", Everyone),
    ("/ui/api/audit/export", "GET", Everyone),
    ("/ui/api/rules", "GET", Owner),
    ("/ui/api/rules/decide", "POST", Owner),
    ("/ui/api/rules/preview", "POST", Owner),
    ("/ui/api/rules/add", "POST", Owner),
    ("/ui/api/rules/take-back", "POST", Owner),
    ("/ui/api/health", "GET", Everyone),
];

const UNKNOWN: &[&str] = &[
    "/ui/x",
    "/ui//",
    "/ui/app.js/",
    "/ui/api",
    "/ui/api/",
    "/ui/api/state/",
    "/ui/api/calls/x/cancel",
    "/ui/api/calls/+1/cancel",
    "/ui/api/calls//cancel",
    "/ui/api/calls/99999999999999999999/cancel",
    "/ui/api/questions/",
    "/ui/api/servers//restart",
    "/ui/api/servers/a/b/restart",
    "/ui/api/servers/%ff/restart",
    "/ui/api/servers/git/explode",
    "/ui/api/rules/1",
    "/ui/api/recordings/1",
    "/ui/api/recordings/1/messages/x",
    "/ui/api/rules/",
    "/ui/../ui/api/state",
    "/ui/page/dist/index.html",
];

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' \
                      data:; connect-src 'self'; form-action 'none'; base-uri 'none'; \
                      frame-ancestors 'none'";

fn check_headers(what: &str, headers: &HeaderMap) {
    for (name, expected) in [
        ("content-security-policy", POLICY),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
    ] {
        let values: Vec<_> = headers.get_all(name).iter().collect();
        assert_eq!(values, [expected], "{what}: {name}");
    }
    assert!(!headers.contains_key("access-control-allow-origin"), "{what}");
    let kind = headers.get("content-type").map(|kind| kind.to_str().unwrap());
    let cached = headers["cache-control"].to_str().unwrap();
    let is_file = what.contains("/ui/app.") || what.contains(".svg") || what.contains(".txt");
    let is_page = kind == Some("text/html; charset=utf-8");
    let may_keep = cached == "no-cache" && (is_file || is_page);
    assert!(may_keep || cached == "no-store", "{what}: {cached}");
    // Only the page itself is HTML, and it is the same for all.
    assert!(!is_page || what.starts_with("GET /ui ") || what.starts_with("GET /ui/ "), "{what}");
}

fn request(method: &'static str, path: &str, browser: &Browser) -> PageRequest {
    PageRequest::new(method, path).by(browser)
}

#[tokio::test]
async fn every_answer_is_guarded_by_its_headers() {
    let hub = PageHub::new();
    for (path, allowed, _) in PATHS {
        let browser = browser(&hub).await;
        for method in ["GET", "POST", "PUT", "OPTIONS"] {
            let asked = || request(method, path, &browser);
            for (what, asked) in [
                ("wrong body", asked().body("{")),
                ("without session", asked().without("cookie")),
                ("refused", asked().header("sec-fetch-site", "cross-site")),
                ("too large", asked().body(vec![b' '; 2 << 20])),
                ("right", asked()),
            ] {
                let what = format!("{method} {path} {what}");
                let answer = asked.send(&hub).await;
                let is_allowed = allowed.split(", ").any(|it| it == method);
                let status = answer.status().as_u16();
                assert!(is_allowed || matches!(status, 403 | 405 | 413), "{what}: {status}");
                check_headers(&what, answer.headers());
            }
        }
    }
    for path in UNKNOWN {
        let browser = browser(&hub).await;
        let answer = request("GET", path, &browser).send(&hub).await;
        assert_eq!(answer.status(), 404, "{path}");
        check_headers(path, answer.headers());
    }
}

#[tokio::test]
async fn a_path_has_its_methods_and_no_others() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    for (path, allowed, _) in PATHS {
        for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"] {
            if allowed.split(", ").any(|it| it == method) {
                continue;
            }
            let answer = request(method, path, &browser).send(&hub).await;
            assert_eq!(answer.status(), 405, "{method} {path}");
            assert_eq!(answer.headers()["allow"], allowed, "{method} {path}");
        }
    }
    assert_eq!(hub.done(), [""; 0]);
}

#[tokio::test]
async fn bodies_are_limited_and_calls_may_be_long() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    let headers = HeaderMap::new();
    for (path, limit) in
        [("/ui/api/mcp", 1 << 20), ("/ui/api/questions/1", 4 << 10), ("/ui/api/unknown", 4 << 10)]
    {
        let request = OpenRequest { method: &Method::POST, path, headers: &headers };
        assert_eq!(hub.routes.max_body(request), limit, "{path}");
    }
    let of_length = |length: usize| {
        let frame = json!({ "method": "tools/list", "params": { "text": "" } }).to_string().len();
        json!({ "method": "tools/list", "params": { "text": "x".repeat(length - frame) } })
    };
    for (length, expected) in [(1 << 20, 200), ((1 << 20) + 1, 413)] {
        let body = of_length(length);
        assert_eq!(body.to_string().len(), length);
        assert_eq!(post("/ui/api/mcp").by(&browser).json(&body).status(&hub).await, expected);
    }
    let long = json!({ "answer": "yes", "x": "x".repeat(4 << 10) });
    let answer = post("/ui/api/questions/1").by(&browser).json(&long);
    assert_eq!(answer.status(&hub).await, 413);
}

#[test]
fn only_paths_below_ui_are_the_page_s() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let _inside = runtime.enter();
    let (hub, headers) = (PageHub::new(), HeaderMap::new());
    for (path, expected) in [
        ("/ui", true),
        ("/ui/", true),
        ("/ui/anything", true),
        ("/uix", false),
        ("/", false),
        ("/mcp", false),
        ("/x/ui", false),
    ] {
        let request = OpenRequest { method: &Method::GET, path, headers: &headers };
        assert_eq!(hub.routes.has(request), expected, "{path}");
    }
}

fn body_of(answer: &Response<ReplyBody>) -> Vec<u8> {
    answer.body().bytes().to_vec()
}

#[tokio::test]
async fn files_are_compressed_and_sent_once() {
    let hub = PageHub::new();
    for (path, kind) in [
        ("/ui", "text/html; charset=utf-8"),
        ("/ui/app.js", "text/javascript; charset=utf-8"),
        ("/ui/app.css", "text/css; charset=utf-8"),
        ("/ui/icon.svg", "image/svg+xml"),
    ] {
        let plain = get(path).send(&hub).await;
        assert_eq!(plain.headers()["content-type"], kind);
        assert!(!plain.headers().contains_key("content-encoding"), "{path}");
        let mut tags = vec![plain.headers()["etag"].clone()];
        for accepted in ["gzip", "br, GZIP;q=0.5", "deflate,gzip"] {
            let packed = get(path).header("accept-encoding", accepted).send(&hub).await;
            assert_eq!(packed.headers()["vary"], "accept-encoding");
            assert_eq!(packed.headers()["content-encoding"], "gzip", "{path} {accepted}");
            let mut unpacked = Vec::new();
            GzDecoder::new(&*body_of(&packed)).read_to_end(&mut unpacked).unwrap();
            assert_eq!(unpacked, body_of(&plain), "{path}");
            tags.push(packed.headers()["etag"].clone());
        }
        assert_ne!(tags[0], tags[1], "{path}");
        let refused = get(path).header("accept-encoding", "gzip;q=0, br").send(&hub).await;
        assert_eq!(body_of(&refused), body_of(&plain));
        let tag = tags[0].to_str().unwrap();
        for (known, expected) in [
            (tag.to_owned(), 304),
            (format!("\"x\", W/{tag}"), 304),
            ("\"x\"".to_owned(), 200),
            (tags[1].to_str().unwrap().to_owned(), 200),
        ] {
            let answer = get(path).header("if-none-match", &known).send(&hub).await;
            assert_eq!(answer.status(), expected, "{path} {known}");
            assert_eq!(body_of(&answer).is_empty(), expected == 304, "{path} {known}");
            check_headers(&format!("GET {path} "), answer.headers());
        }
    }
}
