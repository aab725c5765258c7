//! The memory that the runner of a full sandbox has apart from processes: scratch space and objects
//! of System V IPC. Both outlive the command that fills them.
//!
//! [`sampler`](super::sampler) counts it, and [`command`](super::command) does not use a runner
//! again in which a command has left something.

use crate::sandbox::SCRATCH;
use rustix::fs::statvfs;
use std::fs;
use std::io;

/// Segments of shared memory: a header line, then one line for each.
const SEGMENTS: &str = "/proc/sysvipc/shm";
/// The lists of all objects of System V IPC.
const OBJECTS: [&str; 3] = [SEGMENTS, "/proc/sysvipc/sem", "/proc/sysvipc/msg"];
/// The fields of a segment with the resident bytes and with the bytes in swap.
const MEMORY_FIELDS: [usize; 2] = [14, 15];

/// The state of the space before the first command.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnSpace {
    inodes: u64,
}

impl OwnSpace {
    /// Measures the space of a runner that has just entered its sandbox.
    pub(super) fn measure() -> io::Result<Self> {
        Ok(Self { inodes: inodes_in_use()? })
    }

    /// Whether a command has left a file or an IPC object.
    pub(super) fn has_leftovers(self) -> io::Result<bool> {
        if inodes_in_use()? != self.inodes {
            return Ok(true);
        }
        for list in OBJECTS {
            if 1 < fs::read_to_string(list)?.lines().count() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Bytes of memory that the files and the segments take.
    pub(super) fn bytes(self) -> io::Result<u64> {
        let scratch = statvfs(SCRATCH)?;
        let files = scratch.f_blocks.saturating_sub(scratch.f_bfree) * scratch.f_frsize;
        Ok(files + segment_bytes(&fs::read_to_string(SEGMENTS)?))
    }
}

fn inodes_in_use() -> io::Result<u64> {
    let scratch = statvfs(SCRATCH)?;
    Ok(scratch.f_files.saturating_sub(scratch.f_ffree))
}

fn segment_bytes(list: &str) -> u64 {
    let bytes_of = |line: &str| -> u64 {
        let fields: Vec<_> = line.split_ascii_whitespace().collect();
        let number = |at: &usize| fields.get(*at).and_then(|it| it.parse::<u64>().ok());
        MEMORY_FIELDS.iter().filter_map(number).sum()
    };
    list.lines().skip(1).map(bytes_of).sum()
}

#[cfg(test)]
mod tests {
    use super::segment_bytes;

    #[test]
    fn segments_count_with_what_they_take() {
        let head =
            "key shmid perms size cpid lpid nattch uid gid cuid cgid atime dtime ctime rss swap";
        let line =
            "  0  0  1600  67108864  812  0  0  0  0  0  0  0  0  1763445600  33554432  4096";
        let list = &format!("{head}\n{line}\n");
        assert_eq!(segment_bytes(list), 33_554_432 + 4096);
        assert_eq!(segment_bytes("key shmid\n"), 0);
    }
}
