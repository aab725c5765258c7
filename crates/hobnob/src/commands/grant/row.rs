//! Turns the options of `hobnob grant` into a row of the file of grants, and adds it to the others.

use super::args::{AgentArgs, GrantWhat, GrantedCommandArgs, SandboxName, ShellArgs};
use super::folder::{FolderAccess, FolderUse, folder};
use super::program::find_program;
use hobnob_config::{
    AgentGrantEntry, CommandGrantEntry, FileGrantEntry, GrantEntries, GrantedFolderEntry,
    GrantedLogEntry, KeyGrantEntry, LogGrantEntry, MemoryRoleEntry, Places,
};
use hobnob_hub::grants::understand;
use hobnob_policy::{GrantError, MachineService};
use hobnob_terminal::ended::Ended;
use std::path::{Path, PathBuf};

/// The shell that runs command lines, if it is installed.
const USUAL_SHELL: &str = "bash";

/// One row of the file of grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands) enum GrantRow {
    File(FileGrantEntry),
    Command(CommandGrantEntry),
    Log(LogGrantEntry),
    Key(KeyGrantEntry),
    Agent(AgentGrantEntry),
    MemoryRole(MemoryRoleEntry),
}

/// Builds the row from the options, and resolves the folders and programs that they name.
pub(super) fn row(what: GrantWhat, places: &Places) -> anyhow::Result<GrantRow> {
    Ok(match what {
        GrantWhat::Files(args) => {
            let access = match args.write {
                true => FolderAccess::Write,
                false => FolderAccess::Read,
            };
            let folder = folder(&args.folder, access, FolderUse::Effects, places)?;
            let folder = GrantedFolderEntry { hard_links: args.hard_links, ..folder };
            GrantRow::File(FileGrantEntry { folder, principal: args.principal })
        }
        GrantWhat::Shell(args) => GrantRow::Command(command(args, places)?),
        GrantWhat::Logs(args) => {
            let is_path = Path::new(&args.log).is_absolute() || args.log.starts_with('.');
            let log = match is_path {
                true => GrantedLogEntry::Folder(folder(
                    Path::new(&args.log),
                    FolderAccess::Read,
                    FolderUse::Effects,
                    places,
                )?),
                false => GrantedLogEntry::Name(log_name(args.log)?),
            };
            GrantRow::Log(LogGrantEntry { log, principal: args.principal })
        }
        GrantWhat::Registry(args) => GrantRow::Key(KeyGrantEntry {
            key: args.key,
            access: if args.write { "write" } else { "read" }.to_owned(),
            view: args.view.map(|view| view.as_str().to_owned()),
            principal: args.principal,
        }),
        GrantWhat::Agents(args) => GrantRow::Agent(agent(args, places)?),
        GrantWhat::Memory(args) => GrantRow::MemoryRole(MemoryRoleEntry {
            role: args.role.as_str().to_owned(),
            principal: args.principal,
        }),
    })
}

/// Checks the name of a log. On Linux, a log is `journal` or the name of a unit, which has a dot
/// before its type.
fn log_name(name: String) -> anyhow::Result<String> {
    let may_fit = name == "journal" || name.contains(['.', '*', '?']);
    if may_fit || !cfg!(target_os = "linux") {
        return Ok(name);
    }
    let message = format!(
        "no log of this system is called `{name}`: grant `journal`, a unit such as \
         `{}.service`, or the path of a folder with log files",
        name.to_lowercase()
    );
    Err(Ended::usage(message).into())
}

fn command(args: ShellArgs, places: &Places) -> anyhow::Result<CommandGrantEntry> {
    let GrantedCommandArgs { words, line, principal } = args.command;
    let (program, arguments) = match words.split_first() {
        Some((program, arguments)) if !line => (program.as_str(), Some(arguments.to_vec())),
        _ => (args.shell.as_deref().unwrap_or(USUAL_SHELL), None),
    };
    let found = match (find_program(program), &args.shell) {
        // Assistants write for bash, but not every system has it.
        (Err(_), None) if arguments.is_none() => find_program("sh")?,
        (found, _) => found?,
    };
    let written = args.folders.iter().map(|it| (it, FolderAccess::Write));
    let read = args.read_folders.iter().map(|it| (it, FolderAccess::Read));
    let folders = written.chain(read);
    let folders = folders.map(|(it, access)| folder(it, access, FolderUse::Program, places));
    Ok(CommandGrantEntry {
        name: found.name,
        program: found.file.display().to_string(),
        arguments,
        folders: folders.collect::<anyhow::Result<_>>()?,
        environment: args.environment,
        sandbox: match args.sandbox {
            SandboxName::On => "on".into(),
            SandboxName::Required => "required".into(),
            SandboxName::Any => "any".into(),
            SandboxName::Off => "off".into(),
        },
        network: args.network,
        as_root: args.as_root,
        principal,
    })
}

