//! A principal over HTTP is asked to log in to a server, in the middle of a call: on a page of the
//! hub, which makes sure that its visitor is that principal, in that principal's browser.
//!
//! A37: two principals, each with a login of their own; neither can have the other log in for them.

use parking_lot::Mutex;
use std::sync::Arc;

use hobnob_mcp_client::{Client, Host};
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_types::RpcError;
use hobnob_mcp_types::capabilities::ClientCapabilities;
use hobnob_mcp_types::input::InputRequest;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::task::JoinSet;

use crate::cli_config_home::Home;
use crate::embedded_browser::make_certificate;
use crate::embedded_login::free_port;
use crate::faults_setup::ALLOW;
use crate::login::{shown_page, shows_pages, text, write_servers};
use crate::login_servers::{LoginServers, log_in_at};
use crate::peers::{Peer, report_of};
use crate::program::HttpServer;
use crate::tokens::{Response, create, home, send, serve};

/// The public address of the hub, which no browser can reach here.
const PUBLIC: &str = "https://hub.example.com";

/// What a person does with the page that their client shows.
#[derive(Clone)]
enum Visit {
    /// They prove who they are with this token and log in.
    LogIn(String),
    /// They prove who they are and refuse at the authorization server.
    Refuse(String),
    /// They hand the address to another principal, who has this token.
    HandOn(String),
    /// They prove who they are, and hand on the page of the authorization server.
    HandOnAfterwards(String),
    /// They log in with Chromium.
    InChromium(String),
}

/// A person whose client shows them pages.
struct Visitor {
    hub: String,
    public: String,
    visit: Visit,
    visits: Arc<Mutex<JoinSet<()>>>,
}

impl Host for Visitor {
    fn capabilities(&self) -> ClientCapabilities {
        shows_pages()
    }

    fn answer<'a>(
        &'a self,
        question: &'a InputRequest,
    ) -> BoxFuture<'a, Result<Box<RawValue>, RpcError>> {
        let asked = shown_page(question);
        let page = asked.url.strip_prefix(&*self.public).unwrap_or_else(|| panic!("{}", asked.url));
        let (hub, public) = (self.hub.clone(), self.public.clone());
        let browser = Browser { hub, public, page: page.to_owned() };
        let visit = self.visit.clone();
        self.visits.lock().spawn(async move { browser.visit(visit).await });
        let answer = serde_json::value::to_raw_value(&json!({"action": "accept"})).unwrap();
        Box::pin(async move { Ok(answer) })
    }
}

/// A browser on the page of one login.
struct Browser {
    hub: String,
    public: String,
    page: String,
}

impl Browser {
    async fn get(&self, path: &str, cookie: &str) -> Response {
        send(&self.hub, &format!("GET {path} HTTP/1.1\r\nCookie: {cookie}"), "").await
    }

    async fn prove(&self, token: &str) -> Response {
        self.prove_from(&format!("\r\nOrigin: {PUBLIC}"), token).await
    }

    /// Sends the form, with this `Origin` header of the browser.
    async fn prove_from(&self, origin: &str, token: &str) -> Response {
        let head = format!(
            "POST {} HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded{origin}",
            self.page
        );
        send(&self.hub, &head, &format!("proof={token}")).await
    }

