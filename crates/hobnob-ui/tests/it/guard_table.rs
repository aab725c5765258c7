//! Every request that another page, another site or another machine could cause is refused, has no
//! effect, and is reported.

use crate::page_hub::{PageHub, here};
use crate::requests::{HOST, OWN_ORIGIN, PageRequest, browser, get, post};
use hobnob_mcp_engine::ClientId;
use hobnob_ui::{PageConnection, PageRefusal};
use serde_json::json;

/// Every path that changes something, with a body that is right for it.
fn changes() -> Vec<PageRequest> {
    let paths = [
        ("/ui/api/session/end", json!({})),
        ("/ui/api/calls/1/cancel", json!({})),
        ("/ui/api/questions/1", json!({ "answer": "yes" })),
        ("/ui/api/servers/git/restart", json!({})),
        ("/ui/api/servers/git/enable", json!({})),
        ("/ui/api/servers/git/disable", json!({})),
        ("/ui/api/recordings", json!({ "subject": { "server": "git" } })),
        ("/ui/api/recordings/1/stop", json!({})),
        ("/ui/api/mcp", json!({ "method": "tools/list", "params": {} })),
    ];
    paths.map(|(path, body)| post(path).json(&body)).into()
}

type Alter = fn(PageRequest) -> PageRequest;

/// What is wrong with a request, and why it is refused.
const WRONG: &[(&str, Alter, PageRefusal)] = &[
    ("no origin", |it| it.without("origin"), PageRefusal::Origin),
    ("another site", |it| it.header("origin", "https://evil.example"), PageRefusal::Origin),
    ("another port", |it| it.header("origin", "http://127.0.0.1:4816"), PageRefusal::Origin),
    ("another name", |it| it.header("origin", "http://localhost:4815"), PageRefusal::Origin),
    ("another scheme", |it| it.header("origin", "https://127.0.0.1:4815"), PageRefusal::Origin),
    ("no port", |it| it.header("origin", "http://127.0.0.1"), PageRefusal::Origin),
    ("a longer name", |it| it.header("origin", "http://127.0.0.1:48150"), PageRefusal::Origin),
    ("no page", |it| it.header("origin", "null"), PageRefusal::Origin),
    ("two origins", |it| it.repeated("origin", OWN_ORIGIN), PageRefusal::Origin),
    ("no host", |it| it.without("host"), PageRefusal::Origin),
    ("two hosts", |it| it.repeated("host", HOST), PageRefusal::Origin),
    ("same site", |it| it.header("sec-fetch-site", "same-site"), PageRefusal::FetchSite),
    ("cross site", |it| it.header("sec-fetch-site", "cross-site"), PageRefusal::FetchSite),
    ("typed", |it| it.header("sec-fetch-site", "none"), PageRefusal::FetchSite),
    ("two sites", |it| it.repeated("sec-fetch-site", "same-origin"), PageRefusal::FetchSite),
    ("no type", |it| it.without("content-type"), PageRefusal::ContentType),
    ("text", |it| it.header("content-type", "text/plain"), PageRefusal::ContentType),
    (
        "a form",
        |it| it.header("content-type", "application/x-www-form-urlencoded"),
        PageRefusal::ContentType,
    ),
    ("no cookie", |it| it.without("cookie"), PageRefusal::NoSession),
    ("no token", |it| it.without("x-hobnob-csrf"), PageRefusal::Csrf),
    ("a wrong token", |it| it.header("x-hobnob-csrf", &"0".repeat(64)), PageRefusal::Csrf),
    (
        "another machine",
        |it| it.from(ClientId::next_at([192, 0, 2, 1].into())),
        PageRefusal::Elsewhere,
    ),
    ("a proxy", |it| it.from(here().from_elsewhere()), PageRefusal::Elsewhere),
];

