//! What every system backend offers: the names of its logs, a page, and the entries after a mark.

use hobnob_policy::LogStart;

use crate::logs::control::LogControl;
use crate::logs::entry::{LogEntry, LogPage};
use crate::logs::limits::LogLimits;
use crate::logs::problem::LogError;
use crate::logs::query::EntryFilter;

/// A query of one log of the system.
pub struct SystemQuery<'query> {
    pub(crate) log: &'query str,
    pub(crate) filter: &'query EntryFilter<'query>,
    pub(crate) limit: u32,
    pub(crate) start: &'query LogStart,
}

/// The newest entry that was seen, if there is one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SystemMark(pub(crate) Option<String>);

/// The logs that a system keeps.
pub trait SystemLogs: Send + Sync {
    /// The names of all logs, as the system spells them.
    fn names(&self, control: &LogControl) -> Result<Vec<String>, LogError>;

    /// A page of one log, the newest entries first.
    fn query(
        &self,
        query: &SystemQuery<'_>,
        limits: &LogLimits,
        control: &LogControl,
    ) -> Result<LogPage, LogError>;

    /// The newest entry of a log at this moment.
    fn newest(
        &self,
        log: &str,
        limits: &LogLimits,
        control: &LogControl,
    ) -> Result<SystemMark, LogError>;

    /// The entries after the mark, the oldest first, and the mark after these.
    fn newer(
        &self,
        log: &str,
        mark: &SystemMark,
        limits: &LogLimits,
        control: &LogControl,
    ) -> Result<(Vec<LogEntry>, SystemMark), LogError>;
}
