//! Switches a server on or off in its `.mcp.json`, as `hobnob enable` and `hobnob disable` do, for
//! the page.
//!
//! `page` calls it on a thread that may block. What must stay true: one entry of one file changes,
//! the change is in the audit log before it is made, and nothing is approved by it.

use hobnob_config::{
    Backup, Places, ServerName, Servers, Switch, process_environment, servers_in, switch_server,
};
use hobnob_policy::audit::{AuditDecision, AuditLog, AuditOutcome, AuditRecord};
use hobnob_ui::NotDone;
use std::path::PathBuf;

/// Switches the server in the file whose entry is used.
pub(super) fn switch(
    places: &Places,
    audit: Option<&AuditLog>,
    name: &str,
    switch: Switch,
) -> Result<(), NotDone> {
    let failed = |why: String| NotDone::Failed(why);
    let name = ServerName::parse(name).map_err(|_| NotDone::Unknown)?;
    let file = file_in_use(places, &name).map_err(failed)?.ok_or(NotDone::Unknown)?;
    if let Some(audit) = audit {
        let written = audit.decide_and_wait(&change(&name, switch, AuditOutcome::Ok));
        written.map_err(|error| failed(format!("the change cannot be recorded: {error}")))?;
    }
    switch_server(&file, &name, switch, Backup::Skip).map(drop).map_err(|error| {
        if let Some(audit) = audit {
            audit.notice(&change(&name, switch, AuditOutcome::Refused));
        }
        failed(error.to_string())
    })
}

fn change(name: &ServerName, switch: Switch, outcome: AuditOutcome) -> AuditRecord<'_> {
    let method = match switch {
        Switch::On => "servers/enable",
        Switch::Off => "servers/disable",
    };
    AuditRecord {
        server: Some(name.as_str()),
        decision: AuditDecision::agreed_in_settings(),
        outcome,
        ..AuditRecord::event(method)
    }
}

/// The file whose entry is used, or else the first that has one, in the order of precedence. A
/// project's entry that is not approved yields to another one.
pub(super) fn file_in_use(places: &Places, name: &ServerName) -> Result<Option<PathBuf>, String> {
    let files =
        [places.project_mcp_json(), Some(places.own_mcp_json()), Some(places.user_mcp_json())];
    let (mut having, mut broken) = (Vec::new(), None);
    for file in files.into_iter().flatten() {
        match servers_in(&file) {
            Ok(servers) if servers.contains_key(name.as_str()) => having.push(file),
            Ok(_) => {}
            Err(problem) => drop(broken.get_or_insert(problem.to_string())),
        }
    }
    let servers = Servers::load(places, &process_environment);
    let used = servers.get(name.as_str()).map(|server| server.file.clone());
    match (having.iter().find(|file| Some(*file) == used.as_ref()).or(having.first()), broken) {
        (Some(file), _) => Ok(Some(file.clone())),
        // A broken file may contain the server, so "not found" would be a guess.
        (None, Some(problem)) => Err(problem),
        (None, None) => Ok(None),
    }
}
