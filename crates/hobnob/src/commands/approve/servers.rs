//! Servers of the project that nobody has approved as they are written now.

use super::Decision;
use hobnob_config::{Approvals, Digest, Places, ServerKey, ServerName, Servers, Switch};
use serde::Serialize;
use std::path::PathBuf;

/// One server, as a person sees it before deciding.
#[derive(Debug, Serialize)]
pub(super) struct Looked {
    pub(super) name: String,
    pub(super) file: PathBuf,
    /// Exactly what would be started or reached.
    pub(super) lines: Vec<String>,
    pub(super) digest: Digest,
    /// Whether a server of yours has the same name and is used until this is approved.
    pub(super) replaces_yours: bool,
    #[serde(skip)]
    pub(super) key: ServerKey,
    pub(super) decision: Decision,
}

impl Looked {
    pub(super) fn to_text(&self) -> String {
        let mut text = format!("server `{}` of {} would start:\n", self.name, self.file.display());
        for line in &self.lines {
            text.push_str(&format!("    {line}\n"));
        }
        if self.replaces_yours {
            text.push_str("  instead of your own server of this name, which is used until then\n");
        }
        text
    }
}

/// Those that wait, and what is wrong with those that cannot even be shown.
pub(super) fn waiting(
    servers: &Servers,
    places: &Places,
    approvals: &Approvals,
    only: Option<&ServerName>,
) -> (Vec<Looked>, Vec<String>) {
    let (mut waiting, mut problems) = (Vec::new(), Vec::new());
    for counts in servers.iter() {
        // An entry that waits may stand behind the user's own of the same name.
        let server = counts.waiting.as_deref().unwrap_or(counts);
        let wanted = match only {
            Some(name) => server.name == *name,
            None => server.switch == Switch::On,
        };
        if !wanted || server.is_approved(&places.project, approvals) {
            continue;
        }
        match &server.state {
            Ok(spec) => waiting.push(Looked {
                name: server.name.to_string(),
                file: server.file.clone(),
                lines: spec.approval_lines(),
                digest: server.digest,
                replaces_yours: counts.waiting.is_some(),
                key: server.key(),
                decision: Decision::Waiting,
            }),
            Err(problem) => problems.push(problem.to_string()),
        }
    }
    (waiting, problems)
}
