//! The requests that change servers: their bodies, their answers, and what is refused.

use crate::page_hub::PageHub;
use crate::requests::{browser, get, post};
use serde_json::{Value, json};

#[tokio::test]
async fn servers_are_previewed_added_approved_and_removed() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    for (path, body, status, done) in [
        ("/ui/api/servers/preview", json!({"text": "npx x"}), 200, "preview npx x as []"),
        (
            "/ui/api/servers",
            json!({"text": "npx x", "servers": [{"at": 0, "name": "__proto__", "digest": "d"}]}),
            200,
            "add [\"__proto__\"] of npx x",
        ),
        (
            "/ui/api/servers",
            json!({"text": "t", "servers": [{"at": 0, "name": "taken", "digest": "d"}]}),
            409,
            "add [\"taken\"] of t",
        ),
        ("/ui/api/servers/git/approve", json!({"digest": "d"}), 204, "approve git None d"),
        (
            "/ui/api/servers/git/approve",
            json!({"digest": "old", "tool": "t"}),
            409,
            "approve git Some(\"t\") old",
        ),
        ("/ui/api/servers/git/remove", json!({"digest": "d"}), 204, "remove git d"),
        ("/ui/api/servers/git/login", json!({}), 200, "log in git"),
        ("/ui/api/servers/git/logout", json!({}), 200, "log out git"),
    ] {
        assert_eq!(post(path).by(&browser).json(&body).status(&hub).await, status, "{path}");
        assert_eq!(hub.done(), [done], "{path}");
    }
    for (path, status) in [
        ("/ui/api/servers/git/entry", 200),
        ("/ui/api/servers/other/entry", 404),
        ("/ui/api/servers/git/review", 200),
        ("/ui/api/servers/git/login", 200),
    ] {
        assert_eq!(get(path).by(&browser).status(&hub).await, status, "{path}");
    }
}

#[tokio::test]
async fn bodies_that_say_too_little_or_too_much_change_nothing() {
    let hub = PageHub::new();
    let browser = browser(&hub).await;
    let long = json!({"text": "x".repeat(1 << 20)});
    for (path, body, status) in [
        ("/ui/api/servers", json!({"text": "npx x", "servers": [{"at": 0, "name": "x"}]}), 422),
        (
            "/ui/api/servers",
            json!({"text": "npx x", "servers": [{"at": -1, "name": "x", "digest": ""}]}),
            422,
        ),
        ("/ui/api/servers/git/approve", json!({}), 422),
        ("/ui/api/servers/git/approve", json!({"digest": "d", "all": true}), 422),
        ("/ui/api/servers/git/remove", json!({}), 422),
        ("/ui/api/servers/preview", Value::Null, 422),
        ("/ui/api/servers/preview", long.clone(), 413),
        ("/ui/api/servers", long, 413),
    ] {
        assert_eq!(post(path).by(&browser).json(&body).status(&hub).await, status, "{path}");
    }
    for path in ["/ui/api/servers/preview", "/ui/api/servers", "/ui/api/servers/git/approve"] {
        let request = post(path).by(&browser).json(&json!({"text": "npx x"}));
        assert_eq!(request.without("x-hobnob-csrf").status(&hub).await, 403, "{path}");
    }
    assert_eq!(hub.done(), [""; 0]);
}
