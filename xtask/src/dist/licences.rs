//! The licence texts of everything in the program, from the sources it was compiled from.
//!
//! A text that several crates share is printed once. For a crate without a text, the text of
//! another crate of the same repository is used, or the one in `packaging/licences`; without any,
//! packaging fails.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::components::{Component, Components, CrateId};

/// The prefixes of licence files' names.
const PREFIXES: [&str; 6] = ["licence", "license", "copying", "copyright", "notice", "unlicense"];

/// Extensions of files that only mention licences in their name.
const OTHER_EXTENSIONS: [&str; 4] = ["rs", "yml", "yaml", "toml"];

/// Folders that are not compiled into the program.
const SKIPPED_FOLDERS: [&str; 4] = ["tests", "benches", "examples", "fuzz"];

/// One document with a table of all crates, followed by all texts.
pub(crate) fn document(
    components: &Components,
    packaging: &Path,
    linked: &[(String, String)],
) -> anyhow::Result<String> {
    let mut users: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut table = String::new();
    for (id, component) in components.of_others() {
        let name = format!("{} {}", id.0, id.1);
        let source = component.repository.as_deref().unwrap_or("no repository named");
        writeln!(table, "{name}: {}; {source}", component.licence)?;
        for text in texts_of(components, id, component, packaging)? {
            users.entry(text).or_default().insert(name.clone());
        }
    }
    for (title, text) in linked {
        users.entry(normalized(text)).or_default().insert(title.clone());
    }
    let mut document = format!(
        "Third-party software in hobnob\n\n\
         The program is compiled from the following crates. Where a licence offers a choice, any \
         of its texts may be chosen.\nSQLite, which is part of libsqlite3-sys, is in the public \
         domain.\nrust-standard-library.html holds the licences of Rust's own library.\n\n{table}"
    );
    let mut texts: Vec<(String, BTreeSet<String>)> = users.into_iter().collect();
    texts.sort_by(|one, other| one.1.cmp(&other.1).then_with(|| one.0.cmp(&other.0)));
    for (text, names) in texts {
        let names: Vec<String> = names.into_iter().collect();
        write!(document, "\n\n{}\n{}\n\n{text}\n", "-".repeat(80), names.join(", "))?;
    }
    Ok(document)
}

/// The texts of one crate, from any of these sources.
fn texts_of(
    components: &Components,
    id: &CrateId,
    component: &Component,
    packaging: &Path,
) -> anyhow::Result<Vec<String>> {
    let own = texts_in(&component.folder)?;
    if !own.is_empty() {
        return Ok(own);
    }
    let beside = components.of_others().filter(|(_, other)| {
        component.repository.is_some()
            && other.repository == component.repository
            && other.licence == component.licence
    });
    for (_, other) in beside {
        let texts = texts_in(&other.folder)?;
        if !texts.is_empty() {
            return Ok(texts);
        }
    }
    let kept = packaging.join("licences").join(&id.0);
    let texts = if kept.is_dir() { texts_in(&kept)? } else { Vec::new() };
    let missing = || {
        format!(
            "{} {} brings no licence text: get it from {} and put it into {}/LICENSE",
            id.0,
            id.1,
            component.repository.as_deref().unwrap_or("its author"),
            kept.display()
        )
    };
    anyhow::ensure!(!texts.is_empty(), missing());
    Ok(texts)
}

/// The texts in a folder and its subfolders, sorted by path.
pub(super) fn texts_in(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut files = Vec::new();
    find(folder, &mut files)?;
    files.sort();
    let read = |file: &PathBuf| {
        let text = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        Ok(normalized(&String::from_utf8_lossy(&text)))
    };
    files.iter().map(read).collect()
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let all_are_licences = folder.file_name().is_some_and(|name| name == "LICENSES");
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            if !name.starts_with('.') && !SKIPPED_FOLDERS.contains(&name.as_str()) {
                find(&path, files)?;
            }
            continue;
        }
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is_licence = PREFIXES.iter().any(|beginning| name.starts_with(beginning));
        if all_are_licences || (is_licence && !OTHER_EXTENSIONS.contains(&ending)) {
            files.push(path);
        }
    }
    Ok(())
}

/// Removes invisible differences, so that equal texts compare equal.
fn normalized(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}
