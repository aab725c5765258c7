//! Starting the binary: every wait for a child has a deadline, and a child dies with its test.

use parking_lot::Mutex;
use std::future::Future;
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};
use tokio::task::JoinSet;

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_hobnob");

/// Far more than anything here takes, even on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// Awaits something that must happen.
pub(crate) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(TIMEOUT, future).await {
        Ok(value) => value,
        Err(_) => panic!("{what}: not after {TIMEOUT:?}"),
    }
}

/// The binary with these arguments, all three streams piped, not yet started.
pub(crate) fn hobnob(arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .args(arguments)
        .env_remove("RUST_LOG")
        .env_remove("LOG_LEVEL")
        .env(OWNER_SECRET.0, OWNER_SECRET.1)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    if arguments.first() == Some(&"serve") {
        // Tests run beside each other, and some of them with the same settings.
        command.env("HOBNOB_NO_REUSE", "1").env("HOBNOB_NO_BACKGROUND", "1");
    }
    command
}

/// What commands of tests show instead of a terminal.
pub(crate) const OWNER_SECRET: (&str, &str) = ("HOBNOB_OWNER_SECRET", "the owner of this test");

/// Commands that change what is allowed, or open the page, which does.
const CHANGES: [&str; 14] = [
    "answer",
    "grant",
    "revoke",
    "enable",
    "disable",
    "approve",
    "approve-login",
    "allow",
    "ask",
    "deny",
    "config",
    "token",
    "ui",
    "user",
];

/// Makes such a command with that variable the owner's in this `HOBNOB_HOME`.
pub(crate) fn own(home: &Path, arguments: &[&str]) {
    let file = home.join("state/owner-secret");
    if arguments.iter().any(|it| CHANGES.contains(it)) && !file.exists() {
        std::fs::create_dir_all(home.join("state")).unwrap();
        std::fs::write(file, OWNER_SECRET.1).unwrap();
    }
}

/// Runs it without input until it ends by itself.
pub(crate) async fn output_of(arguments: &[&str]) -> Output {
    let mut command = hobnob(arguments);
    let running = command.stdin(Stdio::null()).output();
    within(&format!("the end of {arguments:?}"), running).await.unwrap()
}

/// A running `hobnob serve --http`, on a port of its own choice.
pub(crate) struct HttpServer {
    pub(crate) child: Child,
    pub(crate) url: String,
    /// The lines of its log before it listened.
    pub(crate) said: Vec<String>,
    /// Keeps reading stderr, so that the server never blocks on a full pipe.
    _drain: JoinSet<()>,
}

/// Starts the HTTP server and waits until it says where it listens.
pub(crate) async fn serve_http() -> HttpServer {
    listening(hobnob(&["serve", "--http", "127.0.0.1:0"])).await
}

/// Starts a command that serves over HTTP and waits until it says where it listens.
pub(crate) async fn listening(mut command: Command) -> HttpServer {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).kill_on_drop(true).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let said = Arc::new(Mutex::new(Vec::new()));
    let url = within("the address of the HTTP server", announced(&mut lines, &said)).await;
    let url = url.unwrap_or_else(|| panic!("the server ended; it said {said:?}"));
    let mut drain = JoinSet::new();
    drain.spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    let said = std::mem::take(&mut *said.lock());
    HttpServer { child, url, said, _drain: drain }
}

/// The `url` of the log line whose message is `listening`.
async fn announced(
    lines: &mut Lines<BufReader<ChildStderr>>,
    said: &Mutex<Vec<String>>,
) -> Option<String> {
    while let Some(line) = lines.next_line().await.unwrap() {
        let fields = serde_json::from_str::<Value>(&line).ok().map(|log| log["fields"].clone());
        if let Some(fields) = fields.filter(|fields| fields["message"] == "listening") {
            return Some(fields["url"].as_str().expect("`listening` carries a url").to_owned());
        }
        said.lock().push(line);
    }
    None
}
