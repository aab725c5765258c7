//! The devices that every command needs, and the check that a file has not been replaced.

use super::spec::FileIdentity;
use rustix::fs::Stat;
use std::io;

/// Programs expect to write to these, and can do no harm with them.
pub(super) const DEVICES: [&str; 5] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// The error for a sandbox whose file was removed or replaced.
pub(super) fn replaced() -> io::Error {
    io::Error::other("a folder is not the one that was granted any more")
}

pub(super) fn identity_of(stat: &Stat) -> FileIdentity {
    FileIdentity { device: stat.st_dev, inode: stat.st_ino }
}
