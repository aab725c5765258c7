//! Warnings about grants that together permit more than each seems to. `grant` prints them.

use super::row::GrantRow;
use hobnob_config::{
    AgentGrantEntry, CommandGrantEntry, FileGrantEntry, GrantEntries, GrantedFolderEntry,
};
use hobnob_policy::is_dangerous_variable;
use std::path::Path;

/// The warnings for the person who made this grant.
pub(super) fn warnings(row: &GrantRow, entries: &GrantEntries) -> Vec<String> {
    match row {
        GrantRow::File(row) => file_warnings(row, entries),
        GrantRow::Command(row) => command_warnings(row, entries),
        GrantRow::Agent(row) => agent_warnings(row, entries),
        GrantRow::Log(_) | GrantRow::Key(_) | GrantRow::MemoryRole(_) => Vec::new(),
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
        let commands = entries.shell.iter().map(|it| &it.program);
        let programs = commands.chain(entries.agents.iter().map(|it| &it.program));
        let inside = programs.filter(|program| Path::new(program).starts_with(path));
        warnings.extend(inside.map(|program| replaceable(program, &row.folder)));
    }
    warnings
}

fn command_warnings(row: &CommandGrantEntry, entries: &GrantEntries) -> Vec<String> {
    let mut warnings = program_warnings(&row.program, entries);
    let dangerous = row.environment.iter().filter(|name| is_dangerous_variable(name));
    warnings.extend(dangerous.map(|name| {
        format!("with {name}, callers can make {} run or load what they like", row.name)
    }));
    match row.sandbox.as_str() {
        "off" => {
            warnings
                .push(format!("{} runs without a sandbox and can do what you can do", row.name));
        }
        "any" => warnings.push(format!(
            "where this system has no reliable sandbox, {} can do what you can do: `hobnob doctor` \
             says which level it has",
            row.name
        )),
        _ => {}
    }
    warnings
}

fn agent_warnings(row: &AgentGrantEntry, entries: &GrantEntries) -> Vec<String> {
    let mut warnings = program_warnings(&row.program, entries);
    warnings.push(format!(
        "{} runs without a sandbox, with your login and your files: its own settings, and those in \
         its folders, decide what it does",
        row.agent
    ));
    warnings
}

/// Warns if assistants can replace a program that they may run.
fn program_warnings(program: &str, entries: &GrantEntries) -> Vec<String> {
    let files = entries.files.iter().map(|it| &it.folder);
    let commands = entries.shell.iter().flat_map(|it| &it.folders);
    let folders = files.chain(commands).chain(entries.agents.iter().flat_map(|it| &it.folders));
    let mut around =
        folders.filter(|it| is_written(it) && Path::new(program).starts_with(&it.path));
    around.next().map(|it| replaceable(program, it)).into_iter().collect()
}

fn is_written(folder: &GrantedFolderEntry) -> bool {
    folder.access == "write"
}

fn replaceable(program: &str, folder: &GrantedFolderEntry) -> String {
    format!(
        "assistants can replace {program}, which they may run: it is inside {}, which they may \
         change",
        folder.path
    )
}
