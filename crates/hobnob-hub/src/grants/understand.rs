//! Parses the rows of the grants file. One invalid row invalidates all.

use hobnob_config::{
    AgentGrantEntry, CommandGrantEntry, FileGrantEntry, GrantEntries, GrantedFolderEntry,
    GrantedLogEntry, KeyGrantEntry, LogGrantEntry, MemoryRoleEntry,
};
use hobnob_policy::{
    AgentGrantSource, CommandGrantSource, FileGrantSource, FolderSource, GrantError, GrantSet,
    GrantSources, HardLinks, KeyGrantSource, LogGrantSource, LogSource, MemoryRoleSource,
};

/// The set of grants in these rows, or the row that is invalid.
pub fn understand(entries: &GrantEntries) -> Result<GrantSet, GrantError> {
    GrantSet::parse(&GrantSources {
        services: entries.services.iter().map(|(k, v)| (k.clone(), v.clone())).collect(),
        files: entries.files.iter().map(file).collect(),
        commands: entries.shell.iter().map(command).collect(),
        logs: entries.logs.iter().map(log).collect(),
        keys: entries.registry.iter().map(key).collect(),
        agents: entries.agents.iter().map(agent).collect(),
        memory_roles: entries.memory.iter().map(memory_role).collect(),
        own_program: std::env::current_exe().ok(),
    })
}

fn folder(entry: &GrantedFolderEntry) -> FolderSource {
    FolderSource {
        path: entry.path.clone().into(),
        access: entry.access.clone(),
        identity: entry.identity.clone(),
        hard_links: match entry.hard_links {
            true => HardLinks::Allowed,
            false => HardLinks::Refused,
        },
    }
}

fn file(entry: &FileGrantEntry) -> FileGrantSource {
    FileGrantSource { folder: folder(&entry.folder), principal: entry.principal.clone() }
}

fn command(entry: &CommandGrantEntry) -> CommandGrantSource {
    CommandGrantSource {
        name: entry.name.clone(),
        program: entry.program.clone().into(),
        arguments: entry.arguments.clone(),
        folders: entry.folders.iter().map(folder).collect(),
        environment: entry.environment.clone(),
        sandbox: entry.sandbox.clone(),
        network: entry.network,
        as_root: entry.as_root,
        principal: entry.principal.clone(),
    }
}

fn log(entry: &LogGrantEntry) -> LogGrantSource {
    let log = match &entry.log {
        GrantedLogEntry::Name(name) => LogSource::Name(name.clone()),
        GrantedLogEntry::Folder(entry) => LogSource::Folder(folder(entry)),
    };
    LogGrantSource { log, principal: entry.principal.clone() }
}

fn key(entry: &KeyGrantEntry) -> KeyGrantSource {
    KeyGrantSource {
        key: entry.key.clone(),
        access: entry.access.clone(),
        view: entry.view.clone(),
        principal: entry.principal.clone(),
    }
}

fn agent(entry: &AgentGrantEntry) -> AgentGrantSource {
    AgentGrantSource {
        agent: entry.agent.clone(),
        program: entry.program.clone().into(),
        folders: entry.folders.iter().map(folder).collect(),
        principal: entry.principal.clone(),
    }
}

fn memory_role(entry: &MemoryRoleEntry) -> MemoryRoleSource {
    MemoryRoleSource { role: entry.role.clone(), principal: entry.principal.clone() }
}
