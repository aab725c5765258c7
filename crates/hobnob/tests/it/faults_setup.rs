//! What the gateway's tests start with: a home of its own, upstreams that misbehave on request, and
//! the processes that come of them, found again by the home's name in their arguments.
//!
//! What must stay true: a test looks only at processes of its own home, and leaves none behind.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::process::Command;
use tokio::time::{Instant, interval};

use crate::program::{hobnob, own, within};

/// A rule that allows all tools of all servers.
pub(crate) const ALLOW: &str = "[[permissions]]\ntool = \"mcp__*\"\naction = \"allow\"\n";

/// How often something is done: a few times in every run, the full count with `SLOW_TESTS=1`.
pub(crate) fn times(usual: usize, full: usize) -> usize {
    if std::env::var_os("SLOW_TESTS").is_some_and(|it| it == "1") { full } else { usual }
}

/// Polls until the condition holds, for events in another process that it does not report.
pub(crate) async fn until(what: &str, limit: Duration, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + limit;
    let mut looks = interval(Duration::from_millis(20));
    while !holds() {
        assert!(Instant::now() < end, "{what}: not after {limit:?}");
        looks.tick().await;
    }
}

/// The source of a server that answers each method with a result from this table, or with an error.
/// It runs the lines of `record` for each message, which is in `message` and, as it came, in `line`.
pub(crate) fn table_server(results: &Value, record: &str) -> String {
    let mut results = results.clone();
    results["initialize"] = json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
        "serverInfo": {"name": "one", "version": "1"}});
    let source = r#"
import json, sys
RESULTS = json.loads(r"""TABLE""")
for line in sys.stdin:
    message = json.loads(line)RECORD
    if "id" in message:
        known = RESULTS.get(message["method"])
        reply = {"result": known} if known else {"error": {"code": -32601, "message": "no"}}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)
"#;
    source.replace("TABLE", &results.to_string()).replace("RECORD", record)
}

/// A home with settings and servers.
pub(crate) struct Setup {
    pub(crate) home: PathBuf,
    python: String,
    servers: Map<String, Value>,
    settings: String,
    first_list_wait: &'static str,
}

impl Setup {
    /// An empty home; everything is allowed. None, aloud, where there is no Python.
    pub(crate) async fn new(name: &str) -> Option<Self> {
        let asked = Command::new("python3")
            .args(["-c", "import sys; print(sys.executable)"])
            .stdin(Stdio::null())
            .output();
        let python = match within("python3", asked).await {
            Ok(output) if output.status.success() => String::from_utf8(output.stdout).unwrap(),
            _ => {
                eprintln!("SKIPPED: there is no python3 to write upstreams in");
                return None;
            }
        };
        let folder = format!("stage-{name}-{}", std::process::id());
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
        drop(std::fs::remove_dir_all(&home));
        std::fs::create_dir_all(home.join("config")).unwrap();
        std::fs::create_dir_all(home.join("project")).unwrap();
        // The first chat in a folder asks about its files, which has a test of its own.
        std::fs::create_dir_all(home.join("state")).unwrap();
        let project = home.join("project").canonicalize().unwrap();
        std::fs::write(home.join("state/chat-folders"), project.to_str().unwrap()).unwrap();
        let python = python.trim().to_owned();
        let (servers, settings) = (Map::new(), ALLOW.into());
        // On a busy machine everything takes its time, and no test is about that.
        Some(Self { home, python, servers, settings, first_list_wait: "30s" })
    }

    /// Other settings than the usual ones.
    pub(crate) fn settings(&mut self, text: &str) -> &mut Self {
        self.settings = text.into();
        self
    }

    /// The settings as the file has them now.
    pub(crate) fn settings_text(&self) -> String {
        std::fs::read_to_string(self.home.join("config/config.toml")).unwrap()
    }

    /// How long the first list waits for servers that were never started.
    pub(crate) fn first_list_wait(&mut self, length: &'static str) -> &mut Self {
        self.first_list_wait = length;
        self
    }

    /// A faulty upstream with these switches, and its journal.
    pub(crate) fn upstream(&mut self, name: &str, switches: &[&str]) -> &mut Self {
        let entry = self.entry(name, switches);
        self.server(name, entry)
    }

    /// The entry of such an upstream.
    pub(crate) fn entry(&self, name: &str, switches: &[&str]) -> Value {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upstreams/faulty.py");
        let journal = self.file(&format!("{name}.journal"));
        let mut arguments = vec![script.to_str().unwrap(), "--name", name, "--journal", &journal];
        arguments.extend(switches);
        json!({"command": self.python, "args": arguments})
    }

    /// Any server.
    pub(crate) fn server(&mut self, name: &str, entry: Value) -> &mut Self {
        self.servers.insert(name.into(), entry);
        self
    }

