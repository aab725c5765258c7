//! Servers of the project that the owner has not approved in their current form.
//!
//! What must stay true: the lines that a person sees are those of the digest that is approved.

use hobnob_config::{
    Approvals, ConfiguredServer, Digest, Places, ServerKey, ServerName, Servers, Switch,
};
use std::path::PathBuf;

/// One server, as a person sees it before deciding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerToApprove {
    /// The name under which it would be used.
    pub name: ServerName,
    /// The file that has its entry.
    pub file: PathBuf,
    /// Exactly what would be started or reached.
    pub lines: Vec<String>,
    /// The digest of its entry, which is approved.
    pub digest: Digest,
    /// The key of its pins.
    pub key: ServerKey,
    /// Whether the user's own server of the same name is used until this one is approved.
    pub replaces_yours: bool,
}

/// The servers that wait, and the problems of those that cannot be shown.
pub fn servers_to_approve(
    servers: &Servers,
    places: &Places,
    approvals: &Approvals,
    only: Option<&ServerName>,
) -> (Vec<ServerToApprove>, Vec<String>) {
    let (mut waiting, mut problems) = (Vec::new(), Vec::new());
    for counts in servers.iter() {
        // An entry that waits may be overridden by the user's own of the same name.
        let server = counts.waiting.as_deref().unwrap_or(counts);
        let wanted = match only {
            Some(name) => server.name == *name,
            None => server.switch == Switch::On,
        };
        if !wanted || server.is_approved(&places.project, approvals) {
            continue;
        }
        match &server.state {
            Ok(spec) => waiting.push(to_approve(server, spec.approval_lines(), counts)),
            Err(problem) => problems.push(problem.to_string()),
        }
    }
    (waiting, problems)
}

fn to_approve(
    server: &ConfiguredServer,
    lines: Vec<String>,
    counts: &ConfiguredServer,
) -> ServerToApprove {
    ServerToApprove {
        name: server.name.clone(),
        file: server.file.clone(),
        lines,
        digest: server.digest,
        key: server.key(),
        replaces_yours: counts.waiting.is_some(),
    }
}
