//! Servers of the project that nobody has approved as they are written now.

use super::Decision;
use hobnob_config::{Approvals, Digest, Origin, Places, ServerName, Servers, Switch};
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
    pub(super) decision: Decision,
}

impl Looked {
    pub(super) fn to_text(&self) -> String {
        let mut text = format!("server `{}` of {} would start:\n", self.name, self.file.display());
        for line in &self.lines {
            text.push_str(&format!("    {line}\n"));
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
    for server in servers.iter().filter(|server| server.origin == Origin::Project) {
        let wanted = match only {
            Some(name) => server.name == *name,
            None => server.switch == Switch::On,
        };
        if !wanted || approvals.is_approved(&places.project, &server.name, &server.digest) {
            continue;
        }
        match &server.state {
            Ok(spec) => waiting.push(Looked {
                name: server.name.to_string(),
                file: server.file.clone(),
                lines: spec.approval_lines(),
                digest: server.digest,
                decision: Decision::Waiting,
            }),
            Err(problem) => problems.push(problem.to_string()),
        }
    }
    (waiting, problems)
}
