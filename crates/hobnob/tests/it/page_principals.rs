//! The page for others than the owner: two principals sign in with their tokens at a real hub, and by
//! no path does one see, count or change anything of the other's or of the owner's.

use crate::cli_config_home::Home;
use crate::page_setup::{Callers, Stage};
use crate::principal_logs::home_with_servers;
use crate::program::HttpServer;
use crate::tokens::{Response, ask, create, send, serve};
use serde_json::{Value, json};

const LISTENER: [&str; 3] = ["serve", "--http", "127.0.0.1:0"];

/// The page of one principal.
pub(crate) struct Page<'a> {
    hub: &'a HttpServer,
    cookie: String,
    csrf: String,
    pub(crate) session: Value,
}

fn origin(hub: &HttpServer) -> &str {
    hub.url.trim_end_matches("/mcp")
}

async fn sign_in(hub: &HttpServer, token: &str) -> Response {
    sign_in_with(hub, &json!({ "token": token })).await
}

/// Signs in with a token, or with a user's name and password.
pub(crate) async fn sign_in_with(hub: &HttpServer, proof: &Value) -> Response {
    let head = format!(
        "POST /ui/api/session HTTP/1.1\r\nContent-Type: application/json\r\nOrigin: {}",
        origin(hub)
    );
    send(&hub.url, &head, &proof.to_string()).await
}

impl<'a> Page<'a> {
    async fn open(hub: &'a HttpServer, token: &str) -> Self {
        Self::open_with(hub, &json!({ "token": token })).await
    }

    pub(crate) async fn open_with(hub: &'a HttpServer, proof: &Value) -> Self {
        let answer = sign_in_with(hub, proof).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        let cookie = answer.head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("set-cookie").then(|| value.split(';').next().unwrap())
        });
        let session: Value = serde_json::from_str(&answer.body).unwrap();
        Self {
            hub,
            cookie: cookie.unwrap_or_else(|| panic!("{}", answer.head)).to_owned(),
            csrf: session["csrf"].as_str().unwrap().to_owned(),
            session,
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        let head = format!("GET {path} HTTP/1.1\r\nCookie: {}", self.cookie);
        send(&self.hub.url, &head, "").await
    }

    pub(crate) async fn read(&self, path: &str) -> Value {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        serde_json::from_str(&answer.body).unwrap()
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Response {
        let head = format!(
            "POST {path} HTTP/1.1\r\nCookie: {}\r\nX-Hobnob-Csrf: {}\r\nOrigin: {}\r\n\
             Content-Type: application/json",
            self.cookie,
            self.csrf,
            origin(self.hub)
        );
        send(&self.hub.url, &head, &body.to_string()).await
    }

    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let body = json!({ "method": "tools/call", "params": params });
        let answer = self.post("/ui/api/mcp", &body).await;
        serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{}", answer.body))
    }
}

/// What the audit log has about requests of this kind.
fn logged(home: &Home, method: &str) -> Vec<Value> {
    let lines = home.ok(&["audit", "--json", "--limit", "1000"]).stdout;
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["method"] == method).collect()
}

