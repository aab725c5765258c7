//! A real hub with real servers, and a real browser on its page: `page_browser` runs the scripts of
//! `tests/peers/page` in it.
//!
//! A script does what a person does in the browser and what clients do meanwhile; what only a test
//! can do, such as a restart of the hub, it requests with a line, and gets an answer in a line.
//! What must stay true: every wait has a deadline, and the hub and the browser end with the test.

use crate::behind_proxies::end;
use crate::cli_config_home::Home;
use crate::embedded_login::{PASSWORD, USER, free_port};
use crate::peers::Peer;
use crate::program::HttpServer;
use crate::tokens::{create, serve};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

/// The most that a whole script may take on a busy machine.
const SCRIPT_TIMEOUT: Duration = Duration::from_secs(150);

/// The most that the browser waits for one thing to appear, in milliseconds.
const PATIENCE: u32 = 45_000;

/// All tools may be called, but for one that the owner is asked about when a member calls it.
const SETTINGS: &str = "[[permissions]]\ntool = \"*\"\naction = \"allow\"\n\
                        [[permissions]]\ntool = \"mcp__shop__edit\"\naction = \"ask-owner\"\n";

/// Members bring tokens; the page is for the owner, who opens it on this machine all the same.
const MEMBERS: &str = "[listener]\nmode = \"token\"\npublic_url = \"https://hub.example.com\"\n";

/// Who may call the hub.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Callers {
    /// Programs of this user, without a name.
    Local,
    /// A member with a token, too.
    Member,
    /// A user with a password, at a hub that has a certificate.
    UserOverTls,
    /// The same at a hub behind HAProxy, which has the certificate.
    UserBehindProxy,
}

/// A hub on a port that it keeps, its servers, and what a browser needs.
pub(crate) struct Stage {
    /// Dropped, and so killed, before the folder that it writes to is removed.
    hub: Option<HttpServer>,
    home: Home,
    library: Peer,
    chromium: PathBuf,
    port: u16,
    /// Where browsers visit the hub.
    origin: String,
    member: Option<String>,
    _proxy: Option<Child>,
}

impl Stage {
    /// None, aloud, where there is no browser.
    pub(crate) async fn start(callers: Callers) -> Option<Self> {
        let (library, chromium) = (Peer::find("playwright")?, Peer::find("chromium")?);
        let home = Home::new();
        let python = |script: &str, more: &str| {
            let script = scripts().join(script);
            json!({"command": "python3", "args": [script, more]})
        };
        let faulty = scripts().join("../../upstreams/faulty.py");
        let servers = json!({"mcpServers": {
            "shop": python("shop.py", home.path("shop.journal").to_str().unwrap()),
            "faulty": {"command": "python3", "args": [faulty, "--era", "dual"]},
            "broken": {"command": "sh", "args": ["-c", "echo 'no settings found' >&2; exit 3"]},
        }});
        home.write("hobnob/config/mcp.json", &servers.to_string());
        let (port, chromium) = (free_port(), chromium.home().to_owned());
        let (mut listener, mut origin) = (String::new(), format!("http://127.0.0.1:{port}"));
        let mut proxy = None;
        match callers {
            Callers::Local => {}
            Callers::Member => listener = MEMBERS.to_owned(),
            Callers::UserOverTls => {
                origin = format!("https://127.0.0.1:{port}");
                listener =
                    users_of(&origin, "tls_certificate = \"tls.pem\"\ntls_key = \"tls.pem\"");
                write_certificate(&home);
            }
            Callers::UserBehindProxy => {
                let public = free_port();
                origin = format!("https://127.0.0.1:{public}");
                listener = users_of(&origin, "trusted_proxies = [\"127.0.0.1\"]");
                write_certificate(&home);
                proxy = Some(start_proxy(Peer::find("haproxy")?, &home, public, port));
            }
        }
        home.write("hobnob/config/config.toml", &format!("{SETTINGS}{listener}"));
        let member = (callers == Callers::Member).then(|| create(&home, &["ann"]));
        if matches!(callers, Callers::UserOverTls | Callers::UserBehindProxy) {
            add_user(&home);
        }
        let _proxy = proxy;
        let mut stage = Self { hub: None, home, library, chromium, port, origin, member, _proxy };
        stage.begin().await;
        Some(stage)
    }

    /// Adds a server before a script runs.
    pub(crate) async fn with_server(mut self, name: &str, entry: Value) -> Self {
        self.stop().await;
        let file = self.home.path("hobnob/config/mcp.json");
        let mut servers: Value =
            serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        servers["mcpServers"][name] = entry;
        self.home.write("hobnob/config/mcp.json", &servers.to_string());
        self.begin().await;
        self
    }

