//! Users of the embedded login on the page: they sign in with their names and passwords, have the
//! rights of their roles and profiles, and their logins end with them.

use crate::embedded_login::{LoginHub, PASSWORD, USER};
use crate::page_principals::{Page, sign_in_with};
use crate::page_setup::{Callers, Stage};
use crate::tokens::send;
use serde_json::{Value, json};

fn proof(name: &str, password: &str) -> Value {
    json!({ "user": { "name": name, "password": password } })
}

/// The logins of the page, as the owner lists them.
async fn logins(hub: &LoginHub) -> Vec<Value> {
    let listed = hub.listed(&["user", "logins"]).await;
    let listed = listed["logins"].as_array().unwrap_or_else(|| panic!("{listed}"));
    listed.clone()
}

#[tokio::test]
async fn a_user_signs_in_and_the_login_ends_with_the_page() {
    let hub = LoginHub::start().await;
    let server = &hub.server;
    let answer = send(&server.url, "GET /ui/api/session HTTP/1.1", "").await;
    let ways = "\"sign_in\":[\"password\",\"token\"]";
    assert!(answer.status == 401 && answer.body.contains(ways), "{}", answer.body);
    for (name, password) in [(USER, "wrong"), ("eve", PASSWORD), ("", ""), (USER, "")] {
        let answer = sign_in_with(server, &proof(name, password)).await;
        assert_eq!(answer.status, 403, "{name}: {}", answer.body);
        assert!(answer.body.contains("the password is wrong"), "{}", answer.body);
    }
    let page = Page::open_with(server, &proof(USER, PASSWORD)).await;
    assert_eq!((&page.session["principal"], &page.session["view"]), (&json!(USER), &json!("")));
    assert!(!page.session.to_string().contains("hoba_"), "the browser gets no token");
    let known = page.call("health_check", json!({})).await.to_string();
    assert!(known.contains("result") || known.contains("input"), "{known}");
    let listed = logins(&hub).await;
    assert!(listed.len() == 1 && listed[0].to_string().contains("page of the hub"), "{listed:?}");
    // Leaving ends the login, not only the session.
    assert_eq!(page.post("/ui/api/session/end", &json!({})).await.status, 204);
    assert_eq!(page.get("/ui/api/state").await.status, 401);
    assert_eq!(logins(&hub).await, Vec::<Value>::new());
    // The owner ends another one, and a new password ends a third.
    for end in [true, false] {
        let page = Page::open_with(server, &proof(USER, PASSWORD)).await;
        let id = logins(&hub).await[0]["id"].as_str().unwrap().to_owned();
        match end {
            true => hub.owner(&["user", "end-login", &id], "").await,
            false => hub.owner(&["user", "password", USER], "another horse battery").await,
        }
        let answer = page.get("/ui/api/state").await;
        assert_eq!(answer.status, 401, "{end}: {}", answer.body);
    }
    assert_eq!(sign_in_with(server, &proof(USER, PASSWORD)).await.status, 403);
}

#[tokio::test]
async fn a_user_has_the_role_and_the_profiles_of_the_hub() {
    let hub = LoginHub::start().await;
    hub.owner(&["user", "set", USER, "--profile", "subcog"], "").await;
    let page = Page::open_with(&hub.server, &proof(USER, PASSWORD)).await;
    assert_eq!(page.session["view"], "/p/subcog");
    assert_eq!(page.get("/ui/api/rules").await.status, 403);
    let granted = logins(&hub).await[0]["scopes"].to_string();
    assert!(granted.contains("call") && !granted.contains("admin"), "{granted}");
    hub.owner(&["user", "set", USER, "--profile", "none-of-these"], "").await;
    assert_eq!(page.get("/ui/api/state").await.status, 401, "the profile is theirs no more");
    let refused = sign_in_with(&hub.server, &proof(USER, PASSWORD)).await;
    assert!(refused.status == 403 && refused.body.contains("profiles"), "{}", refused.body);
}

#[tokio::test]
async fn passwords_are_tried_only_so_often() {
    let hub = LoginHub::start().await;
    let mut statuses = Vec::new();
    for _ in 0..11 {
        statuses.push(sign_in_with(&hub.server, &proof(USER, "wrong")).await.status);
    }
    assert_eq!(statuses[..10], [403; 10]);
    assert_eq!(statuses[10], 429);
    let right = sign_in_with(&hub.server, &proof(USER, PASSWORD)).await;
    assert_eq!(right.status, 429, "a guess that comes later does not count: {}", right.body);
    let log = hub.listed_lines(&["audit", "--limit", "100"]).await;
    let has = |method| log.iter().any(|it| it["client"] == "hub-page" && it["method"] == method);
    assert!(has("logins/password") && has("logins/throttle"), "{log:?}");
    assert!(!format!("{log:?}").contains(PASSWORD), "{log:?}");
}

/// In Chromium, over a certificate of the hub's own, and through a proxy that has one.
#[tokio::test]
async fn a_browser_signs_in_over_tls() {
    for callers in [Callers::UserOverTls, Callers::UserBehindProxy] {
        let Some(mut stage) = Stage::start(callers).await else { return };
        let report = stage.run("users.mjs", json!({ "user": USER, "password": PASSWORD })).await;
        assert_eq!(report["found"], json!([]), "{callers:?}: {report:#}");
        let cookie = &report["cookie"];
        assert!(cookie["name"].as_str().unwrap().starts_with("__Host-hobnob-ui-"), "{report:#}");
        let attributes = (&cookie["secure"], &cookie["httpOnly"], &cookie["sameSite"]);
        assert_eq!(attributes, (&json!(true), &json!(true), &json!("Strict")), "{report:#}");
        assert!(report["refused"].to_string().contains("password is wrong"), "{report:#}");
        assert_eq!((&report["kept"], &report["readable"]), (&json!(""), &json!("{}{}")));
        assert_eq!(report["wider"], 0, "{report:#}");
        for own in ["ann", "shop", "Your access"] {
            assert!(report["texts"].to_string().contains(own), "{own}: {report:#}");
        }
        assert!(report["left"].to_string().contains("Sign in"), "{report:#}");
    }
}