#[tokio::test]
async fn two_principals_see_nothing_of_each_other() {
    let home = home_with_servers();
    let (ann, bob) = (create(&home, &["ann"]), create(&home, &["bob"]));
    let hub = serve(&home, &LISTENER).await;
    let (ann_page, bob_page) = (Page::open(&hub, &ann).await, Page::open(&hub, &bob).await);
    assert_eq!(ann_page.session["principal"], "token:ann");
    let said = json!({ "name": "mcp__loud__say", "arguments": { "text": "canary-ann" } });
    let answer = ask(&hub, "/mcp", Some(&ann), "tools/call", said).await;
    assert!(answer.body.contains("said"), "{}", answer.body);
    let capture = json!({ "content": "canary-ann memory", "namespace": "decisions" });
    let memory = ann_page.call("memory_capture", capture).await;
    let id = memory["result"]["structuredContent"]["id"].as_str();
    let id = id.unwrap_or_else(|| panic!("{memory}")).to_owned();
    let owns = ann_page.call("memory_get", json!({ "id": id })).await.to_string();
    assert!(owns.contains("canary-ann"), "{owns}");
    let other = bob_page.call("memory_get", json!({ "id": id })).await.to_string();
    assert!(!other.contains("canary-ann"), "{other}");
    // The state: own calls, and servers without anything about the machine.
    let state = ann_page.read("/ui/api/state").await;
    let recent = state["recent"].as_array().unwrap();
    assert!(recent.iter().any(|call| call["target"] == "mcp__loud__say"), "{state}");
    assert!(recent.iter().all(|call| call["principal"] == "token:ann"), "{state}");
    let servers = state["status"]["servers"].as_array().unwrap();
    assert!(servers.iter().any(|it| it["name"] == "loud" && it["tools"] == 1), "{state}");
    let machine = [home.path("").display().to_string(), "canary-broken".into(), "sh …".into()];
    for secret in &machine {
        assert!(!state.to_string().contains(secret.as_str()), "{secret}: {state}");
    }
    let seen = bob_page.read("/ui/api/state").await.to_string();
    assert!(!seen.contains("token:ann") && !seen.contains("loud__say"), "{seen}");
    // Usage, the log and its export.
    let by_principal = ann_page.read("/ui/api/usage?by=principal").await;
    let rows = by_principal["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["name"] == "token:ann") && !rows.is_empty(), "{rows:?}");
    for (page, own, others) in
        [(&ann_page, "token:ann", "token:bob"), (&bob_page, "token:bob", "token:ann")]
    {
        for path in ["/ui/api/audit", "/ui/api/audit?q=token", "/ui/api/audit/export"] {
            let text = page.get(path).await.body;
            assert!(text.contains(own) && !text.contains(others), "{path}: {text}");
            assert!(!text.contains("\"seq\""), "{path}: {text}");
        }
    }
    assert_eq!(logged(&home, "page/sign-in").len(), 2);
}

#[tokio::test]
async fn a_principal_does_nothing_of_the_owner_s() {
    let home = home_with_servers();
    // Its name gives it no rights.
    let token = create(&home, &["owner"]);
    let hub = serve(&home, &LISTENER).await;
    let page = Page::open(&hub, &token).await;
    assert_eq!(page.session["rights"], "principal");
    let health = page.read("/ui/api/health").await;
    let fields: Vec<_> = health.as_object().unwrap().keys().collect();
    assert_eq!(fields, ["version", "ok"]);
    for path in [
        "/ui/api/servers/loud/log",
        "/ui/api/servers/loud/history",
        "/ui/api/servers/loud/entry",
        "/ui/api/servers/loud/review",
        "/ui/api/histories",
        "/ui/api/rules",
        "/ui/api/recordings",
        "/ui/api/recordings/1/messages",
    ] {
        assert_eq!(page.get(path).await.status, 403, "{path}");
    }
    let paste = json!({ "text": "uvx evil", "names": {} });
    for (path, body) in [
        ("/ui/api/servers/loud/restart", json!({})),
        ("/ui/api/servers/loud/disable", json!({})),
        ("/ui/api/servers/loud/approve", json!({})),
        ("/ui/api/servers/loud/logout", json!({})),
        ("/ui/api/servers", paste.clone()),
        ("/ui/api/servers/preview", paste),
        ("/ui/api/questions/1", json!({ "answer": "yes" })),
        ("/ui/api/rules/add", json!({ "tool": "*", "action": "allow" })),
        ("/ui/api/recordings", json!({ "subject": "all-clients" })),
    ] {
        let answer = page.post(path, &body).await;
        assert_eq!(answer.status, 403, "{path}: {}", answer.body);
        assert!(answer.body.contains("only the owner"), "{path}: {}", answer.body);
    }
    let refused = logged(&home, "page/owner-only");
    assert!(!refused.is_empty() && refused.iter().all(|it| it["principal"] == "token:owner"));
    // Its session changes nothing for the owner, whose link still works.
    let link = home.json(0, &["ui"])["url"].as_str().unwrap().to_owned();
    let secret = link.split_once("#link=").unwrap().1;
    let head = format!(
        "POST /ui/api/session HTTP/1.1\r\nContent-Type: application/json\r\nOrigin: {}",
        origin(&hub)
    );
    let opened = send(&hub.url, &head, &json!({ "link": secret }).to_string()).await;
    assert!(opened.body.contains("\"rights\":\"owner\""), "{}", opened.body);
}

#[tokio::test]
async fn a_session_has_the_rights_of_its_token_and_ends_with_it() {
    let home = home_with_servers();
    let reader = create(&home, &["reader", "--scope", "read"]);
    let only = create(&home, &["only", "--profile", "subcog"]);
    let hub = serve(&home, &LISTENER).await;
    for wrong in ["", "hob_wrong", &reader[..reader.len() - 1]] {
        assert_eq!(sign_in(&hub, wrong).await.status, 403, "{wrong}");
    }
    assert!(!logged(&home, "tokens/unknown").is_empty());
    let answer = send(&hub.url, "GET /ui/api/session HTTP/1.1", "").await;
    let ways = "\"sign_in\":[\"token\"]";
    assert!(answer.status == 401 && answer.body.contains(ways), "{}", answer.body);
    let in_query = format!("GET /ui/api/session?access_token={reader} HTTP/1.1");
    assert_eq!(send(&hub.url, &in_query, "").await.status, 401);
    // A reader calls nothing; the profile's token gets the profile's tools.
    let page = Page::open(&hub, &reader).await;
    let call = json!({ "method": "tools/call", "params": { "name": "mcp__loud__say" } });
    let refused = page.post("/ui/api/mcp", &call).await;
    assert_eq!(refused.status, 403, "{}", refused.body);
    assert!(refused.body.contains("call"), "{}", refused.body);
    let below = Page::open(&hub, &only).await;
    assert_eq!(below.session["view"], "/p/subcog");
    let list = json!({ "method": "tools/list" });
    let names = |text: &str| {
        let answer: Value = serde_json::from_str(text).unwrap();
        let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let through_page = names(&below.post("/ui/api/mcp", &list).await.body);
    let at_mcp = ask(&hub, "/p/subcog/mcp", Some(&only), "tools/list", json!({})).await;
    assert_eq!(through_page, names(&at_mcp.body));
    home.ok(&["token", "revoke", "reader"]);
    let ended = page.get("/ui/api/state").await;
    assert!(ended.status == 401 && ended.body.contains("revoked"), "{}", ended.body);
    assert_eq!(below.get("/ui/api/state").await.status, 200, "the other's goes on");
}

#[tokio::test]
async fn a_member_signs_in_and_sees_what_is_theirs() {
    let Some(mut stage) = Stage::start(Callers::Member).await else { return };
    let report = stage.run("principals.mjs", json!({})).await;
    assert_eq!((&report["found"], &report["wider"]), (&json!([]), &json!([])), "{report:#}");
    assert_eq!((&report["kept"], &report["readable"]), (&json!(""), &json!("{}{}")));
    assert!(report["refused"].to_string().contains("token"), "{report:#}");
    let texts = report["texts"].to_string();
    for others in ["bob", "exit 3", "no settings found", "Recorder", "Add a server"] {
        assert!(!texts.contains(others), "{others}: {report:#}");
    }
    for own in ["token:ann", "stock", "Your access"] {
        assert!(texts.contains(own), "{own}: {report:#}");
    }
    assert_eq!(report["unknown"], "Now");
    for name in ["left", "other"] {
        assert!(!report[name].to_string().contains("stock"), "{name}: {report:#}");
    }
    assert!(report["other"].to_string().contains("token:bob"), "{report:#}");
}
