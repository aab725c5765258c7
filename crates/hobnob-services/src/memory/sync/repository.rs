//! Hobnob's own repository for each project and remote. Git works here and never in the project, so
//! that it never reads the project's configuration, hooks or attributes.
//!
//! The person's consent to exchange memories with this remote is stored beside it.

use super::remote::{Address, Remote};
use hobnob_disk::{make_folder, replace_file};
use hobnob_text::hex;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The name of the remote in our repository; no other configuration refers to it.
pub(super) const REMOTE: &str = "hobnob-sync";

/// The ref in our repository that holds the last fetched commit.
pub(super) const FETCHED_REF: &str = "refs/hobnob/fetched";

/// Settings that keep git from running programs by itself.
const BASE_CONFIG: &str = "\
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

/// The git command that serves a repository on this machine: without its hooks, maintenance and
/// work-tree updates.
const SERVE_COMMAND: &str = "git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c gc.auto=0 \
                       -c maintenance.auto=false -c receive.autogc=false \
                       -c receive.denyCurrentBranch=refuse";

/// Hobnob's folder for one project and one remote.
#[derive(Debug, Clone)]
pub(super) struct SyncFolder {
    folder: PathBuf,
    /// Identifies this project and this remote.
    digest: String,
    note: Approval,
}

/// The stored consent of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Approval {
    project: String,
    remote: String,
    /// Covers the whole remote, including the credentials that `remote` leaves out.
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

    /// Whether a person has agreed to this project and this remote.
    pub(super) fn is_approved(&self) -> bool {
        let text = fs::read(self.folder.join("approved.json"));
        text.is_ok_and(|it| serde_json::from_slice(&it).ok().as_ref() == Some(&self.note))
    }

    /// Stores that a person has agreed.
    pub(super) fn approve(&self) -> io::Result<()> {
        make_folder(&self.folder)?;
        let text = serde_json::to_vec_pretty(&self.note)?;
        write(&self.folder.join("approved.json"), &text)
    }

    /// The repository, created if it is missing and configured for this remote.
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
    let mut text = String::from(BASE_CONFIG);
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
        line("uploadpack", &format!("{SERVE_COMMAND} upload-pack --strict"));
    }
    if matches!(remote.push.as_ref().unwrap_or(&remote.fetch), Address::Folder(_)) {
        line("receivepack", &format!("{SERVE_COMMAND} receive-pack"));
    }
    text
}

/// Replaces a private file atomically, so that other processes never read half of it. A file that
/// already has this content is left alone.
fn write(file: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::read(file).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    replace_file(file, bytes)
}
