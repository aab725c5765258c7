//! Logs of this machine, in reading order: entries and queries, then lines of text, then the files and
//! the programs they come from, then the way in.
//!
//! Everything blocks, is bounded, and ends when its [`LogControl`] says so. What is read comes from a
//! permit; files are reached through the handles of their granted folder.

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
