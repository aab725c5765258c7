//! What every system backend offers: the names of its logs, a page, and the entries after a mark.

use hobnob_policy::LogStart;

use crate::logs::entry::{LogEntry, LogPage};
use crate::logs::limits::ReadBounds;
use crate::logs::problem::LogError;
use crate::logs::query::EntryFilter;

/// A query of one log of the system.
pub struct SystemQuery<'query> {
    pub(crate) log: &'query str,
    pub(crate) filter: &'query EntryFilter<'query>,
    pub(crate) limit: u32,
    pub(crate) start: &'query LogStart,
}

/// How far a tail has read one log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogMark {
    pub(crate) log: String,
    /// The newest entry that was seen, as the system marks it, if there is one.
    pub(crate) at: Option<String>,
}

/// The logs that a system keeps.
pub trait SystemLogs: Send + Sync {
    /// The names of all logs, as the system spells them.
    fn names(&self, bounds: ReadBounds<'_>) -> Result<Vec<String>, LogError>;

    /// A page of one log, the newest entries first.
    fn query(&self, query: &SystemQuery<'_>, bounds: ReadBounds<'_>) -> Result<LogPage, LogError>;

    /// A mark at the newest entry of a log at this moment.
    fn newest(&self, log: &str, bounds: ReadBounds<'_>) -> Result<LogMark, LogError>;

    /// The entries after the mark, the oldest first. Moves the mark behind them.
    fn newer(&self, mark: &mut LogMark, bounds: ReadBounds<'_>) -> Result<Vec<LogEntry>, LogError>;
}
