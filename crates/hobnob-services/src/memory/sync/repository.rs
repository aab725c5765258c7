//! A repository of our own for each project and remote: git works here and never in the project,
//! so that no configuration, hook or attribute of the project is ever read by git.
//!
//! Beside it lies the note that a person agreed to exchange memories with this remote.

use super::remote::{Address, Remote};
use hobnob_disk::{make_folder, replace_file};
use hobnob_text::hex;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The name of the remote in our repository; nobody else's configuration speaks of it.
pub(super) const REMOTE: &str = "hobnob-sync";

/// The ref in our repository that holds what was fetched last.
pub(super) const FETCHED_REF: &str = "refs/hobnob/fetched";

/// Settings that keep git from running a program by itself.
const QUIET: &str = "\
[core]
\tbare = true
\thooksPath = /dev/null
\tfsmonitor = false
\tlogAllRefUpdates = false
\tsharedRepository = 0600
[gc]
\tauto = 0
[maintenance]
\tauto = false
[fetch]
\trecurseSubmodules = false
\twriteCommitGraph = false
[push]
\trecurseSubmodules = no
\tfollowTags = false
\tgpgSign = false
";

/// How the other half is run in a repository on this machine: without its hooks, and without
/// what it may do to a work tree.
const SERVING: &str = "git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c gc.auto=0 \
                       -c maintenance.auto=false -c receive.autogc=false \
                       -c receive.denyCurrentBranch=refuse";

/// Our folder for one project and one remote.
#[derive(Debug, Clone)]
pub(super) struct SyncFolder {
    folder: PathBuf,
    /// Tells this project and this remote from all others.
    digest: String,
    note: Approval,
}

/// That a person agreed, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Approval {
    project: String,
    remote: String,
    /// The remote with everything that is not shown.
    digest: String,
}

impl SyncFolder {
    pub(super) fn of(top: &Path, root: &Path, remote: &Remote) -> Self {
        let push = remote.push.as_ref().map(Address::text).unwrap_or_default();
        let text =
            format!("{}\0{}\0{push}\0{}", root.display(), remote.fetch.text(), remote.sha256);
        let hash = digest(&SHA256, text.as_bytes());
        let digest = hex::encode(&hash.as_ref()[..16]);
        let note = Approval {
            project: root.display().to_string(),
            remote: remote.shown(),
            digest: digest.clone(),
        };
        Self { folder: top.join(&digest), digest, note }
    }

    pub(super) fn digest(&self) -> &str {
        &self.digest
    }

    /// Whether a person agreed to this project and this remote.
    pub(super) fn is_approved(&self) -> bool {
        let text = fs::read(self.folder.join("approved.json"));
        text.is_ok_and(|it| serde_json::from_slice(&it).ok().as_ref() == Some(&self.note))
    }

    /// Notes that a person agreed.
    pub(super) fn approve(&self) -> io::Result<()> {
        make_folder(&self.folder)?;
        let text = serde_json::to_vec_pretty(&self.note)?;
        write(&self.folder.join("approved.json"), &text)
    }

    /// The repository, made if it is not there, and set up as this remote needs it.
    pub(super) fn repository(&self, remote: &Remote) -> io::Result<PathBuf> {
        let repository = self.folder.join("repository.git");
        for part in ["objects/info", "objects/pack", "refs/heads"] {
            make_folder(&repository.join(part))?;
        }
        write(&repository.join("HEAD"), b"ref: refs/heads/main\n")?;
        write(&repository.join("config"), config(remote).as_bytes())?;
        Ok(repository)
    }
}

fn config(remote: &Remote) -> String {
    let mut text = String::from(QUIET);
    match remote.sha256 {
        true => text.push_str(
            "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n",
        ),
        false => text.push_str("[core]\n\trepositoryFormatVersion = 0\n"),
    }
    text.push_str(&format!("[remote \"{REMOTE}\"]\n"));
    let mut line = |key: &str, value: &str| {
        let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
        text.push_str(&format!("\t{key} = \"{quoted}\"\n"));
    };
    line("url", &remote.fetch.text());
    if let Some(push) = &remote.push {
        line("pushurl", &push.text());
    }
    if matches!(remote.fetch, Address::Folder(_)) {
        line("uploadpack", &format!("{SERVING} upload-pack --strict"));
    }
    if matches!(remote.push.as_ref().unwrap_or(&remote.fetch), Address::Folder(_)) {
        line("receivepack", &format!("{SERVING} receive-pack"));
    }
    text
}

/// Puts a private file in place at once, so that a process beside us never reads half of it. One
/// that is as it should be stays.
fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::read(file).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    replace_file(file, bytes)
}
