//! Processor time and memory of this process, read from `/proc`.

use std::fs;
use std::io;
use std::time::Duration;

/// The processor time of all threads, from `schedstat`: `stat` counts in hundredths of a second.
pub(crate) fn processor_time() -> io::Result<Duration> {
    let mut nanoseconds = 0;
    for thread in fs::read_dir("/proc/self/task")? {
        // A thread may end between being listed and being read.
        let Ok(text) = fs::read_to_string(thread?.path().join("schedstat")) else { continue };
        let ran = text.split_whitespace().next().and_then(|it| it.parse::<u64>().ok());
        nanoseconds += ran.ok_or(io::ErrorKind::InvalidData)?;
    }
    Ok(Duration::from_nanos(nanoseconds))
}

/// The resident memory of this process.
pub(crate) fn resident_kib() -> io::Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    Ok(kib.ok_or(io::ErrorKind::InvalidData)?)
}
