//! Every client with every server through one Hobnob: the bridge, with real peers on both sides.
//!
//! Over HTTP all clients share one Hobnob; on pipes each has its own. Every client reports what it
//! saw in each cell, and a cell that is missing is a failure.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use hobnob_mcp_types::Revision;
use serde_json::Value;
use tokio::process::Command;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::matrix_home::Home;
use crate::matrix_ours;
use crate::matrix_plan::{as_json, complaints, plan};
use crate::peers::Peer;
use crate::program::PROGRAM;

/// How long one client may take for the whole plan.
const TIMEOUT: Duration = Duration::from_secs(150);

/// The client that goes through the plan.
#[derive(Clone, Copy)]
enum MatrixClient {
    /// A driver script with a third-party library: the library, its mode, what it must speak.
    Theirs(&'static str, &'static str, Revision),
    /// Our own client in one revision.
    Ours(Revision),
}

const SDK: MatrixClient = MatrixClient::Theirs("sdk", "sdk", Revision::V2025_11_25);
const CLIENT: MatrixClient = MatrixClient::Theirs("client", "client", Revision::V2026_07_28);
const PYTHON: MatrixClient = MatrixClient::Theirs("mcp", "auto", Revision::V2026_07_28);
const PYTHON_LEGACY: MatrixClient = MatrixClient::Theirs("mcp", "legacy", Revision::V2025_11_25);

const ALL: [MatrixClient; 9] = [
    SDK,
    CLIENT,
    PYTHON,
    PYTHON_LEGACY,
    MatrixClient::Ours(Revision::V2024_11_05),
    MatrixClient::Ours(Revision::V2025_03_26),
    MatrixClient::Ours(Revision::V2025_06_18),
    MatrixClient::Ours(Revision::V2025_11_25),
    MatrixClient::Ours(Revision::V2026_07_28),
];

/// How a client reaches Hobnob.
#[derive(Clone)]
enum HubTransport {
    Stdio,
    Http(String),
}

/// Whether other clients use the hub at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OtherClients {
    Nobody,
    /// The plan leaves out calls in which a server asks: on a pipe, the server cannot say which of
    /// several calls it asks for.
    Others,
}

impl MatrixClient {
    fn label(self) -> String {
        match self {
            Self::Theirs(library, mode, _) => format!("{library}-{mode}"),
            Self::Ours(revision) => format!("ours-{revision}"),
        }
    }

    fn revision(self) -> Revision {
        match self {
            Self::Theirs(_, _, revision) | Self::Ours(revision) => revision,
        }
    }

    /// Goes through the plan and checks every cell; nothing is said of a peer that is not there.
    async fn run_plan(
        self,
        home: &Path,
        transport: HubTransport,
        others: OtherClients,
    ) -> Vec<String> {
        let label = self.label();
        let mut steps = plan(&format!("{label} {others:?}"), self.revision());
        if others == OtherClients::Others {
            steps.retain(|step| !step.asks());
        }
        let text = as_json(&steps);
        let cells = match self {
            Self::Theirs(library, mode, _) => {
                let Some(peer) = Peer::find(library) else { return Vec::new() };
                let file = home.join(format!("{label}.json"));
                std::fs::write(&file, text.to_string()).unwrap();
                let mut command = match library {
                    "mcp" => peer.python("matrix.py"),
                    _ => peer.script("matrix.mjs"),
                };
                command.arg(mode).arg(file);
                match &transport {
                    HubTransport::Stdio => command.args(["stdio", PROGRAM, "serve"]),
                    HubTransport::Http(url) => command.args(["http", url]),
                };
                command.env("HOBNOB_HOME", home).current_dir(home);
                lines_of(&label, &mut command).await
            }
            Self::Ours(revision) => {
                let run = async {
                    match &transport {
                        HubTransport::Stdio => matrix_ours::over_stdio(revision, home, &text).await,
                        HubTransport::Http(url) => {
                            matrix_ours::over_http(revision, url, &text).await
                        }
                    }
                };
                let done = timeout(TIMEOUT, run).await;
                done.unwrap_or_else(|_| panic!("{label}: not done after {TIMEOUT:?}"))
            }
        };
        complaints(&label, self.revision(), &steps, &cells)
    }
}

/// Runs a driver script to its end; the JSON lines it printed.
async fn lines_of(label: &str, command: &mut Command) -> Vec<Value> {
    let running = command.stdin(Stdio::null()).kill_on_drop(true).output();
    let Ok(output) = timeout(TIMEOUT, running).await else {
        panic!("{label}: not done after {TIMEOUT:?}");
    };
    let output = output.unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{label}: {}\n{stdout}\n{stderr}", output.status);
    stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

async fn check_stdio(client: MatrixClient) {
    if let Some(home) = Home::with_all_servers(&format!("stdio-{}", client.label())).await {
        let complaints =
            client.run_plan(&home.folder, HubTransport::Stdio, OtherClients::Nobody).await;
        assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    }
}

/// One Hobnob for all of them: first one after the other, then all at once.
#[tokio::test]
async fn all_clients_http() {
    let Some(home) = Home::with_all_servers("http").await else { return };
    let server = home.serve_http().await;
    let transport = || HubTransport::Http(server.url.clone());
    let mut complaints = Vec::new();
    for client in ALL {
        complaints.extend(client.run_plan(&home.folder, transport(), OtherClients::Nobody).await);
    }
    let mut runs = JoinSet::new();
    for client in ALL {
        let (folder, transport) = (home.folder.clone(), transport());
        runs.spawn(async move { client.run_plan(&folder, transport, OtherClients::Others).await });
    }
    complaints.extend(runs.join_all().await.into_iter().flatten());
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

macro_rules! on_pipes {
    ($($name:ident: $client:expr;)*) => {
        $(#[tokio::test]
        async fn $name() {
            check_stdio($client).await;
        })*
    };
}

on_pipes! {
    sdk_stdio: SDK;
    client_stdio: CLIENT;
    python_stdio: PYTHON;
    python_legacy_stdio: PYTHON_LEGACY;
    ours_2024_11_05_stdio: MatrixClient::Ours(Revision::V2024_11_05);
    ours_2025_03_26_stdio: MatrixClient::Ours(Revision::V2025_03_26);
    ours_2025_06_18_stdio: MatrixClient::Ours(Revision::V2025_06_18);
    ours_2025_11_25_stdio: MatrixClient::Ours(Revision::V2025_11_25);
    ours_2026_07_28_stdio: MatrixClient::Ours(Revision::V2026_07_28);
}
