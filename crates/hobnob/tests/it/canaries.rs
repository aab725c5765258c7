//! A39, A13: every secret of every flow, and every place where none may be.
//!
//! One hub that people log in to, servers behind it that want logins and keys of their own, and
//! failures on the way, all at the most verbose log level. The test notes each secret when it is
//! made. In the end it searches for all of them in the output of every process, in every answer, in
//! addresses, in the arguments of processes, and in every byte of every file; none may be found.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hobnob_mcp_auth::{PkceVerifier, Url};
use serde_json::{Value, json};

use crate::cli_config_home::Home;
use crate::faults_setup::ALLOW;
use crate::login::{TalkativeHub, Way, log_in_by, make_executable, start_hub, write_servers};
use crate::login_servers::LoginServers;
use crate::program::within;
use crate::tokens::{Response, ask_at, send};

const PUBLIC: &str = "https://hub.example.com";
const REDIRECT: &str = "https://client.example/callback";
const PASSWORD: &str = "canary-password of Ann";

/// Secrets that settings name by a variable, as the variable and its value.
const VARIABLES: [(&str, &str); 3] = [
    ("CLIENT_SECRET", "canary-of-the-client-1f4b"),
    ("MACHINE_SECRET", "canary-of-the-machine-7c2e"),
    ("HEADER_SECRET", "canary-of-the-header-9d31"),
];
/// What a command prints for a header.
const HELPER: &str = "canary-of-the-helper-55aa";

/// The state of the whole test.
struct Stage {
    home: Home,
    servers: LoginServers,
    /// The secrets, by their description.
    secrets: BTreeMap<String, Vec<u8>>,
    /// Output, answers and pages that were not searched yet, with their origin.
    seen: Vec<(String, Vec<u8>)>,
    /// The arguments of all processes.
    arguments: BTreeSet<Vec<u8>>,
}

impl Stage {
    async fn new() -> Self {
        let (home, servers) = (Home::new(), LoginServers::start().await);
        let settings =
            format!("[listener]\nmode = \"embedded\"\npublic_url = \"{PUBLIC}\"\n{ALLOW}");
        home.write("hobnob/config/config.toml", &settings);
        let shown = home.path("home/of-children");
        let shown = shown.to_str().unwrap();
        // What a program that Hobnob starts can see of it.
        let look = format!("env >> {shown}; cat /proc/$PPID/cmdline /proc/$$/cmdline >> {shown}");
        let header = json!({"Authorization": format!("Bearer {HELPER}")}).to_string();
        // Split the secret, since the search would find it in this script.
        let header = header.replace("canary", "can''ary");
        home.write("home/helper", &format!("#!/bin/sh\n{look}\necho '{header}'\n"));
        make_executable(&home.path("home/helper"));
        let url = servers.url();
        let client = |id: &str, variable: &str| json!({"clientId": id, "clientSecret": variable});
        let mut machine = client("machine", "${MACHINE_SECRET}");
        machine["grant"] = json!("client_credentials");
        let header = json!({"Authorization": "Bearer ${HEADER_SECRET}"});
        let entries = json!({
            "private": {"url": url, "oauth": client("hub", "${CLIENT_SECRET}")},
            "machine": {"url": url, "oauth": machine},
            "header": {"url": url, "headers": header},
            "helper": {"url": url, "headersHelper": home.path("home/helper")},
            "broken": {"command": "sh", "args": ["-c", format!("{look}; exit 1")]},
        });
        write_servers(&home, &entries);
        servers.accept(HELPER);
        servers.accept("canary-of-the-header-9d31");
        let (secrets, seen, arguments) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
        let mut stage = Self { home, servers, secrets, seen, arguments };
        for (name, value) in VARIABLES {
            stage.note(name, value);
        }
        stage.note("the output of a helper", HELPER);
        stage.note("a password", PASSWORD);
        stage
    }

    fn note(&mut self, what: &str, secret: &str) {
        assert!(12 < secret.len(), "{what} could be anywhere: {secret}");
        let what = format!("{what} ({})", self.secrets.len());
        self.secrets.insert(what, secret.as_bytes().to_vec());
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.home.command(words);
        command.envs(VARIABLES).env("RUST_LOG", "trace");
        command
    }

