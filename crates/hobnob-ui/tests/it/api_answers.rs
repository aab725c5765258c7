//! What the page does and reads: each request reaches the hub once, and its answer says what
//! happened.

use crate::page_hub::PageHub;
use crate::requests::{PageRequest, browser, get, post};
use serde_json::{Value, json};
use std::future::Future as _;
use std::task::{Context, Waker};

/// One request, its status, the beginning of its body, and what the hub did.
type Case = (PageRequest, u16, Value, &'static [&'static str]);

async fn check(cases: Vec<Case>) {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    for (number, (request, status, expected, done)) in cases.into_iter().enumerate() {
        let (is, body) = request.by(&browser).answer(&hub).await;
        assert_eq!(is, status, "{number}: {body}");
        match expected.as_str() {
            Some(part) => assert!(body["error"].as_str().unwrap().contains(part), "{body}"),
            None => assert_eq!(body, expected, "{number}"),
        }
        assert_eq!(hub.done(), done, "{number}");
    }
}

#[tokio::test]
async fn calls_are_cancelled_and_questions_answered() {
    let answer =
        |number: u64, body: Value| post(&format!("/ui/api/questions/{number}")).json(&body);
    let answered = json!({
        "number": 1, "principal": "ann", "address": "192.0.2.7", "via": null,
        "client": null, "own": false, "server": "git", "tool": "push", "public": "git_push", "arguments": { "text": "{\"force\":true}" },
        "because": "ask owner", "age": 3, "answer": "yes",
        "always_writes": null, "never_writes": null, "after_yes": "call-again",
    });
    check(vec![
        (post("/ui/api/calls/1/cancel"), 204, Value::Null, &["cancel 1"]),
        (post("/ui/api/calls/2/cancel"), 404, json!("does not run"), &["cancel 2"]),
        (answer(1, json!({ "answer": "yes" })), 200, answered, &["answer 1 Yes"]),
        (answer(2, json!({ "answer": "no" })), 409, json!("answered already"), &["answer 2 No"]),
        (answer(3, json!({ "answer": "no" })), 404, json!("gone"), &["answer 3 No"]),
        (answer(4, json!({ "answer": "no" })), 404, json!("no such question"), &["answer 4 No"]),
        (answer(1, json!({ "answer": "maybe" })), 422, json!("maybe"), &[]),
        (answer(1, json!({})), 422, json!("answer"), &[]),
        (answer(1, json!({ "answer": "yes", "call": 1 })), 422, json!("call"), &[]),
    ])
    .await;
}

#[tokio::test]
async fn servers_are_restarted_and_switched() {
    let act = |name: &str, action: &str| post(&format!("/ui/api/servers/{name}/{action}"));
    check(vec![
        (act("git", "restart"), 204, Value::Null, &["restart git"]),
        (act("two%20words", "restart"), 204, Value::Null, &["restart two words"]),
        (act("broken", "restart"), 409, json!("exit 1"), &["restart broken"]),
        (act("none", "restart"), 404, json!("`none`"), &["restart none"]),
        (act("git", "enable"), 204, Value::Null, &["Enabled git"]),
        (act("git", "disable"), 204, Value::Null, &["Disabled git"]),
        (get("/ui/api/servers/git/log"), 200, json!({ "text": "started\n<b>hostile</b>\n" }), &[]),
        (get("/ui/api/servers/none/log"), 404, json!("`none`"), &[]),
    ])
    .await;
}

