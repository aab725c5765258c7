//! A home for one Hobnob of the matrix: every server in its configuration, a folder for each.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Map, Value, json};
use tokio::process::Command;

use crate::matrix_server::MatrixServer;
use crate::peers::Peer;
use crate::program::{HttpServer, PROGRAM, listening, within};

/// Everything is allowed, the first list waits for every server, and polls are frequent.
const SETTINGS: &str = r#"
[gateway]
first_list_wait = "120s"
poll_interval = "1s"
# The matrix is about the whole list.
tool_search = "never"

[timeouts]
handshake = "120s"

[[permissions]]
tool = "mcp__*"
action = "allow"
"#;

/// The folder, and our own server that is among the upstreams.
pub(crate) struct Home {
    pub(crate) folder: PathBuf,
    _own_server: MatrixServer,
}

impl Home {
    /// Makes one with every upstream under this label, or none after saying why not.
    pub(crate) async fn with_all_servers(label: &str) -> Option<Self> {
        let folder = fresh_folder(label);
        for name in ["files", "repository", "hub"] {
            std::fs::create_dir_all(folder.join(name)).unwrap();
        }
        std::fs::write(folder.join("files/note.txt"), "written down").unwrap();
        let mut git = Command::new("git");
        git.args(["init", "--quiet"]).current_dir(folder.join("repository")).stdin(Stdio::null());
        assert!(within("a repository", git.status()).await.unwrap().success());
        let servers = servers(&folder)?;
        Some(Self::configure(folder, servers).await)
    }

    /// Makes one with our own server only.
    pub(crate) async fn with_own_server_only(label: &str) -> Self {
        Self::configure(fresh_folder(label), Map::new()).await
    }

    async fn configure(folder: PathBuf, mut servers: Map<String, Value>) -> Self {
        let own_server = MatrixServer::open().await;
        servers.insert("ours_modern".into(), json!({"type": "http", "url": own_server.modern()}));
        servers.insert("ours_legacy".into(), json!({"type": "sse", "url": own_server.legacy()}));
        let servers = json!({"mcpServers": servers}).to_string();
        std::fs::write(folder.join("config/mcp.json"), servers).unwrap();
        std::fs::write(folder.join("config/config.toml"), SETTINGS).unwrap();
        Self { folder, _own_server: own_server }
    }

    /// Hobnob with this home, over HTTP.
    pub(crate) async fn serve_http(&self) -> HttpServer {
        let mut command = Command::new(PROGRAM);
        command.args(["serve", "--http", "127.0.0.1:0"]).stderr(Stdio::piped()).kill_on_drop(true);
        command.env_remove("RUST_LOG").env("HOBNOB_HOME", &self.folder).current_dir(&self.folder);
        listening(command).await
    }
}

fn fresh_folder(label: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("matrix").join(label);
    let _none = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("config")).unwrap();
    folder
}

/// Other people's servers as `mcp.json` has them, and Hobnob behind Hobnob.
fn servers(folder: &Path) -> Option<Map<String, Value>> {
    let npm = |key: &str| Some(Peer::find(key)?.node_words(&format!("mcp-{key}")));
    let pypi = |key: &str| Some(Peer::find(key)?.python_words(key));
    let memory = json!({"MEMORY_FILE_PATH": folder.join("memory.jsonl")});
    let nested = json!({"HOBNOB_HOME": folder.join("hub")});
    let files = folder.join("files");
    let mut servers = Map::new();
    let mut add = |name: &str, words: Vec<PathBuf>, cwd: &Path, env: Value| {
        let (command, args) = words.split_first().unwrap();
        let entry = json!({"command": command, "args": args, "cwd": cwd, "env": env});
        servers.insert(name.into(), entry);
    };
    add("everything", npm("server-everything")?, folder, json!({}));
    let mut words = npm("server-filesystem")?;
    words.push(files.clone());
    add("files", words, &files, json!({}));
    add("memory", npm("server-memory")?, folder, memory);
    add("git", pypi("mcp-server-git")?, &folder.join("repository"), json!({}));
    let mut words = pypi("mcp-server-time")?;
    words.extend(["--local-timezone".into(), "UTC".into()]);
    add("time", words, folder, json!({}));
    add("hub", vec![PROGRAM.into(), "serve".into()], &folder.join("hub"), nested);
    Some(servers)
}