    async fn visit(&self, visit: Visit) {
        let shown = self.get(&self.page, "").await;
        assert_eq!(shown.status, 200, "{}", shown.body);
        assert!(shown.body.contains("private") && shown.body.contains("token:"), "{}", shown.body);
        assert!(shown.head.to_lowercase().contains("frame-ancestors 'none'"), "{}", shown.head);
        match visit {
            Visit::LogIn(token) => {
                // Another site can have a browser send a form, but not from this page.
                for origin in ["", "\r\nOrigin: null", "\r\nOrigin: https://evil.example"] {
                    assert_eq!(self.prove_from(origin, &token).await.status, 403, "{origin}");
                }
                let (answer, cookie) = self.log_in(&token).await;
                assert_eq!(self.get(&answer, "").await.status, 403, "another browser");
                let other = cookie.replace('=', "=x");
                assert_eq!(self.get(&answer, &other).await.status, 403, "a made up cookie");
                let done = self.get(&answer, &cookie).await;
                assert!(done.body.contains("Your answer has arrived"), "{}", done.body);
                assert_eq!(self.get(&answer, &cookie).await.status, 404, "it counts once");
                assert_eq!(self.get(&self.page, "").await.status, 404);
            }
            Visit::Refuse(token) => {
                let (answer, cookie) = self.log_in(&token).await;
                let (_, state) = answer.split_once("state=").unwrap();
                let state = state.split('&').next().unwrap();
                let (path, _) = answer.split_once('?').unwrap();
                let refused = format!("{path}?error=access_denied&state={state}");
                let done = self.get(&refused, &cookie).await;
                assert!(done.body.contains("You are not logged in"), "{}", done.body);
            }
            Visit::HandOn(token) => {
                for _ in 0..5 {
                    let refused = self.prove(&token).await;
                    assert_eq!(refused.status, 403, "{}", refused.body);
                    assert!(!refused.body.contains(&token), "{}", refused.body);
                }
                assert_eq!(self.prove(&token).await.status, 404, "it is over");
            }
            Visit::InChromium(token) => self.in_chromium(&token).await,
            Visit::HandOnAfterwards(token) => {
                let (answer, _) = self.log_in(&token).await;
                assert_eq!(self.get(&answer, "").await.status, 403, "the other one's browser");
                for _ in 0..6 {
                    self.prove("nobody's").await;
                }
            }
        }
    }

    async fn in_chromium(&self, token: &str) {
        let find = |name| Peer::find(name).unwrap();
        let (library, chromium, openssl) = (find("playwright"), find("chromium"), find("openssl"));
        let folder = tempfile::tempdir().unwrap();
        let (key, certificate) = (folder.path().join("tls.key"), folder.path().join("tls.pem"));
        make_certificate(openssl.home(), &key, &certificate);
        let mut command = library.script("login_page.mjs");
        command.arg(chromium.home()).arg(format!("{}{}", self.public, self.page));
        command.arg(&self.hub).arg(token).arg(key).arg(certificate);
        let seen = report_of(&mut command).await;
        assert!(seen["asked"].as_str().unwrap().contains("token:ann"), "{seen}");
        assert_eq!(seen["elements"], 0, "{seen}");
        assert!(seen["wrong"]["errors"].to_string().contains("403"), "{seen}");
        assert_eq!((&seen["done"]["origin"], &seen["errors"]), (&json!(self.public), &json!([])));
    }

    /// Proves who they are, goes to the authorization server and logs in there. Returns where they
    /// are sent, and the cookie of this browser.
    async fn log_in(&self, token: &str) -> (String, String) {
        let proved = self.prove(token).await;
        assert_eq!(proved.status, 200, "{}", proved.body);
        let header = |name: &str| {
            let found = proved.head.lines().find_map(|line| {
                let (key, value) = line.split_once(": ")?;
                key.eq_ignore_ascii_case(name).then(|| value.to_owned())
            });
            found.unwrap_or_else(|| panic!("{}", proved.head))
        };
        let cookie = header("set-cookie");
        for part in ["__Host-", "HttpOnly", "Secure", "SameSite=Lax"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        // A link and no redirect, which browsers would hold to where the form may lead.
        let (_, place) =
            proved.body.split_once("url=").unwrap_or_else(|| panic!("{}", proved.body));
        let place = place.split('"').next().unwrap().replace("&amp;", "&");
        let answer = log_in_at(&place).await;
        let answer = answer.strip_prefix(PUBLIC).unwrap_or_else(|| panic!("{answer}")).to_owned();
        (answer, cookie.split(';').next().unwrap().to_owned())
    }
}

/// A hub with two principals and a server that wants a login.
struct Stage {
    public: String,
    home: Home,
    servers: LoginServers,
    server: HttpServer,
    ann: String,
    bob: String,
}

impl Stage {
    async fn start() -> Self {
        Self::known_as(PUBLIC.to_owned()).await
    }

    async fn known_as(public: String) -> Self {
        let (home, servers) = (home(), LoginServers::start().await);
        write_servers(&home, &json!({"private": {"url": servers.url()}}));
        let settings = std::fs::read_to_string(home.path("hobnob/config/config.toml")).unwrap();
        let settings = settings.replace(PUBLIC, &public);
        home.write("hobnob/config/config.toml", &format!("{settings}{ALLOW}"));
        let (ann, bob) = (create(&home, &["ann"]), create(&home, &["bob"]));
        let server = serve(&home, &["serve", "--http", "127.0.0.1:0"]).await;
        Self { public, home, servers, server, ann, bob }
    }

