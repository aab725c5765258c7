//! The crates that are compiled into the program, and their dependencies.
//!
//! `cargo tree` lists what is linked, with this program's features on this platform; each crate's
//! source folder and licence are from `cargo metadata`, its checksum from `Cargo.lock`. Crates that
//! run only at compile time are not part of the program.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use serde::Deserialize;

use super::lock_file::checksums;
use super::platform::Platform;
use crate::process::quiet;
use crate::workspace::Workspace;

/// A crate's name and version, which identify it in this workspace.
pub(crate) type CrateId = (String, String);

/// One crate of the program.
#[derive(Debug, Clone)]
pub(crate) struct Component {
    /// The licence as an SPDX expression.
    pub(crate) licence: String,
    pub(crate) repository: Option<String>,
    pub(crate) description: Option<String>,
    /// The folder of its source.
    pub(crate) folder: PathBuf,
    /// The SHA-256 of its archive; our own crates have none.
    pub(crate) checksum: Option<String>,
    pub(crate) needs: BTreeSet<CrateId>,
}

/// All crates of the program, including the program itself.
pub(crate) struct Components {
    pub(crate) root: CrateId,
    pub(crate) all: BTreeMap<CrateId, Component>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Described>,
}

#[derive(Deserialize)]
struct Described {
    name: String,
    version: String,
    license: Option<String>,
    repository: Option<String>,
    description: Option<String>,
    manifest_path: PathBuf,
}

impl Components {
    /// Asks Cargo which crates `hobnob` consists of.
    pub(crate) fn load(workspace: &Workspace, platform: &Platform) -> anyhow::Result<Self> {
        let mut tree = workspace.cargo(["tree", "--locked", "--package", "hobnob"]);
        tree.args(["--edges", "normal,no-proc-macro", "--prefix", "depth", "--format", "{p}"]);
        let linked = parse_tree(&quiet(tree.args(["--target", &platform.triple]))?)?;
        let mut metadata = workspace.cargo(["metadata", "--locked", "--format-version", "1"]);
        let metadata = quiet(metadata.args(["--filter-platform", &platform.triple]))?;
        let metadata: Metadata =
            serde_json::from_str(&metadata).context("cargo metadata is not understood")?;
        let lock = workspace.root.join("Cargo.lock");
        let lock = fs::read_to_string(&lock).context("cannot read Cargo.lock")?;
        let mut sums = checksums(&lock);
        let mut all = BTreeMap::new();
        for package in metadata.packages {
            let id = (package.name, package.version);
            let Some(needs) = linked.needs.get(&id) else { continue };
            let licence =
                package.license.with_context(|| format!("{} {} names no licence", id.0, id.1))?;
            let component = Component {
                // Older crates separate licences by a slash, as before SPDX expressions.
                licence: licence.replace(" / ", "/").replace('/', " OR "),
                repository: package.repository,
                description: package.description,
                folder: package.manifest_path.parent().map(PathBuf::from).unwrap_or_default(),
                checksum: sums.remove(&id),
                needs: needs.clone(),
            };
            all.insert(id, component);
        }
        if let Some((name, version)) = linked.needs.keys().find(|id| !all.contains_key(*id)) {
            anyhow::bail!("cargo metadata does not know {name} {version}");
        }
        Ok(Self { root: linked.root, all })
    }

    /// The crates of other authors.
    pub(crate) fn of_others(&self) -> impl Iterator<Item = (&CrateId, &Component)> {
        self.all.iter().filter(|(_, component)| component.checksum.is_some())
    }
}

/// The output of `cargo tree`: the program, and each crate's direct dependencies.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tree {
    pub(super) root: CrateId,
    pub(super) needs: BTreeMap<CrateId, BTreeSet<CrateId>>,
}

/// Parses lines with a depth, a name and a version, such as `2clap_lex v1.1.1`. The dependencies of
/// a crate follow its first occurrence.
pub(super) fn parse_tree(text: &str) -> anyhow::Result<Tree> {
    let mut needs: BTreeMap<CrateId, BTreeSet<CrateId>> = BTreeMap::new();
    let mut above: Vec<CrateId> = Vec::new();
    let mut root = None;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let strange = || format!("cargo tree wrote a line that is not understood: {line}");
        let digits = line.find(|c: char| !c.is_ascii_digit()).with_context(strange)?;
        let depth: usize = line[..digits].parse().with_context(strange)?;
        let mut words = line[digits..].split_whitespace();
        let name = words.next().with_context(strange)?.to_owned();
        let version = words.next().and_then(|word| word.strip_prefix('v'));
        let id = (name, version.with_context(strange)?.to_owned());
        above.truncate(depth);
        match above.last() {
            Some(parent) => drop(needs.entry(parent.clone()).or_default().insert(id.clone())),
            None => root = Some(id.clone()),
        }
        needs.entry(id.clone()).or_default();
        above.push(id);
    }
    Ok(Tree { root: root.context("cargo tree named no crate")?, needs })
}
