//! The requests about rules: their bodies, their answers, and what is refused before the hub is
//! asked.

use crate::page_hub::PageHub;
use crate::requests::{browser, get, post};
use serde_json::json;

#[tokio::test]
async fn rules_are_read_and_changed_by_the_hub_alone() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    assert_eq!(get("/ui/api/rules").by(&browser).status(&hub).await, 200);
    let rule = |tool: &str| json!({"tool": tool, "action": "deny", "digest": "d"});
    for (path, body, status) in [
        ("/ui/api/rules/decide", json!({"tool": "x"}), 422),
        ("/ui/api/rules/preview", json!({"what": "remove", "number": 1, "digest": "d"}), 409),
        ("/ui/api/rules/add", rule("x"), 200),
        ("/ui/api/rules/add", rule("full"), 500),
        ("/ui/api/rules/take-back", json!({"what": "rule", "number": 1, "digest": "d"}), 409),
        ("/ui/api/rules/take-back", json!({"what": "grant", "digest": "d"}), 409),
        ("/ui/api/rules/take-back", json!({"what": "token", "id": "i", "digest": "d"}), 409),
        (
            "/ui/api/rules/take-back",
            json!({"what": "approval", "server": "s", "kind": "changes", "digest": "d"}),
            409,
        ),
    ] {
        assert_eq!(post(path).by(&browser).json(&body).status(&hub).await, status, "{path} {body}");
        assert_eq!(hub.done().len(), 1, "{path} {body}");
    }
}

#[tokio::test]
async fn what_is_incomplete_or_foreign_never_reaches_the_hub() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    for (path, body) in [
        ("/ui/api/rules/decide", json!({})),
        ("/ui/api/rules/decide", json!({"tool": "x", "other": 1})),
        ("/ui/api/rules/preview", json!({"what": "everything", "digest": "d"})),
        ("/ui/api/rules/add", json!({"tool": "x", "action": "deny"})),
        ("/ui/api/rules/take-back", json!({"what": "rule", "number": 1})),
        ("/ui/api/rules/take-back", json!({"what": "rule", "number": -1, "digest": "d"})),
        ("/ui/api/rules/take-back", json!({"what": "approval", "server": "s", "digest": "d"})),
        ("/ui/api/rules/take-back", json!({"what": "all"})),
        ("/ui/api/rules/take-back", json!([])),
    ] {
        assert_eq!(post(path).by(&browser).json(&body).status(&hub).await, 422, "{path} {body}");
    }
    let take = json!({"what": "rule", "number": 1, "digest": "d"});
    for action in ["add", "take-back", "preview", "decide"] {
        let path = format!("/ui/api/rules/{action}");
        let without = |header: &'static str| post(&path).by(&browser).json(&take).without(header);
        assert_eq!(without("x-hobnob-csrf").status(&hub).await, 403, "{action}");
        assert_eq!(without("cookie").status(&hub).await, 401, "{action}");
        let elsewhere = post(&path).by(&browser).json(&take);
        let elsewhere = elsewhere.header("origin", "https://elsewhere.example");
        assert_eq!(elsewhere.status(&hub).await, 403, "{action}");
    }
    assert_eq!(hub.done(), [""; 0]);
}
