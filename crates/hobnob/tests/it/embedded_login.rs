//! Logins to a hub with an authorization server of its own: by password, in the terminal, and with
//! third-party clients.

use crate::health::assert_healthy;
use crate::login_person::Person;
use crate::page_link::Page;
use crate::peers::{Peer, peer_tests, report_of};
use crate::program::{HttpServer, hobnob, listening, own, within};
use hobnob_mcp::Client;
use hobnob_mcp_auth::{
    AddressPolicy, AuthError, Fetch as _, FetchRequest, GuardedFetch, OAuthAuthorizer, SecretText,
    Url,
};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;

pub(crate) const USER: &str = "ann";
pub(crate) const PASSWORD: &str = "canary horse battery";

/// A hub that asks for logins, with one user.
pub(crate) struct LoginHub {
    folder: TempDir,
    pub(crate) server: HttpServer,
}

/// A port that is free at the moment.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl LoginHub {
    pub(crate) async fn start() -> Self {
        let port = free_port();
        Self::known_as(&format!("http://127.0.0.1:{port}"), port).await
    }

    /// A hub that listens on a port of this machine, and that others know by another name.
    pub(crate) async fn known_as(public_url: &str, port: u16) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = format!("[listener]\nmode = \"embedded\"\npublic_url = \"{public_url}\"\n");
        std::fs::write(folder.path().join("config.toml"), settings).unwrap();
        let path = folder.path().to_str().unwrap();
        let run = command(path, &["user", "add", USER], PASSWORD).await;
        assert!(run.0, "{}", run.1);
        let address = format!("127.0.0.1:{port}");
        let mut serve =
            hobnob(&["serve", "--config-dir", path, "--data-dir", path, "--http", &address]);
        serve.env("HOBNOB_HOME", path).env("HOME", path).current_dir(path);
        let server = listening(serve).await;
        Self { folder, server }
    }

    pub(crate) fn path(&self) -> &str {
        self.folder.path().to_str().unwrap()
    }

    /// Runs a command of the hub's owner, which must end well.
    pub(crate) async fn owner(&self, words: &[&str], input: &str) {
        let run = command(self.path(), words, input).await;
        assert!(run.0, "{words:?}: {}", run.1);
    }

    /// What a command of the hub's owner prints as JSON.
    pub(crate) async fn listed(&self, words: &[&str]) -> Value {
        serde_json::from_slice(&self.printed(words).await).unwrap()
    }

    /// The same of a command that prints a line of JSON for each entry.
    pub(crate) async fn listed_lines(&self, words: &[&str]) -> Vec<Value> {
        let printed = self.printed(words).await;
        let lines = std::str::from_utf8(&printed).unwrap().lines();
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    async fn printed(&self, words: &[&str]) -> Vec<u8> {
        let path = self.path();
        let folders = ["--json", "--config-dir", path, "--data-dir", path];
        let mut command = hobnob(&[words, &folders].concat());
        command.env("HOBNOB_HOME", path).env("HOME", path).current_dir(path);
        within("the end of a command", command.output()).await.unwrap().stdout
    }

    fn authorizer(&self, person: &Person) -> Arc<OAuthAuthorizer> {
        OAuthAuthorizer::builder(&self.server.url).unwrap().prompt(person.clone()).build()
    }

    fn person(&self, way: Way) -> Person {
        let folder = self.path().to_owned();
        Person::new(move |page| Box::pin(visit(page, folder.clone(), way)))
    }
}

