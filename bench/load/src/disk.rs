//! What one durable write costs here at least: a small file, written and synchronised.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;

/// How much is written each time, and how often.
const BYTES: usize = 4096;
const TIMES: usize = 100;

/// How long each of many takes to get 4 KiB more of a file onto the disk.
pub(crate) fn syncs(folder: &Path) -> anyhow::Result<Vec<Duration>> {
    let path = folder.join("fsync");
    let mut file = File::create(&path).with_context(|| format!("no file {}", path.display()))?;
    let mut times = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        let begun = Instant::now();
        file.write_all(&[7; BYTES])?;
        file.sync_all()?;
        times.push(begun.elapsed());
    }
    fs::remove_file(&path)?;
    Ok(times)
}
