//! What a person may not have meant: grants that together allow more than each seems to.

use super::row::GrantRow;
use hobnob_config::{CommandGrantEntry, FileGrantEntry, GrantEntries, GrantedFolderEntry};
use hobnob_policy::is_dangerous_variable;
use std::path::Path;

/// What to tell the person who made this grant.
pub(super) fn warnings(row: &GrantRow, entries: &GrantEntries) -> Vec<String> {
    match row {
        GrantRow::File(row) => file_warnings(row, entries),
        GrantRow::Command(row) => command_warnings(row, entries),
        GrantRow::Log(_) | GrantRow::Key(_) => Vec::new(),
    }
}

fn file_warnings(row: &FileGrantEntry, entries: &GrantEntries) -> Vec<String> {
    let mut warnings = Vec::new();
    let path = Path::new(&row.folder.path);
    let others = entries.files.iter().filter(|it| it.principal == row.principal);
    let others = others.map(|it| &it.folder).filter(|it| it.path != row.folder.path);
    for other in others {
        let there = Path::new(&other.path);
        let (inner, outer) = match (path.starts_with(there), there.starts_with(path)) {
            (true, _) => (&row.folder, other),
            (_, true) => (other, &row.folder),
            _ => continue,
        };
        if is_written(outer) && !is_written(inner) {
            warnings.push(format!(
                "{} can be changed too, since it is inside {}: grants add up",
                inner.path, outer.path
            ));
        }
    }
    if is_written(&row.folder) {
        let inside = entries.shell.iter().filter(|it| Path::new(&it.program).starts_with(path));
        warnings.extend(inside.map(|it| replaceable(it, &row.folder)));
    }
    warnings
}

fn command_warnings(row: &CommandGrantEntry, entries: &GrantEntries) -> Vec<String> {
    let files = entries.files.iter().map(|it| &it.folder);
    let folders = files.chain(entries.shell.iter().flat_map(|it| &it.folders));
    let around =
        folders.filter(|it| is_written(it) && Path::new(&row.program).starts_with(&it.path));
    let mut warnings: Vec<String> = around.take(1).map(|it| replaceable(row, it)).collect();
    let dangerous = row.environment.iter().filter(|name| is_dangerous_variable(name));
    warnings.extend(dangerous.map(|name| {
        format!("with {name}, callers can make {} run or load what they like", row.name)
    }));
    if row.sandbox == "off" {
        warnings.push(format!("{} runs without a sandbox and can do what you can do", row.name));
    }
    warnings
}

fn is_written(folder: &GrantedFolderEntry) -> bool {
    folder.access == "write"
}

fn replaceable(command: &CommandGrantEntry, folder: &GrantedFolderEntry) -> String {
    format!(
        "assistants can replace {}, which they may run: it is inside {}, which they may change",
        command.program, folder.path
    )
}
