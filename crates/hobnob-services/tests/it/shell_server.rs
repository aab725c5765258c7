//! The server for tests of the shell: the service with the test's own grants, called directly or by
//! an in-memory client, and a list of the processes that are left.

use crate::calls::{call_of, on_event, pipe};
use crate::grants::TestGrants;
use hobnob_machine::files::RootIdentity;
use hobnob_mcp_client::{Client, EraHint};
use hobnob_mcp_engine::{
    BoxFuture, Call, CallError, Caller, Note, NoteSink, Notes, Outcome, Service as _, StreamEvent,
    TaskOffer,
};
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::connect_with;
use hobnob_mcp_types::Method;
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_policy::{CommandGrantSource, FolderSource, GrantSources, HardLinks};
use hobnob_services::shell::{ShellOptions, ShellService};
use hobnob_services::{BuiltInService as _, MachineAccess, Presentation};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::Notify;

/// Far longer than any step takes, even on a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// Longer than the longest timeout of a command.
const CALL_LIMIT: Duration = Duration::from_secs(11 * 60);

/// A server with the service, a granted folder, and a folder that is not granted.
pub(crate) struct ShellServer {
    pub(crate) service: ShellService,
    pub(crate) server: Server,
    grants: Arc<TestGrants>,
    pub(crate) folder: PathBuf,
    _temporary: TempDir,
}

impl ShellServer {
    /// Grants every line of `sh`, with write access to the test's own folder.
    pub(crate) fn lines() -> Self {
        Self::with(|folder| vec![line_grant(folder)])
    }

    pub(crate) fn with(commands: impl FnOnce(&Path) -> Vec<CommandGrantSource>) -> Self {
        Self::with_options(commands, |options| options)
    }

    pub(crate) fn with_options(
        commands: impl FnOnce(&Path) -> Vec<CommandGrantSource>,
        options: impl FnOnce(ShellOptions) -> ShellOptions,
    ) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let above = temporary.path().canonicalize().unwrap();
        let folder = above.join("granted");
        std::fs::create_dir(&folder).unwrap();
        let grants = Arc::new(TestGrants::default());
        grants.set(&command_grants(commands(&folder), "read-write"));
        let hidden = vec![above.join("own")];
        let own =
            ShellOptions { runner: runner(), ..ShellOptions::new(above.join("scratch"), hidden) };
        let machine = MachineAccess::new(grants.clone(), None);
        let service = ShellService::new(machine, options(own));
        let kit = service.kit(&Presentation::default()).unwrap();
        let server = Server::builder("probe", "1.0").kit(kit).build().unwrap();
        Self { service, server, grants, folder, _temporary: temporary }
    }

    /// Replaces the grants, as if a person had typed the commands.
    pub(crate) fn grant(&self, commands: Vec<CommandGrantSource>, access: &str) {
        self.grants.set(&command_grants(commands, access));
        self.service.grants_changed();
        let kit = self.service.kit(&Presentation::default()).unwrap();
        self.server.toolbox().unwrap().replace(kit).unwrap();
    }

    /// The result of a tool for an unnamed caller, on a pipe that stays open.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.call_as(&pipe(), tool, arguments, Notes::silent()).await
    }

    pub(crate) async fn call_as(
        &self,
        caller: &Caller,
        tool: &str,
        arguments: Value,
        notes: Notes,
    ) -> Value {
        match self.ended(caller, tool, arguments, TaskOffer::No, notes).await {
            Ok(Outcome::Complete(answer)) => serde_json::from_str(&answer.body).unwrap(),
            Ok(other) => panic!("{other:?}"),
            Err(error) => json!({"error": error.to_rpc(caller).message}),
        }
    }

    /// The outcome of a call whose caller may accept a task.
    pub(crate) async fn outcome(
        &self,
        caller: &Caller,
        tool: &str,
        arguments: Value,
        task: TaskOffer,
    ) -> Outcome {
        self.ended(caller, tool, arguments, task, Notes::silent()).await.unwrap()
    }

    async fn ended(
        &self,
        caller: &Caller,
        tool: &str,
        arguments: Value,
        task: TaskOffer,
        notes: Notes,
    ) -> Result<Outcome, CallError> {
        let params = json!({"name": tool, "arguments": arguments});
        let call = Call { task, ..call_of(caller, Method::ToolsCall, &params) };
        let toolbox = self.server.toolbox().unwrap();
        tokio::time::timeout(CALL_LIMIT, toolbox.call(call, notes)).await.unwrap()
    }

    /// The data of a successful result.
    pub(crate) async fn data(&self, tool: &str, arguments: Value) -> Value {
        data(self.call(tool, arguments).await)
    }

    pub(crate) async fn data_as(&self, caller: &Caller, tool: &str, arguments: Value) -> Value {
        data(self.call_as(caller, tool, arguments, Notes::silent()).await)
    }

    /// The result of a line of `sh`.
    pub(crate) async fn sh(&self, line: &str) -> Value {
        self.data("shell_run", json!({"command": line})).await
    }

    /// The message with which a tool fails.
    pub(crate) async fn failure(&self, tool: &str, arguments: Value) -> String {
        failure(&self.call(tool, arguments).await)
    }

    pub(crate) async fn client(&self, era: EraHint) -> Client {
        connect_with(&self.server, Client::builder().era(era)).await.unwrap()
    }
}

pub(crate) fn data(mut result: Value) -> Value {
    // A command that was ended by a limit is an error that has data.
    let is_ended = result["structuredContent"]["limit"].is_string();
    assert!(result["isError"] != true || is_ended, "{result}");
    assert!(result.get("structuredContent").is_some(), "{result}");
    result["structuredContent"].take()
}

