//! Counts this user's tasks on the whole machine, for a limit that counts them all. Called before a
//! runner starts: inside a namespace the other tasks cannot be seen.

use rustix::process::getuid;
use std::fs;
use std::os::unix::fs::MetadataExt;

/// Processes and their threads; zero if the system does not say.
pub(super) fn user_tasks() -> u64 {
    let own = getuid().as_raw();
    let Ok(processes) = fs::read_dir("/proc") else { return 0 };
    let tasks = processes.filter_map(|entry| {
        let entry = entry.ok()?;
        let name = entry.file_name();
        name.to_str()?.parse::<u32>().ok()?;
        let metadata = entry.metadata().ok()?;
        // The folder has a subfolder per task, and two links of its own.
        let links = fs::metadata(entry.path().join("task")).ok()?.nlink();
        (metadata.uid() == own).then(|| links.saturating_sub(2))
    });
    tasks.sum()
}
