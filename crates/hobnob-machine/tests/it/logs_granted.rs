//! A granted folder with logs, a reader of it, and queries by permits.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hobnob_machine::files::RootIdentity;
use hobnob_machine::logs::{
    LogControl, LogEntry, LogError, LogLimits, LogOutcome, LogPage, LogReader, NoMask, SystemLogs,
};
use hobnob_policy::{
    CallerPlace, FolderSource, GrantSet, GrantSources, GrantSubject, HardLinks, LogAction,
    LogFilter, LogGrantSource, LogOperation, LogSource, LogStart, LogWish, Permit,
};
use jiff::tz::TimeZone;
use tempfile::TempDir;

pub(crate) const LOCAL: GrantSubject<'static> =
    GrantSubject { principal: None, place: CallerPlace::Local };

/// A granted folder of logs, and a grant of every system log by name.
pub(crate) struct GrantedLogs {
    _above: TempDir,
    pub(crate) folder: PathBuf,
    pub(crate) reader: LogReader,
    pub(crate) grants: GrantSet,
}

impl GrantedLogs {
    pub(crate) fn new() -> Self {
        Self::with(LogLimits { poll: Duration::from_millis(5), ..LogLimits::default() }, None)
    }

    pub(crate) fn with(limits: LogLimits, system: Option<Arc<dyn SystemLogs>>) -> Self {
        let above = tempfile::tempdir().expect("a folder");
        let folder = above.path().canonicalize().expect("it exists").join("logs");
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.with_file_name("secret.log"), "a secret\n").expect("a file");
        let reader = LogReader::with([], system, TimeZone::UTC, limits);
        let grants = grants(&folder);
        Self { _above: above, folder, reader, grants }
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.folder.join(name), text).expect("a file");
    }

    pub(crate) fn permit(&self, log: &str, operation: LogOperation) -> Permit<LogAction> {
        self.grants.permit_log(LOCAL, LogWish { log: log.into(), operation }).expect("granted")
    }

    pub(crate) fn query(
        &self,
        log: &str,
        filter: LogFilter,
        limit: u32,
        start: LogStart,
    ) -> Result<LogPage, LogError> {
        let permit = self.permit(log, LogOperation::Query { filter, limit, start });
        let control = LogControl::default();
        match self.reader.perform(&permit, &NoMask, &control, &mut |_| {})? {
            LogOutcome::Page(page) => Ok(page),
            LogOutcome::Followed(_) => panic!("a page was asked for"),
        }
    }

    pub(crate) fn page(&self, log: &str, limit: u32, offset: u64) -> LogPage {
        let filter = LogFilter::default();
        self.query(log, filter, limit, LogStart::Offset(offset)).expect("a page")
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let permit = self.grants.permit_log_list(LOCAL).expect("granted");
        let logs = self.reader.list(&permit, &LogControl::default()).expect("a list");
        logs.into_iter().map(|log| log.name).collect()
    }
}

fn grants(folder: &Path) -> GrantSet {
    let identity = RootIdentity::of_path(folder).expect("an identity").to_string();
    let folder = FolderSource {
        path: folder.to_owned(),
        access: "read".into(),
        identity,
        hard_links: HardLinks::Refused,
    };
    let row = |log| LogGrantSource { log, principal: None };
    let sources = GrantSources {
        services: vec![("logs".into(), "read-only".into())],
        logs: vec![row(LogSource::Folder(folder)), row(LogSource::Name("*".into()))],
        ..GrantSources::default()
    };
    GrantSet::parse(&sources).expect("grants")
}

pub(crate) fn messages(entries: &[LogEntry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.message.as_str()).collect()
}

/// The n-th entry of a log that tests write, one second after the one before.
pub(crate) fn line(number: u64) -> String {
    let level = ["DEBUG", "INFO", "WARN", "ERROR"][(number % 4) as usize];
    let time = jiff::Timestamp::from_second(1_700_000_000 + number as i64).expect("a time");
    format!("{time} {level} [part{}] entry {number}\n", number % 3)
}