    /// Runs a command with this on its standard input, and keeps what it says.
    fn run(&mut self, words: &[&str], input: &str) -> Value {
        let mut command = self.command(words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that needs no input may have ended.
        drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
        self.look_at_processes();
        let output = child.wait_with_output().unwrap();
        let answer = serde_json::from_slice(&output.stdout).unwrap_or_default();
        // `token create` shows the new token once, to the person who makes it.
        if !words.contains(&"create") {
            self.seen.push((format!("stdout of {words:?}"), output.stdout));
        }
        self.seen.push((format!("stderr of {words:?}"), output.stderr));
        answer
    }

    /// Notes the arguments of every process, which all users of the machine can read.
    fn look_at_processes(&mut self) {
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            self.arguments.extend(fs::read(entry.path().join("cmdline")));
        }
    }

    async fn log_in(&mut self, more: &[&str]) {
        let words = [&["--json", "login", "private", "--no-browser"], more].concat();
        let command = self.command(&words);
        let (report, said) = log_in_by(tokio::process::Command::from(command), Way::Port).await;
        assert_eq!(report["logged_in"], true, "{said}");
        self.seen.push((format!("stderr of {words:?}"), said.into_bytes()));
    }

    /// Asks the hub, and keeps what it answers.
    async fn ask(&mut self, hub: &TalkativeHub, token: &str, tool: &str, how: &str) -> Response {
        let params = json!({"name": tool, "arguments": {"how": how}});
        let answer = ask_at(&hub.url, "/mcp", Some(token), "tools/call", params).await;
        let text = format!("{}\n{}", answer.head, answer.body);
        self.seen.push((format!("the answer to {tool} {how}"), text.into_bytes()));
        answer
    }

    /// Looks for every secret in everything that was seen since the last time, and in every file.
    fn search(&mut self) -> usize {
        let mut files = Vec::new();
        files_below(&self.home.path(""), &mut files);
        let contents = files.iter().map(|file| (file.display().to_string(), fs::read(file)));
        let contents: Vec<_> =
            contents.filter_map(|(name, read)| Some((name, read.ok()?))).collect();
        let arguments = std::mem::take(&mut self.arguments);
        let arguments = arguments.into_iter().map(|it| ("arguments of a process".into(), it));
        let seen: Vec<_> = self.seen.drain(..).chain(arguments).collect();
        for (place, bytes) in seen.iter().chain(&contents) {
            for (what, secret) in &self.secrets {
                let own = what.starts_with("the sealing key") && place.ends_with("/logins/key");
                let found = !own && contains(bytes, secret);
                assert!(!found, "{what} is in {place}: {}", around(bytes, secret));
            }
        }
        contents.len()
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    position(bytes, part).is_some()
}

/// Finds a part in a text. Logs are long, so the first byte rules most positions out.
fn position(bytes: &[u8], part: &[u8]) -> Option<usize> {
    let first = part.first()?;
    let places = bytes.iter().enumerate().filter(|(_, byte)| *byte == first);
    let mut places = places.map(|(at, _)| at);
    places.find(|at| bytes[*at..].starts_with(part))
}

fn around(bytes: &[u8], part: &[u8]) -> String {
    let at = position(bytes, part).unwrap_or_default();
    let end = (at + part.len() + 100).min(bytes.len());
    String::from_utf8_lossy(&bytes[at.saturating_sub(300)..end]).into_owned()
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match fs::symlink_metadata(&path).map(|it| it.file_type()) {
            Ok(kind) if kind.is_dir() => files_below(&path, found),
            Ok(kind) if kind.is_file() => found.push(path),
            _ => {}
        }
    }
}

/// A client made of single HTTP requests, independent of Hobnob's own client.
struct HubClient {
    id: String,
    secret: String,
    verifier: String,
    challenge: String,
}