pub(crate) fn failure(result: &Value) -> String {
    assert_eq!(result["isError"], true, "{result}");
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

fn command_grants(commands: Vec<CommandGrantSource>, access: &str) -> GrantSources {
    let services = vec![("shell".to_owned(), access.to_owned())];
    let own_program = Some(runner());
    GrantSources { services, commands, own_program, ..GrantSources::default() }
}

/// Every line of `sh`, confined to this folder if the system supports it.
pub(crate) fn line_grant(folder: &Path) -> CommandGrantSource {
    CommandGrantSource { arguments: None, ..grant("sh", "/bin/sh", &[], folder) }
}

/// A program with arguments that match this pattern, in this folder.
pub(crate) fn grant(
    name: &str,
    program: &str,
    pattern: &[&str],
    folder: &Path,
) -> CommandGrantSource {
    CommandGrantSource {
        name: name.into(),
        program: program.into(),
        arguments: Some(pattern.iter().map(|part| (*part).to_owned()).collect()),
        folders: vec![folder_source(folder, "write")],
        environment: Vec::new(),
        sandbox: "on".into(),
        network: false,
        // Tests run as root on some machines.
        as_root: true,
        principal: None,
    }
}

pub(crate) fn folder_source(path: &Path, access: &str) -> FolderSource {
    FolderSource {
        path: path.to_owned(),
        access: access.into(),
        identity: RootIdentity::of_path(path).unwrap().to_string(),
        hard_links: HardLinks::Refused,
    }
}

/// The example `shell_runner`, which cargo builds along with the tests.
pub(crate) fn runner() -> PathBuf {
    let mut folder = std::env::current_exe().unwrap();
    folder.pop();
    folder.pop();
    let runner = folder.join("examples/shell_runner");
    assert!(runner.exists(), "{} is missing: cargo build --examples", runner.display());
    runner
}

/// A number of seconds that no other process sleeps, to find a process by.
pub(crate) fn mark() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    format!("8{:07}.{:04}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The processes with this text in their command line.
pub(crate) fn with_mark(mark: &str) -> Vec<u32> {
    let pids = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse::<u32>().ok());
    let has = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(mark)
    };
    pids.filter(has).collect()
}

/// Waits until a process with this mark exists, or until none does.
pub(crate) async fn until_marked(mark: &str, wanted: Presence) {
    let mut looks = tokio::time::interval(Duration::from_millis(10));
    let found = async {
        while with_mark(mark).is_empty() != (wanted == Presence::Gone) {
            looks.tick().await;
        }
    };
    let waited = tokio::time::timeout(LONG, found).await;
    assert!(waited.is_ok(), "{wanted:?} {mark}: {:?}", with_mark(mark));
}

/// Whether marked processes are expected to exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    There,
    Gone,
}

/// Collects the events: their kind and text, or the whole event if it has no text.
#[derive(Default)]
pub(crate) struct Streamed(Mutex<Vec<(String, String)>>);

impl Streamed {
    pub(crate) fn notes(self: &Arc<Self>) -> Notes {
        let all = Arc::clone(self);
        on_event(move |event| {
            let text = event.message().map_or_else(|| event.to_json(), str::to_owned);
            all.0.lock().push((event.kind().to_owned(), text));
        })
    }

    /// The pieces, with consecutive ones of the same stream joined.
    pub(crate) fn pieces(&self) -> Vec<(String, String)> {
        let mut joined: Vec<(String, String)> = Vec::new();
        for (stream, text) in self.0.lock().iter() {
            match joined.last_mut() {
                Some((last, so_far)) if last == stream => so_far.push_str(text),
                _ => joined.push((stream.clone(), text.clone())),
            }
        }
        joined
    }
}

/// A reader that needs every event, has room for a few, and takes one only on request.
#[derive(Default)]
pub(crate) struct SlowReader {
    events: Mutex<SlowEvents>,
    taken: Notify,
}

#[derive(Default)]
struct SlowEvents {
    waiting: VecDeque<StreamEvent>,
    bytes: usize,
    last: String,
}

impl SlowReader {
    /// Capacity for waiting events. If there is room for one, both streams may still add one each.
    pub(crate) const ROOM: usize = 4;

    pub(crate) fn waiting(&self) -> usize {
        self.events.lock().waiting.len()
    }

    pub(crate) fn take_one(&self) {
        let mut events = self.events.lock();
        if let Some(event) = events.waiting.pop_front() {
            events.bytes += event.message().map_or(0, str::len);
            events.last = event.to_json();
            self.taken.notify_waiters();
        }
    }

    /// The total bytes of all texts, and the last event.
    pub(crate) fn all(&self) -> (usize, String) {
        while self.waiting() > 0 {
            self.take_one();
        }
        let events = self.events.lock();
        (events.bytes, events.last.clone())
    }
}

impl NoteSink for SlowReader {
    fn wants_progress(&self) -> bool {
        true
    }

    fn wants_log(&self, _level: LoggingLevel) -> bool {
        false
    }

    fn send(&self, note: Note) {
        let Note::Event(event) = note else { panic!("{note:?}") };
        self.events.lock().waiting.push_back(event);
    }

    fn needs_every_event(&self) -> bool {
        true
    }

    fn room(&self) -> Option<BoxFuture<'_, ()>> {
        let has_room = || self.waiting() < Self::ROOM - 1;
        (!has_room()).then(|| -> BoxFuture<'_, ()> {
            Box::pin(async move {
                loop {
                    let taken = self.taken.notified();
                    if has_room() {
                        return;
                    }
                    taken.await;
                }
            })
        })
    }
}
