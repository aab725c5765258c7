//! The devices that every command needs, and how a file is told from another one in its
//! place.

use super::spec::FileIdentity;
use rustix::fs::Stat;
use std::io;

/// Programs expect to write to these, and doing so harms nobody.
pub(super) const DEVICES: [&str; 5] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// The error of a sandbox that names a file which is not there any more.
pub(super) fn replaced() -> io::Error {
    io::Error::other("a folder is not the one that was granted any more")
}

pub(super) fn identity_of(stat: &Stat) -> FileIdentity {
    FileIdentity { device: stat.st_dev, inode: stat.st_ino }
}
