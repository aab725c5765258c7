//! The server for tests of agents: the service with the test's own grants, and a program that
//! speaks the stream of `claude` and obeys its query.

use crate::calls::{call_of, pipe, result_of};
use crate::grants::TestGrants;
use crate::shell_server::{data, failure, folder_source, runner};
use hobnob_mcp_client::{Client, EraHint};
use hobnob_mcp_engine::{Caller, Notes};
use hobnob_mcp_server::Server;
use hobnob_mcp_testkit::connect_with;
use hobnob_mcp_types::Method;
use hobnob_policy::{AgentGrantSource, GrantSources};
use hobnob_services::agents::{AgentCatalog, AgentNesting, AgentOptions, AgentService};
use hobnob_services::commands::LaunchOptions;
use hobnob_services::{BuiltInService as _, MachineAccess, Presentation};
use hobnob_store_sqlite::SqliteStore;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// Speaks the documented stream. It records its arguments, its query and its folder; the first word
/// of the query says what it does.
const STAND_IN: &str = r#"#!/bin/sh
own=$(dirname "$0")
printf '%s\n' "$@" > "$own/words"
pwd > "$own/folder"
query=$(cat)
printf '%s' "$query" > "$own/query"
count=$(($(cat "$own/count" 2>/dev/null || echo 0) + 1))
echo $count > "$own/count"
id="id-$count"
fork=no
for word in "$@"; do
    case "$word" in
        --fork-session) fork=yes ;;
        --resume=*) resumed=${word#--resume=} ;;
    esac
done
if [ -n "$resumed" ] && [ $fork = no ]; then id=$resumed; fi
start() { echo '{"type":"system","subtype":"init","session_id":"'$id'","model":"stand-in"}'; }
piece() { echo '{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"'"$1"'"}},"parent_tool_use_id":null}'; }
whole() { echo '{"type":"assistant","message":{"content":[{"type":"text","text":"'"$1"'"}]},"parent_tool_use_id":null}'; }
result() { echo '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"x","session_id":"'$id'","total_cost_usd":0.5,"usage":{"output_tokens":2}}'; }
set -- $query
case "$1" in
    hello) start; piece Hel; piece lo; whole Hello; result ;;
    wait) start; piece Hel; read go < "$own/fifo"; piece "$go"; whole "Hel$go"; result ;;
    tool)
        start; whole 'I look.'
        echo '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]},"parent_tool_use_id":null}'
        echo 'no JSON at all'
        echo '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"a"}]},"parent_tool_use_id":null}'
        whole 'One file.'; result ;;
    fail) start; echo '{"type":"result","subtype":"success","is_error":true,"result":"Not logged in","session_id":"'$id'"}'; exit 1 ;;
    die) start; echo 'it broke' >&2; exit 3 ;;
    silent) result ;;
    linger) start; whole Hello; result; trap '' TERM; setsid sleep $2 & sleep $2; sleep $2 ;;
    flood) start; i=0; while [ $i -lt 1000 ]; do piece x; i=$((i + 1)); done; result ;;
    hang) start; piece Hel; trap '' TERM; setsid sleep $2 & sleep $2; sleep $2 ;;
    environment) start; whole "$HOME $HOBNOB_TEST_MARK ${SECRET-none}"; result ;;
esac
"#;

/// A server with the service, one program for every agent, and a granted folder.
pub(crate) struct AgentServer {
    pub(crate) service: AgentService,
    pub(crate) server: Server,
    grants: Arc<TestGrants>,
    /// The folder of the program and its records.
    pub(crate) own: PathBuf,
    pub(crate) folder: PathBuf,
    _temporary: TempDir,
}

impl AgentServer {
    /// A server with grants for `claude` and `gemini`, both with the same program.
    pub(crate) fn granted() -> Self {
        let server = Self::with(AgentNesting::Outside);
        server.grant(&["claude", "gemini"], "read-write");
        server
    }

    /// A server without any grants.
    pub(crate) fn with(nesting: AgentNesting) -> Self {
        Self::with_options(|usual| AgentOptions { nesting, ..usual })
    }

