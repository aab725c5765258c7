//! Detects the program that reads the logs of this system.

use std::path::Path;
use std::sync::Arc;

use super::backend::SystemLogs;
use super::event_log::EventLog;
use super::journal::Journal;
use super::program::LogProgram;
use super::unified_log::UnifiedLog;

/// The logs of this system; `None` if it has no known program for them. Only the system's own
/// folders are searched.
pub fn system_logs() -> Option<Arc<dyn SystemLogs>> {
    let there = |path: &'static str| Path::new(path).is_file().then(|| LogProgram::new(path));
    if cfg!(target_os = "macos") {
        return Some(Arc::new(UnifiedLog::new(there("/usr/bin/log")?)));
    }
    if cfg!(windows) {
        let folder = std::env::var_os("SystemRoot")?;
        let file = Path::new(&folder).join("System32").join("wevtutil.exe");
        return file.is_file().then(|| Arc::new(EventLog::new(LogProgram::new(file))) as _);
    }
    let journal = there("/usr/bin/journalctl").or_else(|| there("/bin/journalctl"))?;
    Some(Arc::new(Journal::new(journal)))
}
