//! The documents in every package: README, changes, licences, list of components.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Context;

use super::components::Components;
use super::release::Release;
use super::{build, licences, sbom};
use crate::process::quiet;
use crate::workspace::Workspace;

/// The name of the list of components inside packages.
pub(crate) const SBOM: &str = "hobnob.cdx.json";

/// Collects the documents, by file name.
pub(crate) fn collect(
    workspace: &Workspace,
    components: &Components,
    release: &Release,
) -> anyhow::Result<BTreeMap<&'static str, Vec<u8>>> {
    let mut documents = BTreeMap::new();
    for name in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        documents.insert(name, read(&workspace.root.join(name))?);
    }
    let linked = build::linked_licences(workspace)?;
    let others = licences::document(components, &workspace.root.join("packaging"), &linked)?;
    documents.insert("THIRD-PARTY-LICENSES.txt", others.into_bytes());
    let ask = |arguments: &[&str]| {
        quiet(Command::new("rustc").args(arguments).current_dir(&workspace.root))
    };
    let version = ask(&["--version"])?;
    let compiler = version.split_whitespace().nth(1).context("rustc names no version")?;
    documents.insert(SBOM, sbom::document(components, release, compiler)?);
    let toolchain = ask(&["--print", "sysroot"])?;
    let standard = Path::new(toolchain.trim()).join("share/doc/rust/COPYRIGHT-library.html");
    documents.insert("rust-standard-library.html", read(&standard)?);
    Ok(documents)
}

/// Reads a file; an error names it.
pub(crate) fn read(file: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("cannot read {}", file.display()))
}