impl HubClient {
    async fn register(stage: &mut Stage, hub: &TalkativeHub) -> Self {
        let body = json!({"client_name": "Canary", "redirect_uris": [REDIRECT],
            "token_endpoint_auth_method": "client_secret_post"});
        let head = "POST /oauth/register HTTP/1.1\r\nContent-Type: application/json";
        let answer = send(&hub.url, head, &body.to_string()).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
        let answer: Value = serde_json::from_str(&answer.body).unwrap();
        let text = |name: &str| answer[name].as_str().unwrap().to_owned();
        let (id, secret) = (text("client_id"), text("client_secret"));
        stage.note("the secret of a client of the hub", &secret);
        let verifier = PkceVerifier::generate().unwrap();
        let challenge = verifier.challenge();
        let verifier = verifier.into_secret().expose().to_owned();
        stage.note("a verifier of a client of the hub", &verifier);
        Self { id, secret, verifier, challenge }
    }

    /// The page of a login, as the fields of its form.
    async fn page(&self, stage: &mut Stage, hub: &TalkativeHub, cookie: &str) -> [String; 2] {
        let query = form(&[
            ("response_type", "code"),
            ("client_id", &self.id),
            ("redirect_uri", REDIRECT),
            ("code_challenge", &self.challenge),
            ("code_challenge_method", "S256"),
        ]);
        let head = format!("GET /oauth/authorize?{query} HTTP/1.1\r\nCookie: {cookie}");
        let page = send(&hub.url, &head, "").await;
        assert_eq!(page.status, 200, "{}", page.body);
        let logged_in = page.body.contains("You are logged in as <strong>ann</strong>");
        assert_eq!(logged_in, !cookie.is_empty(), "{}", page.body);
        let fields = ["request", "form_token"].map(|name| {
            let start = format!("name=\"{name}\" value=\"");
            let (_, rest) = page.body.split_once(&start).unwrap();
            rest.split_once('"').unwrap().0.to_owned()
        });
        stage.note("the token of a form", &fields[1]);
        fields
    }

    /// Agrees on the page; returns the code, and the cookie if there is a new one.
    async fn code(
        &self,
        stage: &mut Stage,
        hub: &TalkativeHub,
        cookie: &str,
    ) -> (String, Option<String>) {
        let [request, token] = self.page(stage, hub, cookie).await;
        let hidden = [("request", &*request), ("form_token", &*token), ("decision", "allow")];
        let wrong = [("user", "ann"), ("password", "canary-mistyped-password")];
        let right = [("user", "ann"), ("password", PASSWORD)];
        if cookie.is_empty() {
            let refused = post(hub, "/oauth/authorize", &[&hidden[..], &wrong].concat(), "").await;
            assert_eq!(refused.status, 403);
            // The page is this one again, with the token of its own form.
            let rest = refused.body.replace(&token, "");
            stage.seen.push(("the page of a refusal".into(), rest.into_bytes()));
        }
        let more = if cookie.is_empty() { &right[..] } else { &[] };
        let answer = post(hub, "/oauth/authorize", &[&hidden[..], more].concat(), cookie).await;
        assert_eq!(answer.status, 303, "{}", answer.body);
        let header = |name: &str| {
            let mut lines = answer.head.lines().filter_map(|line| line.split_once(": "));
            lines.find(|(it, _)| it.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
        };
        let place = Url::parse(&header("location").unwrap()).unwrap();
        let code = place.query_pairs().find(|(name, _)| name == "code").unwrap().1.into_owned();
        stage.note("a code of the hub", &code);
        let cookie = header("set-cookie").map(|it| it.split(';').next().unwrap().to_owned());
        if let Some((_, value)) = cookie.as_ref().and_then(|it| it.split_once('=')) {
            stage.note("a cookie of the hub", value);
        }
        (code, cookie)
    }

    /// Asks the token endpoint; returns the tokens, or `None` if it refuses.
    async fn tokens(
        &self,
        stage: &mut Stage,
        hub: &TalkativeHub,
        grant: &[(&str, &str)],
    ) -> Option<(String, String)> {
        let own = [("client_id", &*self.id), ("client_secret", &*self.secret)];
        let answer = post(hub, "/oauth/token", &[&own[..], grant].concat(), "").await;
        let tokens: Value = serde_json::from_str(&answer.body).unwrap();
        let text = |name: &str| tokens[name].as_str().map(str::to_owned);
        let Some((access, refresh)) = text("access_token").zip(text("refresh_token")) else {
            stage.seen.push(("a refusal of tokens".into(), answer.body.into_bytes()));
            return None;
        };
        stage.note("an access token of the hub", &access);
        stage.note("a refresh token of the hub", &refresh);
        Some((access, refresh))
    }

    async fn redeem(
        &self,
        stage: &mut Stage,
        hub: &TalkativeHub,
        code: &str,
    ) -> Option<(String, String)> {
        let grant = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", REDIRECT),
            ("code_verifier", &self.verifier),
        ];
        self.tokens(stage, hub, &grant).await
    }

