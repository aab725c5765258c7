//! Logins to upstreams, from outside: the commands, a hub that runs, and two that share a login.
//!
//! A31, A32, A33, A39: one refresh for many calls, none too many for many processes, and no secret
//! in any file, log or command line. The servers run in this process, so a thread of their own is
//! needed while a command is waited for.

use parking_lot::Mutex;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use hobnob_mcp_client::{Client, Host};
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_types::RpcError;
use hobnob_mcp_types::capabilities::{
    CapabilitySettings, ClientCapabilities, ElicitationCapability,
};
use hobnob_mcp_types::elicitation::{ElicitParams, ElicitUrlParams};
use hobnob_mcp_types::input::InputRequest;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::cli_config_home::Home;
use crate::faults_setup::ALLOW;
use crate::login_servers::{CANARY, LoginServers, get, log_in_at};
use crate::program::within;

pub(crate) const TOOL: &str = "mcp__private__whoami";

/// How the answer of a login comes back.
pub(crate) enum Way {
    /// The browser is here, and reaches the port.
    Port,
    /// It is elsewhere, and the person pastes its last address.
    Paste,
}

/// A home with a server that wants a login.
async fn stage() -> (Home, LoginServers) {
    let (home, servers) = (Home::new(), LoginServers::start().await);
    write_servers(&home, &json!({"private": {"url": servers.url()}}));
    home.write("hobnob/config/config.toml", ALLOW);
    (home, servers)
}

pub(crate) fn write_servers(home: &Home, servers: &Value) {
    home.write("hobnob/config/mcp.json", &json!({"mcpServers": servers}).to_string());
}

/// Runs `hobnob login` with a person at a browser; returns what it reports and prints.
pub(crate) async fn log_in(home: &Home, arguments: &[&str], way: Way) -> (Value, String) {
    let words: Vec<&str> =
        ["--json", "login", "private", "--no-browser"].iter().chain(arguments).copied().collect();
    log_in_by(Command::from(home.command(&words)), way).await
}

/// The same for a command that is a login already.
pub(crate) async fn log_in_by(mut command: Command, way: Way) -> (Value, String) {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut said = String::new();
    let page = loop {
        let line = within("the page", lines.next_line()).await.unwrap();
        let line = line.unwrap_or_else(|| panic!("no page: {said}"));
        said += &format!("{line}\n");
        if line.starts_with("http") {
            break line;
        }
    };
    assert_plain_arguments(child.id().unwrap());
    let answer = log_in_at(&page).await;
    match way {
        Way::Port => assert!(get(&answer).await.contains("You are logged in")),
        Way::Paste => {
            // A line that is not the address is rejected, and the next line counts.
            input.write_all(format!("hello\n{answer}\n").as_bytes()).await.unwrap();
        }
    }
    while let Some(line) = within("its words", lines.next_line()).await.unwrap() {
        said += &format!("{line}\n");
    }
    let output = within("the end of the login", child.wait_with_output()).await.unwrap();
    assert!(output.status.success(), "{said}");
    (serde_json::from_slice(&output.stdout).unwrap(), said)
}

/// A39: no secret is in the arguments of a process, which every user of the machine can read.
fn assert_plain_arguments(pid: u32) {
    if let Ok(line) = fs::read(format!("/proc/{pid}/cmdline")) {
        assert!(!String::from_utf8_lossy(&line).contains(CANARY));
    }
}

/// A39: no file below this folder has a secret in it.
fn assert_no_secret_below(folder: &Path) -> usize {
    assert_absent_below(folder, CANARY)
}

/// The same for any text; returns how many files there are.
pub(crate) fn assert_absent_below(folder: &Path, secret: &str) -> usize {
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match fs::symlink_metadata(&path).unwrap().file_type() {
            kind if kind.is_dir() => count += assert_absent_below(&path, secret),
            kind if kind.is_file() => {
                let bytes = fs::read(&path).unwrap();
                let found = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
                assert!(!found, "a secret is in {}", path.display());
                count += 1;
            }
            _ => {}
        }
    }
    count
}