/// Runs a command with this on its standard input; whether it ended well, and what it said.
async fn command(folder: &str, words: &[&str], input: &str) -> (bool, String) {
    own(Path::new(folder), words);
    let mut command = hobnob(&[words, &["--config-dir", folder, "--data-dir", folder]].concat());
    command.env("HOBNOB_HOME", folder).env("HOME", folder).current_dir(folder);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    // A command that needs no input may have ended.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()).await);
    let output = within("the end of a command", child.wait_with_output()).await.unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// How a person agrees.
#[derive(Clone, Copy)]
enum Way {
    Password,
    Terminal,
}

/// Opens the page and fills in its form.
async fn visit(page: Url, folder: String, way: Way) -> Result<String, AuthError> {
    match way {
        Way::Password => agree(&page).await,
        Way::Terminal => {
            let form = ConsentForm::open(&page).await?;
            let code = form.between("<code>hobnob approve-login ", "</code>");
            let run = command(&folder, &["approve-login", &code, "--yes"], "").await;
            assert!(run.0, "{}", run.1);
            form.send(&[("decision", "continue")]).await
        }
    }
}

/// Opens the page of a login and agrees with the password; returns where that leads.
pub(crate) async fn agree(page: &Url) -> Result<String, AuthError> {
    let form = ConsentForm::open(page).await?;
    form.send(&[("decision", "allow"), ("user", USER), ("password", PASSWORD)]).await
}

/// The page of a login as a browser shows it.
pub(crate) struct ConsentForm {
    page: Url,
    browser: GuardedFetch,
    text: String,
}

impl ConsentForm {
    pub(crate) async fn open(page: &Url) -> Result<Self, AuthError> {
        let browser = GuardedFetch::new(AddressPolicy::for_server(page));
        let shown = browser.fetch(FetchRequest::document(page.clone())).await?;
        let text = String::from_utf8(shown.body).unwrap();
        Ok(Self { page: page.clone(), browser, text })
    }

    fn between(&self, start: &str, end: &str) -> String {
        let (_, rest) = self.text.split_once(start).unwrap_or_else(|| panic!("{}", self.text));
        rest.split_once(end).unwrap().0.to_owned()
    }

    /// Sends the form with these fields besides; returns where that leads.
    pub(crate) async fn send(&self, fields: &[(&str, &str)]) -> Result<String, AuthError> {
        let field = |name: &str| self.between(&format!("name=\"{name}\" value=\""), "\"");
        let mut form = Url::parse("http://form/").unwrap();
        form.query_pairs_mut()
            .append_pair("request", &field("request"))
            .append_pair("form_token", &field("form_token"))
            .extend_pairs(fields);
        let form = SecretText::new(form.query().unwrap());
        let target = self.page.join("/oauth/authorize").unwrap();
        let answer = self.browser.fetch(FetchRequest::form(target, form)).await?;
        assert_eq!(answer.status, 303, "{:?}", String::from_utf8_lossy(&answer.body));
        Ok(answer.headers["location"].to_str().unwrap().to_owned())
    }
}

/// Logs in, which asks the person once, and calls a tool.
async fn log_in_and_call(hub: &LoginHub, way: Way) {
    let person = hub.person(way);
    let authorizer = hub.authorizer(&person);
    let client = Client::builder().authorizer(Arc::clone(&authorizer) as _);
    let client = within("the login", client.connect(&hub.server.url)).await.unwrap();
    let health: Value = client.call("health_check", &()).await.unwrap();
    assert!(health.is_object(), "{health}");
    client.close().await;
    assert_eq!(person.logins(), 1);
}

#[tokio::test]
async fn our_client_logs_in_with_a_password_and_in_the_terminal() {
    let hub = LoginHub::start().await;
    assert!(Client::connect(&hub.server.url).await.is_err(), "nobody gets in without a login");
    log_in_and_call(&hub, Way::Password).await;
    log_in_and_call(&hub, Way::Terminal).await;
    // What happened is in the audit log, and no secret is.
    let found = files_with(hub.folder.path(), PASSWORD.as_bytes());
    assert!(found.is_empty(), "{found:?}");
    assert!(files_with(hub.folder.path(), b"hoba_").is_empty(), "an access token is on the disk");
    assert!(files_with(hub.folder.path(), b"hobr_").is_empty(), "a refresh token is on the disk");
    for (method, log) in [
        ("logins/approve", "audit-decisions.jsonl"),
        ("logins/issue", "audit-decisions.jsonl"),
        ("logins/register", "audit.jsonl"),
    ] {
        let files = files_with(hub.folder.path(), method.as_bytes());
        assert!(files.len() == 1 && files[0].ends_with(log), "{method}: {files:?}");
    }
}

/// What the page shows of logins.
async fn open_logins(page: &Page) -> Vec<Value> {
    let report = page.get("/ui/api/rules").await;
    let report: Value = serde_json::from_str(&report.body).unwrap();
    assert_eq!(report["logins"]["users"][0]["name"], USER, "{report:#}");
    report["logins"]["open"].as_array().unwrap().clone()
}

#[tokio::test]
async fn the_owner_ends_logins_on_the_page() {
    let hub = LoginHub::start().await;
    let page = Page::open(hub.listed(&["ui", "--no-open"]).await["url"].as_str().unwrap()).await;
    let person = hub.person(Way::Password);
    let authorizer = hub.authorizer(&person);
    let client = Client::builder().authorizer(Arc::clone(&authorizer) as _);
    let client = within("the login", client.connect(&hub.server.url)).await.unwrap();
    let other = hub.person(Way::Terminal);
    let other = Client::builder().authorizer(hub.authorizer(&other) as _);
    let other = within("the login", other.connect(&hub.server.url)).await.unwrap();
    let open = open_logins(&page).await;
    let of_clients: Vec<&Value> = open.iter().filter(|login| !login["client"].is_null()).collect();
    assert_eq!(of_clients.len(), 2, "{open:#?}");
    assert_eq!(of_clients[0]["client"]["scopes"], json!(["read", "call"]), "{open:#?}");
    // One of them, and that one once.
    let one = json!({"what": "login", "id": of_clients[0]["id"]});
    assert_eq!(page.post("/ui/api/rules/take-back", &one).await.status, 200);
    assert_eq!(page.post("/ui/api/rules/take-back", &one).await.status, 409);
    let left = open_logins(&page).await;
    assert_eq!(left.len() + 1, open.len(), "{left:#?}");
    // All of the user's: the very next call needs another login.
    let all = json!({"what": "logins", "user": USER});
    assert_eq!(page.post("/ui/api/rules/take-back", &all).await.status, 200);
    assert_eq!(open_logins(&page).await, [] as [Value; 0]);
    assert_eq!(person.logins(), 1);
    let health: Value = within("a call", client.call("health_check", &())).await.unwrap();
    assert_eq!(health["status"], "ok", "{health}");
    assert_eq!(person.logins(), 2, "the token of before is refused");
    let nobody = json!({"what": "logins", "user": "eve"});
    assert_eq!(page.post("/ui/api/rules/take-back", &nobody).await.status, 409);
    client.close().await;
    other.close().await;
    for method in ["users/end-login", "users/end-logins"] {
        assert!(!files_with(hub.folder.path(), method.as_bytes()).is_empty(), "{method}");
    }
}

fn files_with(folder: &Path, bytes: &[u8]) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, bytes));
        } else if let Ok(text) = std::fs::read(&path)
            && text.windows(bytes.len()).any(|part| part == bytes)
        {
            found.push(path);
        }
    }
    found
}

peer_tests! {
    sdk_logs_in: peer_logs_in("sdk", "login.mjs");
    client_logs_in: peer_logs_in("client", "login.mjs");
    mcp_logs_in: peer_logs_in("mcp", "login.py");
    fastmcp_logs_in: peer_logs_in("fastmcp", "login.py");
}

/// Another client registers, logs in once, lists and calls.
async fn peer_logs_in(key: &str, script: &str) {
    let Some(peer) = Peer::find(key) else { return };
    let hub = LoginHub::start().await;
    let mut command = match script.ends_with(".py") {
        true => peer.python(script),
        false => peer.script(script),
    };
    command.args([key, &hub.server.url, USER, PASSWORD]);
    let report = report_of(&mut command).await;
    assert_eq!(report["logins"], 1, "{report}");
    let tools = report["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool == "health_check"), "{report}");
    assert_healthy(&report["result"]);
    if script.ends_with(".mjs") {
        assert_eq!((&report["refused"], &report["rotated"]), (&true.into(), &true.into()));
        assert_eq!(report["state"], "state-1", "{report}");
    }
}