    /// A file beneath the folder of the test.
    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.home.path(inside)
    }

    /// What a server of these tests has written down of this kind.
    pub(crate) fn journal(&self, what: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.home.path("shop.journal")).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["what"] == what).collect()
    }

    /// The calls of a tool of the shop that really ran.
    pub(crate) fn ran(&self, tool: &str) -> Vec<Value> {
        let mut calls = self.journal("call");
        calls.retain(|line| line["tool"] == tool);
        calls.iter_mut().map(|line| line["arguments"].take()).collect()
    }

    /// Runs a script to its end; what it reports. The page must have done nothing that it must not.
    pub(crate) async fn run(&mut self, name: &str, more: Value) -> Value {
        self.run_within(SCRIPT_TIMEOUT, name, more).await
    }

    /// The same for a script that may take this long.
    pub(crate) async fn run_within(&mut self, limit: Duration, name: &str, more: Value) -> Value {
        let mut script = self.launch(name, more);
        let running = async {
            loop {
                let said = script.next().await;
                if let Some(report) = said.get("report") {
                    return report.clone();
                }
                let answer = self.answer(&said).await;
                script.tell(&answer).await;
            }
        };
        let Ok(report) = tokio::time::timeout(limit, running).await else {
            panic!("{name}: not after {limit:?}");
        };
        assert_eq!(report["noted"], json!([]), "{name}: {report:#}");
        report
    }

    fn launch(&self, name: &str, more: Value) -> Script {
        let shots = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../page-screenshots");
        let mut config = json!({
            "chromium": self.chromium, "shots": shots, "patience": PATIENCE,
            "mcp": format!("{}/mcp", self.origin), "member": self.member,
        });
        config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let mut command = self.library.script(&format!("page/{name}"));
        command.arg(config.to_string()).env("HOME", self.home.path("home"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        // Chromium ends when the pipe to its Node closes.
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Script { name: name.to_owned(), input: child.stdin.take().unwrap(), lines, child }
    }

    /// Does what a script requests.
    async fn answer(&mut self, said: &Value) -> Value {
        match said["ask"].as_str().unwrap_or_default() {
            "link" => self.command(&["ui", "--no-open"]).await,
            "hub" => json!({"pid": self.hub.as_ref().unwrap().child.id()}),
            // What a person types in a terminal.
            "command" => {
                let words: Vec<String> = serde_json::from_value(said["words"].clone()).unwrap();
                self.command(&words.iter().map(String::as_str).collect::<Vec<_>>()).await
            }
            "stop" => {
                self.stop().await;
                json!({})
            }
            "start" => {
                self.begin().await;
                json!({})
            }
            // Changes a file beneath the folder of the test.
            "write" => {
                let text = |name: &str| said[name].as_str().unwrap();
                self.home.write(text("file"), text("text"));
                json!({})
            }
            // Lets a waiting call of the shop go on.
            "go on" => {
                self.home.write(&format!("shop.journal.{}", said["word"].as_str().unwrap()), "");
                json!({})
            }
            other => panic!("no request `{other}`: {said}"),
        }
    }

    /// The document that a command prints.
    async fn command(&self, words: &[&str]) -> Value {
        let words = [&["--json"], words].concat();
        let mut command = tokio::process::Command::from(self.home.command(&words));
        command.env("HOBNOB_NO_BACKGROUND", "1").kill_on_drop(true);
        let output = crate::program::within("a command", command.output()).await.unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {errors}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{words:?}: {error}"))
    }

    async fn begin(&mut self) {
        let address = format!("127.0.0.1:{}", self.port);
        self.hub = Some(serve(&self.home, &["serve", "--http", &address]).await);
    }

    async fn stop(&mut self) {
        if let Some(hub) = self.hub.take() {
            end(hub).await;
        }
    }
}

/// A script that runs.
struct Script {
    name: String,
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Script {
    /// What it requests or reports next.
    async fn next(&mut self) -> Value {
        let Some(line) = self.lines.next_line().await.unwrap() else {
            panic!("{} failed: {}", self.name, self.child.wait().await.unwrap());
        };
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    async fn tell(&mut self, answer: &Value) {
        self.input.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
    }
}

/// The settings of a hub with logins of its own at this public address.
fn users_of(origin: &str, more: &str) -> String {
    format!("[listener]\nmode = \"embedded\"\npublic_url = \"{origin}\"\n{more}\n")
}

/// Writes a certificate for this machine and its key, in one file.
fn write_certificate(home: &Home) {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let text = format!("{}{}", made.cert.pem(), made.signing_key.serialize_pem());
    home.write("hobnob/config/tls.pem", &text);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(home.path("hobnob/config/tls.pem"), mode).unwrap();
}

fn add_user(home: &Home) {
    let mut command = home.command(&["user", "add", USER]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(PASSWORD.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

/// HAProxy with the certificate at one port, and the hub at the other one behind it.
fn start_proxy(program: Peer, home: &Home, public: u16, hub: u16) -> Child {
    let certificate = home.path("hobnob/config/tls.pem").display().to_string();
    let settings = format!(
        "defaults\n mode http\n timeout connect 10s\n timeout client 60s\n timeout server 60s\n\
         frontend page\n bind 127.0.0.1:{public} ssl crt {certificate}\n option forwardfor\n \
         default_backend hub\nbackend hub\n retries 10\n server hub 127.0.0.1:{hub}\n"
    );
    home.write("haproxy.cfg", &settings);
    let mut command = tokio::process::Command::new(program.home());
    command.arg("-db").arg("-f").arg(home.path("haproxy.cfg"));
    command.stdin(Stdio::null()).kill_on_drop(true).spawn().unwrap()
}

/// The folder of the scripts and of the servers that they use.
pub(crate) fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/page")
}
