//! The list of the program's components for scanners (SBOM): CycloneDX as JSON.
//!
//! Everything in it comes from Cargo and the commit, so the same commit gives the same list. SQLite
//! is listed besides the crate that contains it, because advisories are about SQLite.

use std::fs;

use anyhow::Context;
use serde_json::{Value, json};

use super::components::{Component, Components, CrateId};
use super::release::Release;

/// The crate whose source contains SQLite.
const SQLITE_CRATE: &str = "libsqlite3-sys";

/// The list of components as a file.
pub(crate) fn document(
    components: &Components,
    release: &Release,
    compiler: &str,
) -> anyhow::Result<Vec<u8>> {
    let mut listed = Vec::new();
    let mut dependencies = Vec::new();
    for (id, component) in &components.all {
        let mut needs: Vec<String> = component.needs.iter().map(reference).collect();
        if id.0 == SQLITE_CRATE {
            let version = sqlite_version(component)?;
            let url = format!("pkg:generic/sqlite@{version}");
            listed.push(json!({
                "type": "library", "bom-ref": url, "name": "sqlite", "version": version,
                "licenses": [{"license": {"id": "blessing"}}], "purl": url,
            }));
            dependencies.push(json!({"ref": url, "dependsOn": []}));
            needs.push(url);
        }
        if *id != components.root {
            listed.push(described("library", id, component));
        }
        dependencies.push(json!({"ref": reference(id), "dependsOn": needs}));
    }
    listed.push(json!({
        "type": "library", "bom-ref": "rust-std", "name": "rust-std", "version": compiler,
        "licenses": [{"expression": "MIT OR Apache-2.0"}],
    }));
    let root = components.all.get(&components.root).context("the program itself is not listed")?;
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": release.date("%Y-%m-%dT%H:%M:%SZ")?,
            "component": described("application", &components.root, root),
        },
        "components": listed,
        "dependencies": dependencies,
    });
    let mut text = serde_json::to_vec_pretty(&document)?;
    text.push(b'\n');
    Ok(text)
}

/// One entry of the list.
fn described(kind: &str, id: &CrateId, component: &Component) -> Value {
    let mut entry = json!({
        "type": kind,
        "bom-ref": reference(id),
        "name": id.0,
        "version": id.1,
        "licenses": [{"expression": component.licence}],
    });
    if let Some(text) = &component.description {
        entry["description"] = text.split_whitespace().collect::<Vec<_>>().join(" ").into();
    }
    if let Some(sum) = &component.checksum {
        entry["purl"] = reference(id).into();
        entry["hashes"] = json!([{"alg": "SHA-256", "content": sum}]);
    }
    if let Some(url) = &component.repository {
        entry["externalReferences"] = json!([{"type": "vcs", "url": url}]);
    }
    entry
}

fn reference((name, version): &CrateId) -> String {
    format!("pkg:cargo/{name}@{version}")
}

fn sqlite_version(component: &Component) -> anyhow::Result<String> {
    let header = component.folder.join("sqlite3/sqlite3.h");
    let text =
        fs::read_to_string(&header).with_context(|| format!("cannot read {}", header.display()))?;
    let mut lines = text.lines().map(str::split_whitespace);
    let version = lines.find_map(|mut words| {
        (words.next() == Some("#define") && words.next() == Some("SQLITE_VERSION"))
            .then(|| words.next().map(|version| version.trim_matches('"').to_owned()))?
    });
    version.context("SQLite's header names no version")
}