    async fn refresh(
        &self,
        stage: &mut Stage,
        hub: &TalkativeHub,
        token: &str,
    ) -> Option<(String, String)> {
        let grant = [("grant_type", "refresh_token"), ("refresh_token", token)];
        self.tokens(stage, hub, &grant).await
    }
}

fn form(fields: &[(&str, &str)]) -> String {
    let mut url = Url::parse("http://form/").unwrap();
    url.query_pairs_mut().extend_pairs(fields);
    url.query().unwrap().to_owned()
}

async fn post(hub: &TalkativeHub, path: &str, fields: &[(&str, &str)], cookie: &str) -> Response {
    let head = format!(
        "POST {path} HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\
         Cookie: {cookie}"
    );
    send(&hub.url, &head, &form(fields)).await
}

/// People log in to the hub, go on, come back, and are refused.
async fn embedded_flows(stage: &mut Stage, hub: &TalkativeHub) {
    let client = HubClient::register(stage, hub).await;
    let (code, cookie) = client.code(stage, hub, "").await;
    let (access, refresh) = client.redeem(stage, hub, &code).await.unwrap();
    let answer = stage.ask(hub, &access, "health_check", "").await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let (access, _) = client.refresh(stage, hub, &refresh).await.unwrap();
    // A13: a valid token in places where no token is accepted.
    for head in [
        format!("POST /mcp?access_token={access} HTTP/1.1"),
        format!("POST /mcp HTTP/1.1\r\nCookie: access_token={access}"),
        format!("POST /mcp HTTP/1.1\r\nAuthorization: Bearer {access}\r\nAuthorization: x"),
    ] {
        let answer = send(&hub.url, &head, "{}").await;
        assert_eq!(answer.status, 400, "{}", answer.body);
        let text = format!("{}\n{}", answer.head, answer.body);
        stage.seen.push(("the answer to a misplaced token".into(), text.into_bytes()));
    }
    assert_eq!(stage.ask(hub, &format!("{access}x"), "health_check", "").await.status, 401);
    let cookie = cookie.expect("over https a browser is remembered");
    let (again, _) = client.code(stage, hub, &cookie).await;
    let (access, refresh) = client.redeem(stage, hub, &again).await.unwrap();
    assert_eq!(stage.ask(hub, &access, "health_check", "").await.status, 200);
    // A code that is redeemed a second time ends the login of the first time.
    assert_eq!(client.redeem(stage, hub, &again).await, None);
    assert_eq!(stage.ask(hub, &access, "health_check", "").await.status, 401);
    assert_eq!(client.refresh(stage, hub, &refresh).await, None);
    let (code, _) = client.code(stage, hub, &cookie).await;
    let (_, refresh) = client.redeem(stage, hub, &code).await.unwrap();
    let fields =
        [("client_id", &*client.id), ("client_secret", &*client.secret), ("token", &refresh)];
    assert_eq!(post(hub, "/oauth/revoke", &fields, "").await.status, 200);
}

/// The hub uses logins to servers, renews them, and is refused.
async fn upstream_flows(stage: &mut Stage, hub: &TalkativeHub, token: &str) {
    let tool = "mcp__private__whoami";
    stage.log_in(&[]).await;
    stage.log_in(&["--as", "token:ci"]).await;
    for _ in 0..2 {
        let worked = stage.ask(hub, token, tool, "").await;
        assert!(worked.body.contains("\"text\":\"login "), "{}", worked.body);
        stage.servers.expire();
    }
    for how in ["fail", "forbid"] {
        let refused = stage.ask(hub, token, tool, how).await;
        assert!(refused.status == 200 && refused.body.contains("isError"), "{}", refused.body);
    }
    stage.servers.accept(HELPER);
    stage.servers.accept("canary-of-the-header-9d31");
    for server in ["machine", "header", "helper"] {
        let tool = format!("mcp__{server}__whoami");
        for how in ["", "fail", "forbid"] {
            stage.ask(hub, token, &tool, how).await;
        }
    }
    stage.look_at_processes();
}