fn server(status: &Value) -> Value {
    status["servers"].as_array().unwrap().iter().find(|it| it["name"] == "private").unwrap().clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_says_which_command_logs_in_and_works_after_it() {
    let (home, servers) = stage().await;
    let refused = home.run(&["call", TOOL]);
    assert_ne!(refused.code, 0);
    let said = refused.stdout + &refused.stderr;
    assert!(said.contains("hobnob login private"), "{said}");
    let status = server(&home.json(0, &["status"]));
    assert_eq!(status["phase"], "needs-login", "{status}");
    assert_eq!(status["hint"], "hobnob login private");
    let doctor = home.run(&["doctor", "private"]);
    assert!(doctor.stdout.contains("hobnob login private"), "{}", doctor.stdout);

    let (report, said) = log_in(&home, &[], Way::Port).await;
    assert_eq!(report["logged_in"], true, "{said}");
    assert_eq!((&report["new"], &report["renews"]), (&json!(true), &json!(true)));
    assert_eq!(home.ok(&["call", TOOL]).stdout.trim(), "login 1");
    let status = server(&home.json(0, &["status"]));
    assert_ne!(status["phase"], "needs-login", "{status}");
    assert_eq!(status["login"]["logged_in"], true, "{status}");
    assert!(3000 < status["login"]["expires_in_seconds"].as_u64().unwrap(), "{status}");
    let again = home.json(0, &["login", "private"]);
    assert_eq!((&again["logged_in"], &again["new"]), (&json!(true), &json!(false)));
    assert_eq!(home.json(0, &["doctor", "private"])["servers"][0]["verdict"], "ok");
    assert!(8 < assert_no_secret_below(&home.path("")));

    assert_eq!(home.json(0, &["logout", "private"])["outcome"], "revoked");
    assert_eq!(servers.happened().revocations, 1);
    assert_eq!(home.json(0, &["logout", "private"])["outcome"], "not-logged-in");
    let refused = home.run(&["call", TOOL]);
    assert!((refused.stdout + &refused.stderr).contains("hobnob login private"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_no_browser_is_the_address_is_pasted_or_the_code_is_typed_elsewhere() {
    let (home, servers) = stage().await;
    let (report, said) = log_in(&home, &[], Way::Paste).await;
    assert_eq!(report["logged_in"], true, "{said}");
    assert!(said.contains("That is not the page's address"), "{said}");
    assert_eq!(home.ok(&["call", TOOL]).stdout.trim(), "login 1");
    servers.happened().pending = 1;
    let device = home.run(&["login", "private", "--device", "--reset"]);
    assert_eq!(device.code, 0, "{}", device.stderr);
    assert!(device.stderr.contains("WXYZ-1234"), "{}", device.stderr);
    assert!(device.stderr.contains("/type-it"), "{}", device.stderr);
    assert!(!device.stderr.contains(CANARY), "{}", device.stderr);
    assert_eq!(home.ok(&["call", TOOL]).stdout.trim(), "login 2");
    assert_eq!(servers.happened().revocations, 1, "the login before was ended");
    assert_no_secret_below(&home.path(""));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_has_no_login_is_told_why() {
    let (home, servers) = stage().await;
    let with_header = json!({"url": servers.url(), "headers": {"authorization": "Bearer x"}});
    write_servers(
        &home,
        &json!({
            "private": {"url": servers.url()},
            "program": {"command": "true"},
            "header": with_header,
            "helper": {"url": servers.url(), "headersHelper": "true"},
            "plain": {"url": "http://192.0.2.1/mcp"},
            "bad": {"url": servers.url(), "oauth": {"grant": "magic"}},
        }),
    );
    home.write(
        "project/.mcp.json",
        &json!({"mcpServers": {"new": {"url": "https://x.example"}}}).to_string(),
    );
    for command in ["login", "logout"] {
        for (name, why) in [
            ("absent", "configured: bad, header, helper, new, plain, private, program"),
            ("program", "is a program and has no login"),
            ("header", "has its credentials in `headers`"),
            ("helper", "`headersHelper`"),
            ("plain", "is not encrypted"),
            ("bad", "`oauth.grant`"),
            ("new", "hobnob approve new"),
        ] {
            let run = home.run(&[command, name]);
            assert_ne!(run.code, 0, "{command} {name}");
            assert!(run.stderr.contains(why), "{command} {name}: {}", run.stderr);
        }
    }
    assert_eq!(servers.happened().shown.len(), 0, "nobody was asked");
}

/// A running hub, and its whole log.
pub(crate) struct TalkativeHub {
    pub(crate) child: Child,
    pub(crate) url: String,
    pub(crate) said: Arc<Mutex<String>>,
    pub(crate) reading: JoinSet<()>,
}

impl TalkativeHub {
    /// A39: the log has no secret so far.
    fn assert_discreet(&self) {
        let said = self.said.lock();
        assert!(said.contains("TRACE"), "it was to say everything: {said}");
        let at = said.find(CANARY);
        assert!(at.is_none(), "{}", &said[at.unwrap_or_default().saturating_sub(300)..]);
    }
}

/// A running hub, and one client of it.
pub(crate) async fn hub(home: &Home) -> (TalkativeHub, Client) {
    let hub = start_hub(home.command(&["serve", "--http", "127.0.0.1:0"])).await;
    let client = Client::connect(&hub.url).await.unwrap();
    (hub, client)
}

/// Starts a hub by a command that serves over HTTP, at the most verbose log level.
pub(crate) async fn start_hub(command: std::process::Command) -> TalkativeHub {
    let mut command = Command::from(command);
    command.env("HOBNOB_NO_REUSE", "1").env("RUST_LOG", "trace");
    command.stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let (said, (found, mut url)) = (Arc::<Mutex<String>>::default(), watch::channel(None));
    let mut reading = JoinSet::new();
    let noted = Arc::clone(&said);
    reading.spawn(async move {
        while let Ok(Some(line)) = lines.next_line().await {
            let log: Value = serde_json::from_str(&line).unwrap_or_default();
            if log["fields"]["message"] == "listening" {
                found.send_replace(log["fields"]["url"].as_str().map(str::to_owned));
            }
            noted.lock().push_str(&format!("{line}\n"));
        }
    });
    let url = within("the address", url.wait_for(Option::is_some)).await.unwrap().clone();
    TalkativeHub { child, url: url.unwrap(), said, reading }
}

pub(crate) async fn text(client: &Client) -> String {
    let result = client.call_tool(TOOL, &json!({})).await.unwrap();
    serde_json::to_value(&result.content).unwrap()[0]["text"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hub_that_runs_takes_the_login_and_refreshes_once_for_many_calls() {
    let (home, servers) = stage().await;
    let (hub, client) = hub(&home).await;
    let client = Arc::new(client);
    let refused = text(&client).await;
    assert!(refused.contains("log in with: hobnob login private"), "{refused}");
    log_in(&home, &[], Way::Port).await;
    assert_eq!(text(&client).await, "login 1");
    assert_eq!(servers.happened().refreshes, 0);
    for round in 1..4 {
        servers.expire();
        let mut calls = JoinSet::new();
        for _ in 0..50 {
            let client = Arc::clone(&client);
            calls.spawn(async move { text(&client).await });
        }
        assert_eq!(calls.join_all().await, vec!["login 1"; 50]);
        assert_eq!(servers.happened().refreshes, round);
    }
    assert_plain_arguments(hub.child.id().unwrap());
    home.ok(&["logout", "private"]);
    let refused = text(&client).await;
    assert!(refused.contains("hobnob login private"), "{refused}");
    hub.assert_discreet();
    assert_no_secret_below(&home.path(""));
}

/// What a client can do that shows pages to its person, and no forms.
pub(crate) fn shows_pages() -> ClientCapabilities {
    let url = Some(CapabilitySettings::default());
    let elicitation = Some(ElicitationCapability { form: None, url });
    ClientCapabilities { elicitation, ..ClientCapabilities::default() }
}

/// A question that shows a page.
pub(crate) fn shown_page(question: &InputRequest) -> &ElicitUrlParams {
    let InputRequest::Elicit(params) = question else { panic!("{question:?}") };
    let ElicitParams::Url(asked) = &**params else { panic!("{params:?}") };
    asked
}

/// A person who is shown pages, and logs in there or does not want to.
struct Visitor {
    action: &'static str,
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
        assert!(asked.message.contains("`private`"), "{}", asked.message);
        let page = asked.url.clone();
        if self.action == "accept" {
            // They have said yes, and take their time on the page.
            self.visits.lock().spawn(async move {
                let answer = log_in_at(&page).await;
                assert!(get(&answer).await.contains("You are logged in"));
            });
        }
        let answer = serde_json::value::to_raw_value(&json!({"action": self.action})).unwrap();
        Box::pin(async move { Ok(answer) })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_can_be_shown_a_page_logs_in_during_the_call() {
    let (home, servers) = stage().await;
    let (hub, client) = hub(&home).await;
    log_in(&home, &[], Way::Port).await;
    assert_eq!(text(&client).await, "login 1");
    home.ok(&["logout", "private"]);
    let visitor = async |action| {
        let host = Visitor { action, visits: Arc::default() };
        Client::builder().host(host).connect(&hub.url).await.unwrap()
    };
    for action in ["decline", "cancel"] {
        let refused = text(&visitor(action).await).await;
        assert!(refused.contains("hobnob login private"), "{refused}");
    }
    assert_eq!(text(&visitor("accept").await).await, "login 2");
    // The client that could not show a page has the login, too: it is the same person.
    assert_eq!(text(&client).await, "login 2");
    assert_eq!(servers.happened().refreshes, 0);
    hub.assert_discreet();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hubs_share_a_login_that_changes_with_every_refresh() {
    let (home, servers) = stage().await;
    log_in(&home, &[], Way::Port).await;
    let ((_one, first), (_two, second)) = tokio::join!(hub(&home), hub(&home));
    for round in 1..6 {
        servers.expire();
        let (left, right) = tokio::join!(text(&first), text(&second));
        assert_eq!((left.as_str(), right.as_str()), ("login 1", "login 1"), "round {round}");
        assert_eq!(servers.happened().refreshes, round, "one for both");
    }
    assert_eq!(text(&first).await, "login 1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_prints_the_headers() {
    let (home, servers) = stage().await;
    let token = format!("{CANARY}-helper");
    servers.accept(&token);
    let script = home.path("home/headers");
    let json = json!({"Authorization": format!("Bearer {token}")});
    // Split the secret, since the search would find it in this script.
    let text = json.to_string().replace(CANARY, "can''ary");
    home.write(
        "home/headers",
        &format!(
            "#!/bin/sh\ntest \"$CLAUDE_CODE_MCP_SERVER_NAME\" = private || exit 1\necho '{text}'\n"
        ),
    );
    make_executable(&script);
    let entry = json!({"url": servers.url(), "headersHelper": script});
    write_servers(&home, &json!({"private": entry}));
    assert_eq!(home.ok(&["call", TOOL]).stdout.trim(), "login 0");
    assert_no_secret_below(&home.path(""));
    home.write("home/headers", "#!/bin/sh\necho canary >&2\necho canary\n");
    make_executable(&script);
    let run = home.run(&["call", TOOL]);
    let said = run.stdout + &run.stderr;
    assert!(said.contains("did not print a JSON object"), "{said}");
    assert!(!said.contains(CANARY), "{said}");
}

/// Without the second run the hub would be stuck with headers that no longer count.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_is_run_again_when_its_headers_are_refused() {
    let (home, servers) = stage().await;
    let script = home.path("home/headers");
    home.write(
        "home/headers",
        "#!/bin/sh\necho run >> \"$0.runs\"\nprintf '{\"Authorization\": \"Bearer %s\"}' \
         \"$(cat \"$0.token\")\"\n",
    );
    make_executable(&script);
    let runs = || fs::read_to_string(home.path("home/headers.runs")).unwrap().lines().count();
    let take = |token: &str| {
        home.write("home/headers.token", token);
        servers.expire();
        servers.accept(token);
    };
    take("first");
    let entry = json!({"url": servers.url(), "headersHelper": script});
    write_servers(&home, &json!({"private": entry}));
    let (_hub, client) = hub(&home).await;
    assert_eq!(text(&client).await, "login 0");
    let before = runs();
    take("second");
    assert_eq!(text(&client).await, "login 0", "it is asked for others");
    assert_eq!(runs(), before + 1);
    assert_eq!(text(&client).await, "login 0");
    assert_eq!(runs(), before + 1, "these count");
    // A server that takes none of them is not asked for ever.
    servers.expire();
    let refused = text(&client).await;
    assert!(refused.contains("401") && refused.contains("`headersHelper`"), "{refused}");
    assert_eq!(runs(), before + 2);
}

pub(crate) fn make_executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}
