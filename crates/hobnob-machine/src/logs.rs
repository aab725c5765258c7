//! Logs of this machine, in reading order: entries and queries, then lines of text, then files and
//! system programs, then the entry point.
//!
//! The logs of the system are read on Linux, macOS and Windows, files in granted folders on Linux.
//!
//! All calls block, are bounded, and end when their [`LogControl`] is cancelled. The permit says
//! what to read; files are reached through the handles of their granted folder.

mod known_names;

mod control;
mod entry;
mod limits;
mod problem;

mod query;

mod level;
#[cfg(any(target_os = "linux", test))]
mod line;

mod tail;

#[cfg(target_os = "linux")]
mod file;
#[cfg(not(target_os = "linux"))]
mod no_files;
#[cfg(not(target_os = "linux"))]
use no_files as file;

mod system;

mod reader;

pub use control::LogControl;
pub use entry::{FollowEnd, FollowedEntries, ListedLog, LogEntry, LogPage, LogTotal};
pub use known_names::{host_names, people};
pub use limits::{LogLimits, ReadBounds};
pub use problem::LogError;
pub use query::{NoMask, TextMask};
pub use reader::{LogOutcome, LogReader};
pub use system::{
    EventLog, Journal, LogMark, LogProgram, SystemLogs, SystemQuery, UnifiedLog, system_logs,
};