/// Every command that shows something, for people and for programs.
fn look_at_everything(stage: &mut Stage) {
    let shows: [&[&str]; 15] = [
        &["status"],
        &["doctor"],
        &["list"],
        &["audit"],
        &["show", "private"],
        &["show", "header"],
        &["show", "helper"],
        &["logs", "private"],
        &["logs", "helper"],
        &["logs", "broken"],
        &["token", "list"],
        &["user", "list"],
        &["tools"],
        &["call", "mcp__private__whoami"],
        &["call", "--trace", "mcp__header__whoami", "how=fail"],
    ];
    for words in shows {
        stage.run(words, "");
        stage.run(&[&["--json"], words].concat(), "");
    }
}

/// Only the owner may read a file that could hold a secret.
fn check_modes(home: &Home) {
    let state = home.path("hobnob/state");
    let mut files = vec![state.join("tokens.json")];
    for log in ["audit.jsonl", "audit-decisions.jsonl"] {
        files.extend([state.join(log), state.join(format!("{log}.head"))]);
    }
    files_below(&state.join("logins"), &mut files);
    files_below(&home.path("hobnob/data"), &mut files);
    assert!(5 < files.len(), "{files:?}");
    for file in files {
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{} has mode {mode:o}", file.display());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_of_any_flow_is_anywhere() {
    let mut stage = Stage::new().await;
    stage.run(&["user", "add", "ann"], PASSWORD);
    let token = stage.run(&["--json", "token", "create", "ci"], "")["token"].clone();
    let token = token.as_str().unwrap().to_owned();
    stage.note("a static token", &token[token.len() - 43..]);
    stage.note("a mistyped password", "canary-mistyped-password");
    let mut hub = start_hub(stage.command(&["serve", "--http", "127.0.0.1:0", "--trace"])).await;
    upstream_flows(&mut stage, &hub, &token).await;
    embedded_flows(&mut stage, &hub).await;
    look_at_everything(&mut stage);
    let key = fs::read(stage.home.path("hobnob/state/logins/key")).unwrap();
    stage.secrets.insert("the sealing key".into(), key);
    // From the login servers: codes, verifiers, tokens, and the secrets that clients showed them.
    let (secrets, targets) = {
        let happened = stage.servers.happened();
        (happened.secrets.clone(), happened.targets.clone())
    };
    assert!(VARIABLES[..2].iter().all(|(_, value)| secrets.contains(*value)), "they were used");
    secrets.iter().for_each(|secret| stage.note("a secret of a login", secret));
    let targets = targets.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
    stage.seen.push(("addresses that servers were asked for".into(), targets.into_bytes()));
    assert!(30 < stage.secrets.len(), "{:?}", stage.secrets.keys());
    check_modes(&stage.home);
    let files = stage.search();
    assert!(15 < files, "{files} files");

    stage.run(&["--json", "logout", "private"], "");
    stage.run(&["token", "revoke", "ci"], "");
    assert_eq!(stage.ask(&hub, &token, "health_check", "").await.status, 401);
    stage.run(&["user", "remove", "ann", "--yes"], "");
    stage.run(&["audit"], "");
    let pid = hub.child.id().unwrap().to_string();
    assert!(Command::new("kill").arg(pid).status().unwrap().success());
    within("the end of the hub", hub.child.wait()).await.unwrap();
    hub.reading.join_all().await;
    let said = hub.said.lock().clone();
    assert!(said.contains("TRACE") && said.contains("hobnob::wire"), "it was to say everything");
    stage.seen.push(("the log of the hub".into(), said.into_bytes()));
    stage.search();
    // The search works: it finds what the log is known to have.
    let log = |file: &str| fs::read(stage.home.path("hobnob/state").join(file)).unwrap();
    let audit = [log("audit.jsonl"), log("audit-decisions.jsonl")].concat();
    let name = "the audit";
    for known in ["logins/approve", "tokens/create", "token:ci"] {
        assert!(contains(&audit, known.as_bytes()), "{known} is not in {name}");
    }
}