    /// A client of the principal with this token.
    async fn client(&self, token: &str, visit: Option<Visit>) -> (Client, Arc<Mutex<JoinSet<()>>>) {
        let visits: Arc<Mutex<JoinSet<()>>> = Arc::default();
        let client = Client::builder().header("Authorization", format!("Bearer {token}"));
        let client = match visit {
            Some(visit) => {
                let (hub, public) = (self.server.url.clone(), self.public.clone());
                client.host(Visitor { hub, public, visit, visits: Arc::clone(&visits) })
            }
            None => client,
        };
        (client.connect(&self.server.url).await.unwrap(), visits)
    }

    /// Calls the tool of the server with this token, and returns its text. The client must have
    /// shown this number of pages.
    async fn says(&self, token: &str, visit: Option<Visit>, pages: usize) -> String {
        let (client, visits) = self.client(token, visit).await;
        let said = text(&client).await;
        let visits = std::mem::take(&mut *visits.lock());
        assert_eq!(visits.join_all().await.len(), pages, "pages");
        said
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_principal_logs_in_on_a_page_of_the_hub_and_for_themselves_only() {
    let stage = Stage::start().await;
    let (ann, bob) = (stage.ann.as_str(), stage.bob.as_str());
    let log_in = |token: &str| Some(Visit::LogIn(token.to_owned()));
    // A client that cannot show pages gets the command for its own principal.
    let told = stage.says(bob, None, 0).await;
    assert!(told.ends_with("hobnob login private --as token:bob"), "{told}");
    assert_eq!(stage.says(ann, log_in(ann), 1).await, "login 1");
    assert_eq!(stage.says(ann, log_in(ann), 0).await, "login 1", "she is asked once");
    // No other principal has her login.
    let told = stage.says(bob, None, 0).await;
    assert!(told.ends_with("hobnob login private --as token:bob"), "{told}");
    let local = stage.home.run(&["call", "mcp__private__whoami"]);
    assert!((local.stdout + &local.stderr).contains("hobnob login private"));
    // Bob cannot have Ann log in for him: neither on the hub's page nor behind it.
    let told = stage.says(bob, Some(Visit::HandOn(ann.to_owned())), 1).await;
    assert!(told.ends_with("hobnob login private --as token:bob"), "{told}");
    let told = stage.says(bob, Some(Visit::HandOnAfterwards(bob.to_owned())), 1).await;
    assert!(told.ends_with("hobnob login private --as token:bob"), "{told}");
    let told = stage.says(bob, Some(Visit::Refuse(bob.to_owned())), 1).await;
    assert!(told.contains("hobnob login private --as token:bob"), "{told}");
    assert_eq!(stage.says(bob, log_in(bob), 1).await, "login 4");
    assert_eq!(stage.says(ann, None, 0).await, "login 1");
    let refused = stage.servers.happened().sessions.values().all(|logins| logins.len() <= 1);
    assert!(refused, "each has sessions of their own");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_principals_log_in_at_once_and_get_their_own() {
    let stage = Stage::start().await;
    let log_in = |token: &str| Some(Visit::LogIn(token.to_owned()));
    let (first, second) = tokio::join!(
        stage.says(&stage.ann, log_in(&stage.ann), 1),
        stage.says(&stage.bob, log_in(&stage.bob), 1)
    );
    assert_ne!(first, second);
    assert_eq!(stage.says(&stage.ann, None, 0).await, first);
    assert_eq!(stage.says(&stage.bob, None, 0).await, second);
    // There are no pages without a waiting login.
    for path in ["/upstream-login/", "/upstream-login/x", "/upstream-login/callback?state=x"] {
        let answer = send(&stage.server.url, &format!("GET {path} HTTP/1.1"), "").await;
        assert_eq!(answer.status, 404, "{path}: {}", answer.body);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_principal_logs_in_with_a_real_browser() {
    for name in ["playwright", "chromium", "openssl"] {
        if Peer::find(name).is_none() {
            return;
        }
    }
    let stage = Stage::known_as(format!("https://hub.test:{}", free_port())).await;
    let visit = Visit::InChromium(stage.ann.clone());
    assert_eq!(stage.says(&stage.ann, Some(visit), 1).await, "login 1");
}
