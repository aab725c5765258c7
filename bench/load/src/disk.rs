//! Measures the cost of one durable write here: a small write, followed by `fsync`.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;

/// The size of each write, and the number of writes.
const WRITE_BYTES: usize = 4096;
const WRITES: usize = 100;

/// Appends 4 KiB to a file many times; returns how long each write and `fsync` took.
pub(crate) fn syncs(folder: &Path) -> anyhow::Result<Vec<Duration>> {
    let path = folder.join("fsync");
    let mut file = File::create(&path).with_context(|| format!("no file {}", path.display()))?;
    let mut times = Vec::with_capacity(WRITES);
    for _ in 0..WRITES {
        let begun = Instant::now();
        file.write_all(&[7; WRITE_BYTES])?;
        file.sync_all()?;
        times.push(begun.elapsed());
    }
    fs::remove_file(&path)?;
    Ok(times)
}
