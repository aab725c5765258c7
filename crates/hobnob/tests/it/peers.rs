//! Other people's clients: which are installed, and running one against our server.
//!
//! `cargo xtask test` installs them, leaves `peers.json` in a folder and names it in
//! `HOBNOB_PEERS`. A peer that is listed there as installed is always run; one that is not is
//! skipped aloud.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde::Deserialize;
use serde_json::Value;
use tokio::process::Command;

use crate::program::within;

/// What `cargo xtask peers` writes to `peers.json`: where each peer is installed.
#[derive(Deserialize)]
struct InstalledPeers {
    node: Option<PathBuf>,
    installed: BTreeMap<String, PathBuf>,
    missing: BTreeMap<String, String>,
}

/// One installed peer.
pub(crate) struct Peer {
    node: Option<PathBuf>,
    home: PathBuf,
}

impl Peer {
    /// The peer, or none after saying why its test is skipped.
    pub(crate) fn find(key: &str) -> Option<Self> {
        let Some(folder) = std::env::var_os("HOBNOB_PEERS") else {
            eprintln!("SKIPPED: no peers here; `cargo xtask test` installs them");
            return None;
        };
        let path = Path::new(&folder).join("peers.json");
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("HOBNOB_PEERS has no {}: {error}", path.display()));
        let roster: InstalledPeers = serde_json::from_str(&text).unwrap();
        if let Some(reason) = roster.missing.get(key) {
            eprintln!("SKIPPED: peer `{key}` could not be installed: {reason}");
            return None;
        }
        let home = roster.installed.get(key).unwrap_or_else(|| panic!("no peer called {key}"));
        Some(Self { node: roster.node, home: home.clone() })
    }

    /// Where it is: a folder, or the program of a package of the system.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// A Node with one of our scripts.
    pub(crate) fn script(&self, name: &str) -> Command {
        let mut command = self.node(&scripts().join(name));
        command.env("PEER_HOME", &self.home);
        command
    }

    /// A Node with a program of the peer's own.
    pub(crate) fn program(&self, name: &str) -> Command {
        self.node(&self.home.join("node_modules/.bin").join(name))
    }

    /// A file that an npm peer brings along.
    pub(crate) fn npm_file(&self, path: &str) -> PathBuf {
        self.home.join("node_modules").join(path)
    }

    /// The peer's Python with one of our scripts.
    pub(crate) fn python(&self, name: &str) -> Command {
        let mut command = Command::new(self.home.join("venv/bin/python"));
        command.arg(scripts().join(name));
        command
    }

    /// The words that start a Node program of the peer's own.
    pub(crate) fn node_words(&self, name: &str) -> Vec<PathBuf> {
        let node = self.node.clone().expect("npm peers come with a Node");
        vec![node, self.home.join("node_modules/.bin").join(name)]
    }

    /// The words that start a Python program of the peer's own.
    pub(crate) fn python_words(&self, name: &str) -> Vec<PathBuf> {
        vec![self.home.join("venv/bin").join(name)]
    }

    fn node(&self, program: &Path) -> Command {
        let mut command = Command::new(self.node.as_ref().expect("npm peers come with a Node"));
        command.arg(program);
        command
    }
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers")
}

/// Runs a client to its end and returns the JSON it printed on its last line.
pub(crate) async fn report_of(command: &mut Command) -> Value {
    // Some clients keep notes in the user's folder; ours stays clean.
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("home");
    let running = command.env("HOME", home).stdin(Stdio::null()).kill_on_drop(true).output();
    let output = within("the client's end", running).await.unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{stdout}\n{stderr}", output.status);
    let last = stdout.trim_end().lines().next_back().unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|error| panic!("{error} in {stdout}\n{stderr}"))
}

/// One test per line, each with a name and the future that does it.
macro_rules! peer_tests {
    ($($name:ident: $check:expr;)*) => {
        $(#[tokio::test]
        async fn $name() {
            $check.await;
        })*
    };
}
pub(crate) use peer_tests;
