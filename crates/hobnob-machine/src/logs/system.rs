//! Logs that the system keeps, read through its own programs, by argv and never through a shell.
//!
//! All readers compile everywhere, so that their tests run everywhere; `detect` chooses the one of
//! this system.

mod lines;
mod program;
mod utf16;

mod backend;
mod page;

mod xml;

mod event_log;
mod journal;
mod unified_log;

mod detect;

pub use backend::{LogMark, SystemLogs, SystemQuery};
pub use detect::system_logs;
pub use event_log::EventLog;
pub use journal::Journal;
pub use program::LogProgram;
pub use unified_log::UnifiedLog;