#[tokio::test]
async fn mcp_requests_go_through_the_view_as_the_session_s_principal() {
    let ask = |body: Value| post("/ui/api/mcp").json(&body);
    let refused = |body: Value, part: &str| (ask(body), 422, json!(part), &[][..]);
    check(vec![
        (
            ask(json!({ "method": "tools/list", "params": { "cursor": "x" } })),
            200,
            json!({ "result": { "tools": [] } }),
            &["tools/list {\"cursor\":\"x\"} as ''"],
        ),
        (
            ask(json!({ "method": "resources/list" })),
            200,
            json!({ "result": { "tools": [] } }),
            &["resources/list {} as ''"],
        ),
        (
            ask(json!({ "method": "tools/call", "params": { "name": "x" } })),
            200,
            json!({ "input_required": { "inputRequests": {} } }),
            &["tools/call {\"name\":\"x\"} as ''"],
        ),
        (
            ask(json!({ "method": "prompts/get", "params": {} })),
            200,
            json!({ "error": { "code": -32602, "message": "<script>" } }),
            &["prompts/get {} as ''"],
        ),
        refused(json!({ "method": "initialize", "params": {} }), "`method`"),
        refused(json!({ "method": "completion/complete", "params": {} }), "`method`"),
        refused(json!({ "method": "tools/list", "params": [] }), "`params`"),
        refused(json!({ "method": "tools/list", "params": "{" }), "`params`"),
        refused(json!({ "params": {} }), "method"),
        refused(json!({ "method": "tools/list", "principal": "ann" }), "principal"),
        (post("/ui/api/mcp").body("{"), 422, json!("body"), &[]),
    ])
    .await;
}

#[tokio::test]
async fn one_page_cannot_make_too_many_calls_at_once() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    let endless = json!({ "method": "resources/read", "params": {} });
    let quick = json!({ "method": "tools/list", "params": {} });
    let ask = |body: &Value| post("/ui/api/mcp").by(&browser).json(body);
    let mut running = Vec::new();
    for _ in 0..16 {
        let mut call = Box::pin(ask(&endless).send(&hub));
        assert!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        running.push(call);
    }
    assert_eq!(ask(&quick).status(&hub).await, 429);
    let health = get("/ui/api/health").by(&browser).answer(&hub).await.1;
    let limit = &health["limits"][2];
    assert_eq!((&limit["name"], &limit["used"]), (&json!("calls of pages"), &json!(16)));
    // At its bound, a limit says what helps.
    assert_eq!((&limit["max"], limit["remedy"].is_string()), (&json!(16), true));
    // A page that is gone frees its place.
    running.pop();
    assert_eq!(ask(&quick).status(&hub).await, 200);
}

#[tokio::test]
async fn figures_are_read_by_day_and_kind() {
    let rows = || json!({ "rows": [] });
    let usage = |query: &str| get(&format!("/ui/api/usage{query}"));
    check(vec![
        (usage(""), 200, rows(), &["usage 7 tool"]),
        (usage("?days=1&by=client"), 200, rows(), &["usage 1 client"]),
        (usage("?by=principal&days=400"), 200, rows(), &["usage 400 principal"]),
        (usage("?days=30"), 404, json!("usage is off"), &["usage 30 tool"]),
        (usage("?days=0"), 422, json!("`days`"), &[]),
        (usage("?days=401"), 422, json!("`days`"), &[]),
        (usage("?days=x"), 422, json!("`days`"), &[]),
        (usage("?days=99999999999"), 422, json!("`days`"), &[]),
        (usage("?days=1&days=2"), 422, json!("repeated"), &[]),
        (usage("?by=colour"), 422, json!("`by`"), &[]),
        (usage("?by=%ff"), 422, json!("UTF-8"), &[]),
    ])
    .await;
}

#[tokio::test]
async fn health_has_the_page_s_own_limits() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    let (status, body) = get("/ui/api/health").by(&browser).answer(&hub).await;
    let limits: Vec<Value> = body["limits"].as_array().unwrap().clone();
    let short = |limit: &Value| json!([limit["name"], limit["used"], limit["max"], limit["unit"]]);
    let expected = json!([
        ["open pages", 0, 16, "count"],
        ["sessions of pages", 1, 32, "count"],
        ["calls of pages", 0, 16, "count"],
    ]);
    assert_eq!((status, limits.iter().map(short).collect::<Value>()), (200, expected));
    for limit in &limits {
        assert!(limit["remedy"].as_str().is_some_and(|it| !it.is_empty()), "{limit}");
    }
    assert_eq!((&body["listener"], &body["store"]), (&json!("127.0.0.1:4815"), &Value::Null));
}
