//! All grants in lines for people: what each service may do, and what is wrong with a row.
//!
//! `hobnob grants`, `hobnob status` and the page show it. What must stay true: it reads the file
//! itself, so it is right with and without a running hub.

use super::understand::understand;
use hobnob_config::{
    Digest, GrantEntries, GrantedFolderEntry, GrantedLogEntry, GrantsFile, Places,
};
use hobnob_policy::{GrantSet, MachineService, ServiceAccess};
use serde::{Serialize, Serializer};

/// One service, as `hobnob grants --json` shows it.
#[derive(Debug, Serialize)]
pub struct ServiceGrants {
    /// The name of the service.
    pub name: &'static str,
    /// `disabled`, `read-only` or `read-write`.
    pub access: &'static str,
    /// Each grant in one line.
    pub grants: Vec<GrantLine>,
}

/// One grant in one line, and what is wrong with it.
#[derive(Debug, Serialize)]
pub struct GrantLine {
    /// The line, such as `files /home/me/p write`.
    pub text: String,
    /// What is wrong with its folders now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<&'static str>,
    /// The digest of the row in the file.
    #[serde(skip)]
    pub digest: Digest,
}

/// All services, and why no grant counts if the file cannot be understood.
#[derive(Debug, Serialize)]
pub struct GrantOverview {
    /// Each service of the machine.
    pub services: Vec<ServiceGrants>,
    /// Each role in the memories that principals share, in one line.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "texts")]
    pub memory: Vec<GrantLine>,
    /// Why nothing is granted, if the file is at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl GrantOverview {
    /// Reads the grants as they are now.
    pub fn read(places: &Places) -> Self {
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
            let digests = row_digests(&entries, Some(service));
            let lines = set.texts(service).into_iter().zip(problems).zip(digests);
            let grants = lines.map(|((text, problem), digest)| GrantLine {
                text: text.to_string(),
                problem,
                digest,
            });
            let access = set.access(service).as_str();
            ServiceGrants { name: service.as_str(), access, grants: grants.collect() }
        });
        let roles = set.memory_role_texts().into_iter().zip(row_digests(&entries, None));
        let line = |text: &str, digest| GrantLine { text: text.to_owned(), problem: None, digest };
        let memory = roles.map(|(text, digest)| line(&text, digest)).collect();
        Self { services: services.into(), memory, problem }
    }

    /// Whether nothing was ever enabled or granted, and nothing is wrong.
    pub fn is_untouched(&self) -> bool {
        let off = |it: &ServiceGrants| {
            it.access == ServiceAccess::Disabled.as_str() && it.grants.is_empty()
        };
        self.problem.is_none() && self.memory.is_empty() && self.services.iter().all(off)
    }
}

/// Removes the rows with this digest.
pub(crate) fn take_grant(entries: &mut GrantEntries, digest: Digest) {
    let services: Vec<_> = MachineService::ALL.into_iter().map(Some).chain([None]).collect();
    for service in services {
        let mut digests = row_digests(entries, service).into_iter();
        let mut stays = || digests.next() != Some(digest);
        match service {
            Some(MachineService::Files) => entries.files.retain(|_| stays()),
            Some(MachineService::Shell) => entries.shell.retain(|_| stays()),
            Some(MachineService::Logs) => entries.logs.retain(|_| stays()),
            Some(MachineService::Registry) => entries.registry.retain(|_| stays()),
            Some(MachineService::Agents) => entries.agents.retain(|_| stays()),
            None => entries.memory.retain(|_| stays()),
        }
    }
}

/// The digest of each row of a service; of the roles in memories without a service.
fn row_digests(entries: &GrantEntries, service: Option<MachineService>) -> Vec<Digest> {
    fn all<T: Serialize>(kind: &str, rows: &[T]) -> Vec<Digest> {
        let text = |row: &T| serde_json::to_string(row).unwrap_or_default();
        rows.iter().map(|row| Digest::of_parts([kind, text(row).as_str()])).collect()
    }
    let kind = service.map_or("memory", MachineService::as_str);
    match service {
        Some(MachineService::Files) => all(kind, &entries.files),
        Some(MachineService::Shell) => all(kind, &entries.shell),
        Some(MachineService::Logs) => all(kind, &entries.logs),
        Some(MachineService::Registry) => all(kind, &entries.registry),
        Some(MachineService::Agents) => all(kind, &entries.agents),
        None => all(kind, &entries.memory),
    }
}

fn texts<S: Serializer>(lines: &[GrantLine], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(lines.iter().map(|line| &line.text))
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
