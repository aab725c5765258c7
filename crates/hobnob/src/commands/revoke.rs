//! `hobnob revoke`: takes a grant back, with effect from the next call. `main` runs it.
//!
//! What must stay true: a folder or program that no longer exists can be revoked by its path.

use super::grant::{GrantRow, GrantedCommandArgs, KeyViewName, shown_program};
use super::granting::{GrantEvent, change_grants};
use crate::context::CommandContext;
use clap::{Args, Subcommand};
use hobnob_config::{CommandGrantEntry, GrantEntries, GrantedLogEntry, MemoryRoleEntry};
use hobnob_terminal::ended::Ended;
use hobnob_terminal::render;
use hobnob_terminal::render::Output;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct RevokeArgs {
    #[command(subcommand)]
    what: RevokeWhat,
}

#[derive(Debug, Subcommand)]
enum RevokeWhat {
    /// Take a folder back from `files`.
    Files {
        /// The folder as `hobnob grants` shows it.
        #[arg(required_unless_present = "all")]
        folder: Option<PathBuf>,

        #[command(flatten)]
        which: WhichArgs,
    },
    /// Take a command back from `shell`.
    Shell {
        #[command(flatten)]
        command: GrantedCommandArgs,
    },
    /// Take a log or a folder of logs back from `logs`.
    Logs {
        /// The log or the folder as `hobnob grants` shows it.
        #[arg(required_unless_present = "all")]
        log: Option<String>,

        #[command(flatten)]
        which: WhichArgs,
    },
    /// Take a key back from `registry`.
    Registry {
        /// The key as `hobnob grants` shows it.
        #[arg(required_unless_present = "all")]
        key: Option<String>,

        /// The view that was granted, if only one was.
        #[arg(long, value_enum)]
        view: Option<KeyViewName>,

        #[command(flatten)]
        which: WhichArgs,
    },
    /// Take an agent's program back from `claudecode`.
    #[command(name = "claudecode", alias = "agents")]
    Agents {
        /// The agent as `hobnob grants` shows it.
        #[arg(required_unless_present = "all")]
        agent: Option<String>,

        #[command(flatten)]
        which: WhichArgs,
    },
    /// Take a principal's role in the memories of scope `org` back.
    Memory {
        /// The principal who has it.
        #[arg(long = "for", value_name = "PRINCIPAL", required_unless_present = "all")]
        principal: Option<String>,

        /// Take the roles of all principals back.
        #[arg(long)]
        all: bool,
    },
    /// Take everything back, from every service and every principal.
    All,
}

#[derive(Debug, Args)]
struct WhichArgs {
    /// Revoke what this principal was granted.
    #[arg(long = "for", value_name = "PRINCIPAL")]
    principal: Option<String>,

    /// Revoke everything that the service was granted.
    #[arg(long)]
    all: bool,
}

#[derive(Debug, Serialize)]
struct Revoked {
    /// Each grant in one line.
    revoked: Vec<String>,
    file: PathBuf,
}

pub(crate) fn run(args: RevokeArgs, context: &CommandContext) -> anyhow::Result<()> {
    let places = context.places.detect()?;
    let changed = change_grants(
        &places,
        GrantEvent::Revoke,
        |changed| missing(&changed.before, &changed.after),
        |entries| args.what.take_from(entries),
    )?;
    let revoked = missing(&changed.before, &changed.after);
    if revoked.is_empty() {
        let message = "nothing like it is granted; `hobnob grants` shows what is";
        return Err(Ended::new(hobnob_terminal::ended::Code::Failed, message).into());
    }
    match context.output {
        Output::Json => render::json(&Revoked { revoked, file: places.grants() }),
        Output::People => revoked.iter().try_for_each(|it| render::line(&format!("revoked: {it}"))),
    }
}

impl RevokeWhat {
    fn take_from(self, entries: &mut GrantEntries) {
        match self {
            Self::Files { folder, which } => {
                let folder = folder.map(|it| spellings(&it)).unwrap_or_default();
                entries.files.retain(|row| {
                    !(which.all
                        || folder.contains(&row.folder.path) && row.principal == which.principal)
                });
            }
            Self::Shell { command } => take_command(&command, entries),
            Self::Logs { log, which } => {
                let log = log.unwrap_or_default();
                let folder = spellings(Path::new(&log));
                entries.logs.retain(|row| {
                    let named = match &row.log {
                        GrantedLogEntry::Name(name) => *name == log,
                        GrantedLogEntry::Folder(granted) => folder.contains(&granted.path),
                    };
                    !(which.all || named && row.principal == which.principal)
                });
            }
            Self::Registry { key, view, which } => {
                let key = key.unwrap_or_default();
                let view = view.map(KeyViewName::as_str);
                entries.registry.retain(|row| {
                    let named = row.key.eq_ignore_ascii_case(&key) && row.view.as_deref() == view;
                    !(which.all || named && row.principal == which.principal)
                });
            }
            Self::Agents { agent, which } => {
                let agent = agent.unwrap_or_default();
                entries.agents.retain(|row| {
                    !(which.all || row.agent == agent && row.principal == which.principal)
                });
            }
            Self::Memory { principal, all } => {
                let named = |row: &MemoryRoleEntry| principal.as_ref() == Some(&row.principal);
                entries.memory.retain(|row| !(all || named(row)));
            }
            Self::All => {
                let services = std::mem::take(&mut entries.services);
                *entries = GrantEntries { services, ..GrantEntries::default() };
            }
        }
    }
}

fn take_command(command: &GrantedCommandArgs, entries: &mut GrantEntries) {
    let Some((program, arguments)) = command.words.split_first() else {
        // Whichever shell runs the lines: only a grant of lines has no arguments.
        let is_line = |row: &CommandGrantEntry| row.arguments.is_none();
        entries.shell.retain(|row| !(is_line(row) && row.principal == command.principal));
        return;
    };
    let file = shown_program(program);
    entries.shell.retain(|row| {
        let named = row.name == *program || row.program == file;
        let same = row.arguments.as_deref() == Some(arguments);
        !(named && same && row.principal == command.principal)
    });
}

/// The spellings under which the path may have been granted: resolved, and as typed.
fn spellings(typed: &Path) -> Vec<String> {
    let paths = [typed.canonicalize().ok(), std::path::absolute(typed).ok()];
    paths.into_iter().flatten().filter_map(|path| path.to_str().map(str::to_owned)).collect()
}

/// The grants in `before` that are not in `after`, each in one line. Rows that Hobnob cannot
/// understand, which a damaged file may have, are left out.
fn missing(before: &GrantEntries, after: &GrantEntries) -> Vec<String> {
    let rows = |entries: &GrantEntries| -> Vec<GrantRow> {
        let files = entries.files.iter().cloned().map(GrantRow::File);
        let commands = entries.shell.iter().cloned().map(GrantRow::Command);
        let logs = entries.logs.iter().cloned().map(GrantRow::Log);
        let keys = entries.registry.iter().cloned().map(GrantRow::Key);
        let agents = entries.agents.iter().cloned().map(GrantRow::Agent);
        let roles = entries.memory.iter().cloned().map(GrantRow::MemoryRole);
        files.chain(commands).chain(logs).chain(keys).chain(agents).chain(roles).collect()
    };
    let left = rows(after);
    let gone = rows(before).into_iter().filter(|row| !left.contains(row));
    gone.filter_map(|row| row.text().ok()).collect()
}
