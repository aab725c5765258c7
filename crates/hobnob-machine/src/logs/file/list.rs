//! The log files in a granted folder: regular text files, each listed once with its rotated parts.

use std::collections::BTreeMap;
use std::io::Read;

use hobnob_policy::{EntryKind, RelativePath};
use memchr::memchr;

use super::rotation::{log_of, part_of};
use crate::files::{ConfinedRoot, list};
use crate::logs::control::LogControl;
use crate::logs::entry::ListedLog;
use crate::logs::problem::LogError;

/// Deepest nesting of folders that are searched.
const MAX_DEPTH: usize = 6;
/// Bytes at the beginning of a file that show whether it is text.
const PROBE_BYTES: u64 = 512;

/// The logs in a folder, by their paths below it; at most `limit`.
pub(crate) fn list_folder(
    root: &ConfinedRoot,
    limit: usize,
    control: &LogControl,
) -> Result<Vec<ListedLog>, LogError> {
    let mut logs = Vec::new();
    let mut ahead = vec![(RelativePath::root(), 0)];
    while let Some((folder, depth)) = ahead.pop() {
        control.check()?;
        // A folder that cannot be read hides only itself.
        let Ok(page) = list(root, &folder, None, limit.saturating_mul(4)) else { continue };
        let mut files: Vec<(String, u64)> = Vec::new();
        let mut folders = Vec::new();
        for entry in page.entries {
            match entry.facts.kind {
                EntryKind::File => files.push((entry.name, entry.facts.size)),
                EntryKind::Folder if depth < MAX_DEPTH => folders.push(entry.name),
                // A link would show a log twice, or a log that is outside.
                EntryKind::Folder | EntryKind::Link | EntryKind::Special => {}
            }
        }
        for (name, bytes) in join_parts(root, &folder, files) {
            if limit <= logs.len() {
                return Ok(logs);
            }
            logs.push(ListedLog { name: below(&folder, &name), kind: "file", bytes: Some(bytes) });
        }
        let inside = folders.iter().rev().filter_map(|name| folder.join(name).ok());
        ahead.extend(inside.map(|path| (path, depth + 1)));
    }
    Ok(logs)
}

/// The logs of one folder and the total size of their parts.
fn join_parts(
    root: &ConfinedRoot,
    folder: &RelativePath,
    files: Vec<(String, u64)>,
) -> BTreeMap<String, u64> {
    let mut logs: BTreeMap<String, u64> = BTreeMap::new();
    for (name, bytes) in files {
        let path = folder.join(&name);
        if !path.is_ok_and(|path| is_text(root, &path, &name)) {
            continue;
        }
        let log = log_of(&name);
        // The name must lead back to this file, or the file would be listed under a log without it.
        let log = if part_of(&log, &name).is_some() { log } else { name };
        *logs.entry(log).or_default() += bytes;
    }
    logs
}

fn is_text(root: &ConfinedRoot, path: &RelativePath, name: &str) -> bool {
    let Ok(open) = root.open_file(path) else { return false };
    let mut head = Vec::new();
    let read = (&open.file).take(PROBE_BYTES).read_to_end(&mut head);
    match name.ends_with(".gz") {
        true => head.starts_with(&[0x1f, 0x8b]),
        false => {
            let other = [".xz", ".zst", ".bz2", ".zip", ".journal"];
            read.is_ok() && memchr(0, &head).is_none() && !other.iter().any(|it| name.ends_with(it))
        }
    }
}

fn below(folder: &RelativePath, name: &str) -> String {
    match folder.is_root() {
        true => name.to_owned(),
        false => format!("{folder}/{name}"),
    }
}
