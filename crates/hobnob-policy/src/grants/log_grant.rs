//! Grants of logs by name and by folder, and the decision about one query.
//!
//! A log's name can mean a log of the system and a file in a granted folder; the permit carries all
//! of these meanings, and the effect uses the log that exists.

use std::sync::Arc;

use crate::glob::Glob;
use crate::grants::access::{MachineService, ServiceAccess};
use crate::grants::action::{LogAction, LogListing};
use crate::grants::denied::{NotGranted, NotGrantedReason, for_option, shell_word};
use crate::grants::file_root::{FileRoot, GrantedPath, RootAccess};
use crate::grants::granted::GrantedAction;
use crate::grants::log_query::LogOperation;
use crate::grants::path_input::PathInput;
use crate::grants::relative_path::RelativePath;
use crate::grants::service_gate::{needs_enabling, refuse_remote};
use crate::grants::source::{LogGrantSource, LogSource};
use crate::grants::subject::{GrantHolder, GrantSubject};

/// Longest name of a log, in bytes.
const MAX_NAME_BYTES: usize = 1024;

/// A query of a log that a caller asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogWish {
    /// The name of a log of the system, or of a file in a granted folder.
    pub log: String,
    /// The query of that log.
    pub operation: LogOperation,
}

/// Logs that the service `logs` may read.
#[derive(Debug, Clone)]
pub(super) struct LogGrant {
    logs: GrantedLogs,
    holder: GrantHolder,
    text: Arc<str>,
}

#[derive(Debug, Clone)]
enum GrantedLogs {
    Named(Glob),
    Folder(Arc<FileRoot>),
}

impl LogGrant {
    pub(super) fn parse(source: &LogGrantSource) -> Result<Self, String> {
        let holder = GrantHolder::parse(source.principal.as_deref())?;
        let (logs, shown) = match &source.log {
            LogSource::Name(name) => {
                let glob = Glob::for_name(name).map_err(|problem| problem.to_string())?;
                (GrantedLogs::Named(glob), name.clone())
            }
            LogSource::Folder(folder) => {
                let root = FileRoot::parse(folder)?;
                let shown = root.path().display().to_string();
                (GrantedLogs::Folder(Arc::new(root)), shown)
            }
        };
        let text = format!("logs {shown}{}", holder.suffix()).into();
        Ok(Self { logs, holder, text })
    }

    pub(super) fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The place of a file of this name in the folder of this grant. A name that is no absolute
    /// path is looked up in the folder itself.
    fn file(&self, name: &str) -> Option<GrantedPath> {
        let GrantedLogs::Folder(root) = &self.logs else { return None };
        let below = match PathInput::parse(name).ok()? {
            PathInput::Absolute(path) => root.below(&path)?,
            PathInput::InFolder { .. } => RelativePath::parse(name).ok()?,
        };
        (!below.is_root()).then(|| GrantedPath::new(root, below))
    }

    /// A text that a program could take for an option or a path is not the name of a log.
    fn names(&self, log: &str) -> bool {
        !log.starts_with(['-', '/'])
            && matches!(&self.logs, GrantedLogs::Named(glob) if glob.matches(log))
    }
}

/// Decides about one query.
pub(super) fn decide(
    grants: &[LogGrant],
    access: ServiceAccess,
    who: GrantSubject<'_>,
    wish: LogWish,
) -> Result<GrantedAction<LogAction>, NotGranted> {
    let log = wish.log.as_str();
    refuse_remote(who, log)?;
    if log.is_empty() || MAX_NAME_BYTES < log.len() || log.contains(|it: char| it.is_control()) {
        return Err(NotGranted::bad_input(log, "it is not the name of a log"));
    }
    let applying: Vec<&LogGrant> = grants.iter().filter(|it| it.holder.includes(who)).collect();
    let named = applying.iter().find(|it| it.names(log));
    let files: Vec<GrantedPath> = applying.iter().filter_map(|it| it.file(log)).collect();
    let grant = named.or_else(|| applying.iter().find(|it| it.file(log).is_some()));
    let enable = needs_enabling(MachineService::Logs, access, RootAccess::Read);
    if let (Some(grant), None) = (grant, &enable) {
        let system = named.map(|_| log.into());
        let action = LogAction { system, files, operation: wish.operation };
        return Ok(GrantedAction::new(action, &grant.text));
    }
    let mut denied = match enable {
        Some((reason, line)) => NotGranted::new(log, reason).with_command(line),
        None => NotGranted::new(log, NotGrantedReason::NotCovered),
    };
    if grant.is_none() {
        denied = denied.with_command(line_for(log, who));
    }
    Err(denied)
}

/// Decides about the list of all logs that are granted to a caller.
pub(super) fn decide_listing(
    grants: &[LogGrant],
    access: ServiceAccess,
    who: GrantSubject<'_>,
) -> Result<GrantedAction<LogListing>, NotGranted> {
    const INPUT: &str = "the list of logs";
    refuse_remote(who, INPUT)?;
    let enable = needs_enabling(MachineService::Logs, access, RootAccess::Read);
    let mut listing = LogListing { names: Vec::new(), folders: Vec::new() };
    let mut texts: Vec<&str> = Vec::new();
    for grant in grants.iter().filter(|it| it.holder.includes(who)) {
        texts.push(&grant.text);
        match &grant.logs {
            GrantedLogs::Named(glob) => listing.names.push(glob.clone()),
            GrantedLogs::Folder(root) => listing.folders.push(Arc::clone(root)),
        }
    }
    let enabled = enable.is_none();
    let mut denied = match enable {
        Some((reason, line)) => NotGranted::new(INPUT, reason).with_command(line),
        None => NotGranted::new(INPUT, NotGrantedReason::NotCovered),
    };
    if texts.is_empty() {
        denied = denied.with_command(format!("hobnob grant logs LOG{}", for_option(who)));
    } else if enabled {
        return Ok(GrantedAction::new(listing, &texts.join(", ").into()));
    }
    Err(denied)
}

/// The command that grants this log: by its name, escaped as a glob, or by a file's folder.
fn line_for(log: &str, who: GrantSubject<'_>) -> String {
    let log = match PathInput::parse(log) {
        Ok(PathInput::Absolute(path)) => path.parent().and_then(|folder| folder.to_absolute()),
        Ok(PathInput::InFolder { .. }) | Err(_) => Some(Glob::escape(log)),
    };
    let word = log.and_then(|log| shell_word(&log)).filter(|word| !word.starts_with('-'));
    format!("hobnob grant logs {}{}", word.unwrap_or_else(|| "LOG".into()), for_option(who))
}
