//! Logs of this machine, in reading order: entries and queries, then lines of text, then files and
//! system programs, then the entry point.
//!
//! All calls block, are bounded, and end when their [`LogControl`] is cancelled. The permit says
//! what to read; files are reached through the handles of their granted folder.

mod control;
mod entry;
mod limits;
mod problem;

mod query;

mod line;

#[cfg(target_os = "linux")]
mod file;
mod system;

#[cfg(target_os = "linux")]
mod reader;

pub use control::LogControl;
pub use entry::{FollowEnd, FollowedEntries, ListedLog, LogEntry, LogPage, LogTotal};
pub use limits::LogLimits;
pub use problem::LogError;
pub use query::{NoMask, TextMask};
#[cfg(target_os = "linux")]
pub use reader::{LogOutcome, LogReader};
pub use system::{
    EventLog, Journal, LogProgram, SystemLogs, SystemMark, SystemQuery, UnifiedLog, system_logs,
};