    /// No server of this name any more.
    pub(crate) fn without(&mut self, name: &str) -> &mut Self {
        self.servers.remove(name);
        self
    }

    /// A script of Python as a server.
    pub(crate) fn script(&mut self, name: &str, source: &str) -> &mut Self {
        let mark = self.file("script");
        let entry = json!({"command": self.python, "args": ["-c", source, mark]});
        self.server(name, entry)
    }

    /// Writes both files, each at once.
    pub(crate) fn write(&self) {
        let mut wait = format!("[gateway]\nfirst_list_wait = \"{}\"\n", self.first_list_wait);
        // A hub has more built-in tools than fit into a list, and most tests are about the list.
        if !self.settings.contains("tool_search") && !self.settings.contains("tool_budget") {
            wait += "tool_search = \"never\"\n";
        }
        let settings = match self.settings.contains("[gateway]\n") {
            true => self.settings.replace("[gateway]\n", &wait),
            false => wait + &self.settings,
        };
        self.put("config/config.toml", &settings);
        let servers = json!({"mcpServers": self.servers});
        self.put("config/mcp.json", &servers.to_string());
    }

    /// Puts a file in place of another.
    pub(crate) fn put(&self, name: &str, text: &str) {
        let scratch = self.home.join("scratch");
        std::fs::write(&scratch, text).unwrap();
        std::fs::rename(scratch, self.home.join(name)).unwrap();
    }

    /// The path of a file in the home.
    pub(crate) fn file(&self, name: &str) -> String {
        self.home.join(name).to_str().unwrap().to_owned()
    }

    /// The program, at home here.
    pub(crate) fn hobnob(&self, arguments: &[&str]) -> Command {
        own(&self.home, arguments);
        let mut command = hobnob(arguments);
        command
            .env("HOBNOB_HOME", &self.home)
            .env("HOME", &self.home)
            .current_dir(self.home.join("project"));
        command
    }

    /// What the hub has stored of all servers' lists.
    pub(crate) fn stored_catalogues(&self) -> String {
        let files = std::fs::read_dir(self.home.join("state/catalogues")).unwrap();
        files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect()
    }

    /// What an upstream has written down.
    pub(crate) fn journal(&self, name: &str) -> Vec<Value> {
        let text = std::fs::read_to_string(self.file(&format!("{name}.journal")));
        let text = text.unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// How often an upstream has written this down.
    pub(crate) fn noted(&self, name: &str, what: &str) -> usize {
        self.journal(name).iter().filter(|line| line["what"] == what).count()
    }

    /// How often it received a message with this method.
    pub(crate) fn received(&self, name: &str, method: &str) -> usize {
        self.journal(name).iter().filter(|line| line["method"] == method).count()
    }

    /// Every process with our home in its arguments, but for zombies.
    pub(crate) fn processes(&self) -> Vec<Process> {
        let home = self.home.to_str().unwrap();
        all_processes().into_iter().filter(|it| it.arguments.contains(home)).collect()
    }

    /// The upstream's own process: not its supervisor, not what it left behind.
    pub(crate) fn process(&self, name: &str) -> Option<Process> {
        let journal = self.file(&format!("{name}.journal"));
        let is_it = |it: &Process| {
            it.arguments.starts_with(&self.python)
                && it.arguments.contains(&journal)
                && it.arguments.contains("faulty.py")
        };
        self.processes().into_iter().find(is_it)
    }
}

impl Drop for Setup {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            drop(std::fs::remove_dir_all(&self.home));
        }
    }
}

/// A process as the system shows it.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) id: u32,
    pub(crate) parent: u32,
    pub(crate) state: char,
    pub(crate) arguments: String,
}

/// All of them.
pub(crate) fn all_processes() -> Vec<Process> {
    let folders = std::fs::read_dir("/proc").unwrap();
    let ids = folders.filter_map(|it| it.ok()?.file_name().to_str()?.parse::<u32>().ok());
    ids.filter_map(process).collect()
}

fn process(id: u32) -> Option<Process> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    let arguments = std::fs::read(format!("/proc/{id}/cmdline")).ok()?;
    let arguments = String::from_utf8_lossy(&arguments).replace('\0', " ");
    Some(Process { id, parent, state, arguments })
}

/// Children of a process that have ended and that it has not reaped.
pub(crate) fn zombies_of(parent: u32) -> usize {
    all_processes().iter().filter(|it| it.parent == parent && it.state == 'Z').count()
}

/// How many files a process has open.
pub(crate) fn open_files(id: u32) -> usize {
    std::fs::read_dir(format!("/proc/{id}/fd")).map_or(0, Iterator::count)
}

/// Sends a signal.
pub(crate) fn signal(name: &str, id: u32) {
    let mut kill = std::process::Command::new("kill");
    // A process that has ended meanwhile receives no signal.
    drop(kill.arg(format!("-{name}")).arg(id.to_string()).stderr(Stdio::null()).status());
}
