//! `hobnob grants`: shows the access of each service of the machine, and its grants. `main` runs
//! it, and `status` shows the same.
//!
//! What must stay true: it reads the file itself, so it is right with and without a running hub.

use crate::context::CommandContext;
use clap::Args;
use hobnob_config::{GrantEntries, GrantedFolderEntry, GrantedLogEntry, GrantsFile, Places};
use hobnob_hub::grants::understand;
use hobnob_policy::{GrantSet, MachineService, ServiceAccess};
use hobnob_terminal::render::Output;
use hobnob_terminal::render::{self, Cell, Table, Tone};
use serde::Serialize;

#[derive(Debug, Args)]
pub(crate) struct GrantsArgs {}

/// One service, as `--json` shows it.
#[derive(Debug, Serialize)]
pub(super) struct ServiceGrants {
    name: &'static str,
    /// `disabled`, `read-only` or `read-write`.
    access: &'static str,
    /// Each grant in one line.
    grants: Vec<ShownGrant>,
}

/// One grant in one line, and what is wrong with it.
#[derive(Debug, Serialize)]
struct ShownGrant {
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<&'static str>,
}

/// All services, and why no grant counts if the file cannot be understood.
#[derive(Debug, Serialize)]
pub(super) struct GrantOverview {
    services: Vec<ServiceGrants>,
    /// Each role in the memories that principals share, in one line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memory: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

pub(crate) fn run(_args: GrantsArgs, context: &CommandContext) -> anyhow::Result<()> {
    let overview = overview(&context.places.detect()?);
    match context.output {
        Output::Json => render::json(&overview),
        Output::People => {
            if let Some(problem) = &overview.problem {
                render::warn(problem);
            }
            render::text(&overview.table().to_text())
        }
    }
}

/// Reads the grants as they are now.
pub(super) fn overview(places: &Places) -> GrantOverview {
    let loaded = GrantsFile::new(&places.grants()).load().map_err(|broken| broken.to_string());
    let understood = loaded.and_then(|entries| match understand(&entries) {
        Ok(set) => Ok((entries, set)),
        Err(error) => Err(format!("{}: {error}", places.grants().display())),
    });
    let (entries, set, problem) = match understood {
        Ok((entries, set)) => (entries, set, None),
        Err(problem) => (GrantEntries::default(), GrantSet::nothing(), Some(problem)),
    };
    let services = MachineService::ALL.map(|service| {
        let problems = folder_problems(&entries, service);
        let texts = set.texts(service).into_iter().zip(problems);
        let grants = texts.map(|(text, problem)| ShownGrant { text: text.to_string(), problem });
        let access = set.access(service).as_str();
        ServiceGrants { name: service.as_str(), access, grants: grants.collect() }
    });
    let memory = set.memory_role_texts().iter().map(ToString::to_string).collect();
    GrantOverview { services: services.into(), memory, problem }
}

impl GrantOverview {
    /// The services alone, for the status of everything.
    pub(super) fn services(&self) -> &[ServiceGrants] {
        &self.services
    }

    /// The roles in the memories that principals share, each in one line.
    pub(super) fn memory_roles(&self) -> &[String] {
        &self.memory
    }

    /// Whether nothing was ever enabled or granted, and nothing is wrong.
    pub(super) fn is_untouched(&self) -> bool {
        let off = |it: &ServiceGrants| {
            it.access == ServiceAccess::Disabled.as_str() && it.grants.is_empty()
        };
        self.problem.is_none() && self.memory.is_empty() && self.services.iter().all(off)
    }

    /// One row for each grant; a service without any has one row too.
    pub(super) fn table(&self) -> Table {
        let mut table = Table::new(&["SERVICE", "ACCESS", "GRANTED", "PROBLEM"]);
        for service in &self.services {
            let tone = match service.access == ServiceAccess::Disabled.as_str() {
                true => Tone::Dim,
                false => Tone::Good,
            };
            let start = || [Cell::from(service.name), Cell::toned(tone, service.access)];
            if service.grants.is_empty() {
                table.row(start().into_iter().chain([Cell::from("-"), Cell::from("")]));
            }
            for grant in &service.grants {
                let words = grant.text.strip_prefix(service.name).unwrap_or(&grant.text).trim();
                let problem = Cell::toned(Tone::Warn, grant.problem.unwrap_or_default());
                table.row(start().into_iter().chain([Cell::from(words), problem]));
            }
        }
        for role in &self.memory {
            let words = role.strip_prefix("memory").unwrap_or(role).trim();
            table.row([Cell::from("memory"), Cell::from("-"), Cell::from(words), Cell::from("")]);
        }
        table
    }
}

/// What is wrong with the folders of each row of a service.
fn folder_problems(entries: &GrantEntries, service: MachineService) -> Vec<Option<&'static str>> {
    let first = |folders: &[GrantedFolderEntry]| folders.iter().find_map(folder_problem);
    match service {
        MachineService::Files => {
            entries.files.iter().map(|row| folder_problem(&row.folder)).collect()
        }
        MachineService::Shell => entries.shell.iter().map(|row| first(&row.folders)).collect(),
        MachineService::Logs => {
            let problem = |log: &GrantedLogEntry| match log {
                GrantedLogEntry::Name(_) => None,
                GrantedLogEntry::Folder(folder) => folder_problem(folder),
            };
            entries.logs.iter().map(|row| problem(&row.log)).collect()
        }
        MachineService::Registry => entries.registry.iter().map(|_| None).collect(),
        MachineService::Agents => entries.agents.iter().map(|row| first(&row.folders)).collect(),
    }
}

#[cfg(target_os = "linux")]
fn folder_problem(folder: &GrantedFolderEntry) -> Option<&'static str> {
    use hobnob_machine::files::{FileRefusal, RootIdentity};
    match RootIdentity::of_path(folder.path.as_ref()) {
        Ok(found) if found.to_string() == folder.identity => None,
        Ok(_) => Some("another folder is in its place; grant it again"),
        Err(FileRefusal::Missing) => Some("the folder is gone"),
        Err(_) => Some("the folder cannot be opened"),
    }
}

#[cfg(not(target_os = "linux"))]
fn folder_problem(_folder: &GrantedFolderEntry) -> Option<&'static str> {
    None
}