    pub(crate) fn with_options(change: impl FnOnce(AgentOptions) -> AgentOptions) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let above = temporary.path().canonicalize().unwrap();
        let [own, folder] = ["own", "granted"].map(|name| above.join(name));
        for path in [&own, &folder] {
            std::fs::create_dir(path).unwrap();
        }
        let program = own.join("stand-in");
        std::fs::write(&program, STAND_IN).unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        let fifo = std::process::Command::new("mkfifo").arg(own.join("fifo")).status();
        assert!(fifo.unwrap().success());
        let grants = Arc::new(TestGrants::default());
        let [scratch, hidden, locks] = ["scratch", "hidden", "locks"].map(|it| above.join(it));
        let usual = AgentOptions::new(scratch, vec![hidden], locks);
        let markers = vec!["HOBNOB_TEST_MARK".into()];
        let launch = LaunchOptions { runner: runner(), markers, ..usual.launch };
        let options = change(AgentOptions { launch, ..usual });
        let store = Arc::new(SqliteStore::open(&above.join("store.db")).unwrap());
        let machine = MachineAccess::new(grants.clone(), None);
        let catalog = AgentCatalog::built_in().unwrap();
        let service = AgentService::new(machine, catalog, store, options);
        let kit = service.kit(&Presentation::default()).unwrap();
        let server = Server::builder("probe", "1.0").kit(kit).build().unwrap();
        Self { service, server, grants, own, folder, _temporary: temporary }
    }

    /// Replaces the grants, as if a person had typed the commands.
    pub(crate) fn grant(&self, agents: &[&str], access: &str) {
        let grant = |agent: &&str| AgentGrantSource {
            agent: (*agent).into(),
            program: self.own.join("stand-in"),
            folders: vec![folder_source(&self.folder, "write")],
            principal: None,
        };
        let sources = GrantSources {
            services: vec![("agents".to_owned(), access.to_owned())],
            agents: agents.iter().map(grant).collect(),
            own_program: Some(runner()),
            ..GrantSources::default()
        };
        self.grants.set(&sources);
        self.service.grants_changed();
        let kit = self.service.kit(&Presentation::default()).unwrap();
        self.server.toolbox().unwrap().replace(kit).unwrap();
    }

    /// The result of one of the service's tools.
    pub(crate) async fn call(&self, tool: &str, arguments: Value, notes: Notes) -> Value {
        self.call_as(&pipe(), tool, arguments, notes).await
    }

    pub(crate) async fn call_as(
        &self,
        caller: &Caller,
        tool: &str,
        arguments: Value,
        notes: Notes,
    ) -> Value {
        let params = json!({"name": format!("claudecode_{tool}"), "arguments": arguments});
        let call = call_of(caller, Method::ToolsCall, &params);
        result_of(&self.server, call, notes)
            .await
            .unwrap_or_else(|error| json!({"error": error.message}))
    }

    /// The data of a successful result.
    pub(crate) async fn data(&self, tool: &str, arguments: Value) -> Value {
        data(self.call(tool, arguments, Notes::silent()).await)
    }

    /// The message with which a tool fails.
    pub(crate) async fn failure(&self, tool: &str, arguments: Value) -> String {
        failure(&self.call(tool, arguments, Notes::silent()).await)
    }

    /// The text of a chat that must succeed.
    pub(crate) async fn chat(&self, session: &str, query: &str) -> String {
        let arguments = json!({"session_name": session, "query": query});
        let result = self.call("chat", arguments, Notes::silent()).await;
        assert_eq!(result["isError"], false, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn client(&self, era: EraHint) -> Client {
        connect_with(&self.server, Client::builder().era(era)).await.unwrap()
    }

    /// What the program recorded in its last run.
    pub(crate) fn written(&self, what: &str) -> String {
        std::fs::read_to_string(self.own.join(what)).unwrap()
    }

    /// The arguments of the last run, without those that every run has.
    pub(crate) fn own_words(&self) -> Vec<String> {
        self.written("words").lines().skip(5).map(str::to_owned).collect()
    }

    /// Lets a waiting program continue.
    pub(crate) async fn go_on(&self, word: &str) {
        let (fifo, word) = (self.own.join("fifo"), format!("{word}\n"));
        let written = tokio::task::spawn_blocking(move || std::fs::write(fifo, word));
        written.await.unwrap().unwrap();
    }

    pub(crate) fn in_folder(&self, name: &str) -> PathBuf {
        let path = Path::new(&self.folder).join(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    }
}