fn agent(args: AgentArgs, places: &Places) -> anyhow::Result<AgentGrantEntry> {
    let usual = usual_program(&args.agent)?;
    let found = find_program(args.program.as_deref().unwrap_or(&usual))?;
    let written = |it: &PathBuf| folder(it, FolderAccess::Write, FolderUse::Program, places);
    Ok(AgentGrantEntry {
        agent: args.agent,
        program: found.file.display().to_string(),
        folders: args.folders.iter().map(written).collect::<anyhow::Result<_>>()?,
        principal: args.principal,
    })
}

/// The name of an agent's program, which Hobnob searches for if `--program` is not given.
#[cfg(target_os = "linux")]
fn usual_program(agent: &str) -> anyhow::Result<String> {
    let known = hobnob_services::agents::AgentCatalog::built_in()?;
    let found = known.get(agent).map(|description| description.program().to_owned());
    found.ok_or_else(|| {
        let names = known.names().collect::<Vec<_>>().join(", ");
        Ended::usage(format!("there is no agent `{agent}`; known: {names}")).into()
    })
}

#[cfg(not(target_os = "linux"))]
fn usual_program(_agent: &str) -> anyhow::Result<String> {
    Err(Ended::usage("agents can be granted on Linux only, so far").into())
}

impl GrantRow {
    /// The machine service that the row is for; `None` for memory, which needs no enabling.
    pub(in crate::commands) fn machine_service(&self) -> Option<MachineService> {
        match self {
            Self::File(_) => Some(MachineService::Files),
            Self::Command(_) => Some(MachineService::Shell),
            Self::Log(_) => Some(MachineService::Logs),
            Self::Key(_) => Some(MachineService::Registry),
            Self::Agent(_) => Some(MachineService::Agents),
            Self::MemoryRole(_) => None,
        }
    }

    /// The grant in one line; an error if the row cannot be understood.
    pub(in crate::commands) fn text(&self) -> Result<String, GrantError> {
        let mut alone = GrantEntries::default();
        self.put_into(&mut alone);
        let understood = understand(&alone)?;
        let texts = match self.machine_service() {
            Some(service) => understood.texts(service),
            None => understood.memory_role_texts(),
        };
        Ok(texts.first().map(ToString::to_string).unwrap_or_default())
    }

    /// Whether the grant permits changes.
    pub(super) fn changes_things(&self) -> bool {
        match self {
            Self::File(row) => row.folder.access == "write",
            Self::Command(_) | Self::Agent(_) => true,
            Self::Log(_) => false,
            Self::MemoryRole(row) => row.role != "reader",
            Self::Key(row) => row.access == "write",
        }
    }

    /// Adds the row, or replaces the row about the same thing for the same callers. Returns what it
    /// did: `added`, `replaced` or `unchanged`.
    pub(super) fn put_into(&self, entries: &mut GrantEntries) -> &'static str {
        match self {
            Self::File(row) => put(&mut entries.files, row, |a, b| {
                a.folder.path == b.folder.path && a.principal == b.principal
            }),
            Self::Command(row) => put(&mut entries.shell, row, |a, b| {
                let same = |it: &CommandGrantEntry| {
                    (it.program.clone(), it.arguments.clone(), it.principal.clone())
                };
                same(a) == same(b)
            }),
            Self::Log(row) => put(&mut entries.logs, row, |a, b| {
                let place = |it: &LogGrantEntry| match &it.log {
                    GrantedLogEntry::Name(name) => name.clone(),
                    GrantedLogEntry::Folder(folder) => folder.path.clone(),
                };
                place(a) == place(b) && a.principal == b.principal
            }),
            Self::Key(row) => put(&mut entries.registry, row, |a, b| {
                let same = |it: &KeyGrantEntry| {
                    (it.key.to_ascii_lowercase(), it.view.clone(), it.principal.clone())
                };
                same(a) == same(b)
            }),
            Self::Agent(row) => put(&mut entries.agents, row, |a, b| {
                a.agent == b.agent && a.principal == b.principal
            }),
            Self::MemoryRole(row) => {
                put(&mut entries.memory, row, |a, b| a.principal == b.principal)
            }
        }
    }
}

fn put<T: Clone + PartialEq>(
    rows: &mut Vec<T>,
    row: &T,
    is_same: impl Fn(&T, &T) -> bool,
) -> &'static str {
    match rows.iter_mut().find(|it| is_same(it, row)) {
        Some(found) if found == row => "unchanged",
        Some(found) => {
            *found = row.clone();
            "replaced"
        }
        None => {
            rows.push(row.clone());
            "added"
        }
    }
}