#[tokio::test]
async fn a_change_that_the_page_did_not_send_is_refused_and_reported() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    for request in changes() {
        for (what, alter, why) in WRONG {
            let (status, body) = alter(request.clone().by(&browser)).answer(&hub).await;
            let expected = match why {
                PageRefusal::NoSession => 401,
                PageRefusal::ContentType => 415,
                _ => 403,
            };
            assert_eq!((status, hub.refused()), (expected, vec![*why]), "{what}");
            assert!(!body["error"].as_str().unwrap().is_empty(), "{what}: {body}");
            assert_eq!(hub.done(), [""; 0], "{what}");
        }
    }
    // What was refused ended no session, and is right without the alteration.
    for request in changes().into_iter().rev() {
        assert!(request.by(&browser).send(&hub).await.status().is_success());
        assert_eq!(hub.refused(), []);
    }
}

#[tokio::test]
async fn a_link_counts_only_from_the_page_itself() {
    let hub = PageHub::new();
    let link = hub.page.issue_link().unwrap();
    for (what, alter, why) in WRONG {
        let is_about_session = matches!(why, PageRefusal::NoSession | PageRefusal::Csrf);
        if !is_about_session {
            let request = alter(crate::requests::open_with(&link));
            let status = request.status(&hub).await;
            assert!(matches!(status, 403 | 415), "{what}: {status}");
            assert_eq!(hub.refused(), [*why], "{what}");
        }
    }
    assert_eq!(crate::requests::open_with(&link).status(&hub).await, 200);
}

#[tokio::test]
async fn only_the_page_and_its_person_read() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    let paths = [
        "/ui",
        "/ui/",
        "/ui/app.js",
        "/ui/api/session",
        "/ui/api/state",
        "/ui/events",
        "/ui/api/servers/git/log",
        "/ui/api/usage",
        "/ui/api/health",
    ];
    let elsewhere = || ClientId::next_at([192, 0, 2, 1].into());
    for path in paths {
        let own = || get(path).by(&browser);
        for (what, request, expected) in [
            ("its script", own(), None),
            ("an old browser", own().without("sec-fetch-site"), None),
            ("typed", own().header("sec-fetch-site", "none"), None),
            ("named", own().header("origin", OWN_ORIGIN), None),
            (
                "same site",
                own().header("sec-fetch-site", "same-site"),
                Some(PageRefusal::FetchSite),
            ),
            ("a link", own().header("sec-fetch-site", "cross-site"), Some(PageRefusal::FetchSite)),
            ("a page", own().header("origin", "http://127.0.0.1:80"), Some(PageRefusal::Origin)),
            ("no page", own().header("origin", "null"), Some(PageRefusal::Origin)),
            ("another machine", own().from(elsewhere()), Some(PageRefusal::Elsewhere)),
            ("a proxy", own().from(here().from_elsewhere()), Some(PageRefusal::Elsewhere)),
        ] {
            let status = request.status(&hub).await;
            let refused = hub.refused();
            assert_eq!(
                (status == 200, refused.first().copied()),
                (expected.is_none(), expected),
                "{path}: {what}"
            );
        }
    }
}

#[tokio::test]
async fn nothing_but_the_files_is_read_without_a_session() {
    let hub = PageHub::new();
    for (path, expected) in [
        ("/ui", 200),
        ("/ui/app.js", 200),
        ("/ui/app.css", 200),
        ("/ui/icon.svg", 200),
        ("/ui/licenses.txt", 200),
        ("/ui/events", 401),
        ("/ui/api/session", 401),
        ("/ui/api/state", 401),
        ("/ui/api/servers/git/log", 401),
        ("/ui/api/usage", 401),
        ("/ui/api/audit", 401),
        ("/ui/api/audit/export", 401),
        ("/ui/api/health", 401),
    ] {
        assert_eq!(get(path).status(&hub).await, expected, "{path}");
    }
    assert_eq!(hub.done(), [""; 0]);
}

#[tokio::test]
async fn with_tls_the_page_is_for_other_machines_too() {
    let hub = PageHub::with(PageConnection::Tls, None);
    let from = ClientId::next_at([192, 0, 2, 1].into());
    assert_eq!(get("/ui").from(from).status(&hub).await, 200);
    let link = hub.page.issue_link().unwrap();
    let open = || crate::requests::open_with(&link).from(from).header("host", "hub.example");
    let plain = open().header("origin", "http://hub.example");
    assert_eq!(plain.status(&hub).await, 403);
    assert_eq!(open().header("origin", "https://hub.example").status(&hub).await, 200);
}
