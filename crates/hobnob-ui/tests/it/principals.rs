//! Principals who sign in with a token: what opens and ends their sessions, which paths they may
//! use, and where the owner's rights stay.

use crate::page_hub::{INSTANCE, PageHub, here, pass};
use crate::requests::{OpenEvents, browser, get, json_of, open_with, opened, post};
use crate::route_table::{PATHS, Users};
use crate::scripted_tokens::{shared_hub, signed_in, signing_in};
use hobnob_mcp_engine::ClientId;
use hobnob_ui::{PageConnection, PageRefusal};
use serde_json::json;
use std::time::Duration;

const TOKENS: &[(&str, &str)] =
    &[("ann's", "ann"), ("bob's", "bob"), ("work-ann", "ann"), ("ann's list", "ann")];

fn elsewhere() -> ClientId {
    ClientId::next_at([192, 0, 2, 1].into())
}

#[tokio::test]
async fn a_principal_uses_no_path_of_the_owner() {
    let (hub, _tokens) = shared_hub(TOKENS, PageConnection::Plain, None);
    for (path, methods, users) in PATHS {
        for method in methods.split(", ") {
            let ann = signed_in(&hub, "ann's").await;
            hub.done();
            let method = if method == "GET" { "GET" } else { "POST" };
            let request = crate::requests::PageRequest::new(method, path).by(&ann);
            let answer = request.send(&hub).await;
            let what = format!("{method} {path}");
            match users {
                Users::Owner => {
                    assert_eq!(answer.status(), 403, "{what}");
                    let text = json_of(&answer)["error"].to_string();
                    assert!(text.contains("only the owner"), "{what}: {text}");
                    assert_eq!((hub.done(), hub.refused()), (vec![], vec![PageRefusal::OwnerOnly]));
                }
                Users::Anybody | Users::Everyone => {
                    assert!(!matches!(answer.status().as_u16(), 401 | 403), "{what}");
                    assert_eq!(hub.refused(), [], "{what}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_token_opens_a_session_of_its_principal() {
    let (hub, _tokens) = shared_hub(TOKENS, PageConnection::Plain, None);
    for (token, principal, view) in [("ann's", "ann", ""), ("work-ann", "ann", "/p/work")] {
        let answer = signing_in(&format!(" {token}\n")).send(&hub).await;
        let mut body = json_of(&answer);
        let csrf = body["csrf"].take();
        let expected = json!({
            "csrf": null, "rights": "principal", "principal": principal, "view": view,
            "version": "1.2.3", "instance": INSTANCE, "project": "", "profile_names": [],
            "sign_in": ["token"],
        });
        assert_eq!((body, csrf.as_str().map(str::len)), (expected, Some(64)));
        let cookie = answer.headers()["set-cookie"].to_str().unwrap();
        assert!(cookie.ends_with("; Path=/ui; HttpOnly; SameSite=Strict"), "{cookie}");
        assert_eq!(hub.done(), [format!("signed in {principal}")]);
        let browser = opened(&answer);
        let list = json!({ "method": "tools/list" });
        assert_eq!(post("/ui/api/mcp").by(&browser).json(&list).status(&hub).await, 200);
        assert_eq!(hub.done(), [format!("tools/list {{}} as '{principal}'{view}")]);
    }
    for token in ["", "eve's", "ann", "ann's ann's"] {
        let (status, body) = signing_in(token).answer(&hub).await;
        assert_eq!(status, 403, "{token}");
        assert!(token.is_empty() || !body.to_string().contains(token), "{body}");
    }
    // The listener has tokens and no users.
    let user = json!({ "user": { "name": "ann", "password": "ann's" } });
    assert_eq!(post("/ui/api/session").json(&user).status(&hub).await, 403);
    let answer = get("/ui/api/session").answer(&hub).await;
    assert_eq!((answer.0, &answer.1["sign_in"]), (401, &json!(["token"])));
}

#[tokio::test]
async fn without_tokens_only_links_open_the_page() {
    let hub = PageHub::new();
    assert_eq!(signing_in("ann's").status(&hub).await, 403);
    let (status, body) = get("/ui/api/session").answer(&hub).await;
    assert_eq!((status, body.get("sign_in")), (401, None));
    let no_name = json!({ "user": { "password": "a" } });
    for body in [json!({}), json!({ "link": "a", "token": "b" }), json!({ "token": 1 }), no_name] {
        assert_eq!(post("/ui/api/session").json(&body).status(&hub).await, 422, "{body}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_ends_with_its_token_and_so_does_its_stream() {
    let (hub, tokens) = shared_hub(TOKENS, PageConnection::Plain, None);
    let (ann, bob) = (signed_in(&hub, "ann's").await, signed_in(&hub, "bob's").await);
    let mut events = OpenEvents::open(&hub, &ann, None).await;
    events.event("state").await;
    tokens.0.lock().remove("ann's");
    let end = events.event("end").await;
    assert_eq!((end.data, events.next().await), (json!({ "reason": "session" }), None));
    let (status, body) = get("/ui/api/state").by(&ann).answer(&hub).await;
    assert_eq!((status, &body["sign_in"]), (401, &json!(["token"])));
    // The token of the same name does not bring the session back.
    tokens.0.lock().insert("ann's".into(), "ann".into());
    assert_eq!(get("/ui/api/state").by(&ann).status(&hub).await, 401);
    // A token that becomes another principal's ends the session as well.
    tokens.0.lock().insert("bob's".into(), "eve".into());
    assert_eq!(get("/ui/api/state").by(&bob).status(&hub).await, 401);
    assert!(hub.refused().contains(&PageRefusal::TokenEnded));
}

#[tokio::test]
async fn a_call_needs_the_scope_that_it_needs_at_mcp() {
    let (hub, _tokens) = shared_hub(TOKENS, PageConnection::Plain, None);
    let ann = signed_in(&hub, "ann's list").await;
    hub.done();
    for (method, expected) in [("tools/list", 200), ("tools/call", 403), ("resources/read", 403)] {
        let asked = post("/ui/api/mcp").by(&ann).json(&json!({ "method": method }));
        let (status, body) = asked.answer(&hub).await;
        assert_eq!(status, expected, "{body}");
        assert!(status == 200 || body["error"].as_str().unwrap().ends_with("scope: call"));
    }
    assert_eq!(hub.done(), ["tools/list {} as 'ann'"]);
}

#[tokio::test]
async fn the_owner_s_rights_stay_on_its_machine() {
    let (hub, _tokens) = shared_hub(TOKENS, PageConnection::Tls, None);
    let tls = "https://127.0.0.1:4815";
    let link = hub.page.issue_link().unwrap();
    let open = || open_with(&link).header("origin", tls);
    assert_eq!(open().from(elsewhere()).status(&hub).await, 403);
    assert_eq!(hub.refused(), [PageRefusal::Elsewhere]);
    let owner = opened(&open().send(&hub).await);
    let state = || get("/ui/api/state").by(&owner);
    assert_eq!(state().status(&hub).await, 200);
    assert_eq!(state().from(elsewhere()).status(&hub).await, 403, "a stolen cookie");
    assert_eq!(state().from(here().from_elsewhere()).status(&hub).await, 403, "a proxy");
    // Principals come from anywhere.
    let signed = signing_in("ann's").header("origin", tls).from(elsewhere()).send(&hub).await;
    let ann = opened(&signed);
    assert!(ann.cookie.starts_with("__Host-"), "{}", ann.cookie);
    assert_eq!(get("/ui/api/state").by(&ann).from(elsewhere()).status(&hub).await, 200);
}

#[tokio::test]
async fn behind_a_proxy_that_encrypts_browsers_elsewhere_have_secure_cookies() {
    let (hub, _tokens) = shared_hub(TOKENS, PageConnection::BehindTls, None);
    let public = "hub.example.com";
    let from_proxy = |origin: &str| {
        let request = signing_in("ann's").header("host", public).header("origin", origin);
        request.from(elsewhere())
    };
    let plain = from_proxy("http://hub.example.com").status(&hub).await;
    assert_eq!((plain, hub.refused()), (403, vec![PageRefusal::Origin]));
    let ann = opened(&from_proxy("https://hub.example.com").send(&hub).await);
    assert!(ann.cookie.starts_with("__Host-"), "{}", ann.cookie);
    // The owner's link leads to this machine, whose browser sees no encryption.
    let owner = browser(&hub).await;
    assert!(owner.cookie.starts_with("hobnob-ui-"), "{}", owner.cookie);
    assert_eq!(get("/ui/api/state").by(&owner).status(&hub).await, 200);
}

#[tokio::test]
async fn two_sessions_in_one_request_are_none() {
    let (hub, _tokens) = shared_hub(TOKENS, PageConnection::Plain, None);
    let (ann, bob) = (signed_in(&hub, "ann's").await, signed_in(&hub, "bob's").await);
    let planted = format!("{}; {}", bob.cookie, ann.cookie);
    let request = || get("/ui/api/session").header("cookie", &planted);
    assert_eq!(request().status(&hub).await, 401);
    // A value that opens nothing, or the same one twice, does no harm.
    for harmless in [format!("hobnob-ui-{INSTANCE}=x; {}", ann.cookie), ann.cookie.clone()] {
        let answer = get("/ui/api/session").header("cookie", &harmless).answer(&hub).await;
        assert_eq!(answer.1["principal"], "ann");
    }
    // Signing in begins a new session: the browser's old value is worth nothing for it.
    let fixed = signing_in("bob's").header("cookie", &ann.cookie).send(&hub).await;
    assert_ne!(opened(&fixed).cookie, ann.cookie);
    let still = get("/ui/api/session").by(&ann).answer(&hub).await;
    assert_eq!(still.1["principal"], "ann");
}

#[tokio::test]
async fn a_principal_s_sessions_are_bounded_and_end_no_others() {
    let (hub, _tokens) = shared_hub(TOKENS, PageConnection::Plain, None);
    let (owner, bob) = (browser(&hub).await, signed_in(&hub, "bob's").await);
    let mut own = Vec::new();
    for _ in 0..40 {
        own.push(signed_in(&hub, "ann's").await);
    }
    let mut open = 0;
    for ann in &own {
        open += usize::from(get("/ui/api/session").by(ann).status(&hub).await == 200);
    }
    assert_eq!(open, 4);
    for other in [&owner, &bob] {
        assert_eq!(get("/ui/api/session").by(other).status(&hub).await, 200);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_sees_a_token_end_while_nothing_else_happens() {
    let (hub, tokens) = shared_hub(TOKENS, PageConnection::Plain, None);
    let ann = signed_in(&hub, "ann's").await;
    let mut events = OpenEvents::open(&hub, &ann, None).await;
    events.event("state").await;
    pass(Duration::from_secs(60)).await;
    tokens.0.lock().clear();
    assert_eq!(events.event("end").await.data["reason"], "session");
}
