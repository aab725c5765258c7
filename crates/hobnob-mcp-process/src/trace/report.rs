//! The file in which the tracing process reports to the process that asked for it: one record for
//! each use, written when it is first seen.
//!
//! A record is a letter, the bytes of a path or an address, and a NUL, which neither can contain.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// How a file or an address was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TracedUse {
    /// It was opened for reading, run, or listed.
    Read,
    /// Its metadata was asked for.
    Look,
    /// Its contents or metadata were changed.
    Write,
    /// It was created, and did not exist before: its folder was changed.
    Create,
    /// Something in this folder was renamed or removed.
    WriteFolder,
    /// A connection to this internet address was begun.
    Network,
    /// A connection to this Unix socket was made.
    Socket,
}

const LETTERS: [(TracedUse, u8); 7] = [
    (TracedUse::Read, b'r'),
    (TracedUse::Look, b'l'),
    (TracedUse::Write, b'w'),
    (TracedUse::Create, b'c'),
    (TracedUse::WriteFolder, b'f'),
    (TracedUse::Network, b'n'),
    (TracedUse::Socket, b's'),
];

impl TracedUse {
    /// The record of this use, with the final NUL.
    #[cfg(target_os = "linux")]
    pub(super) fn record(self, what: &[u8]) -> Vec<u8> {
        let letter = LETTERS.iter().find(|(use_, _)| *use_ == self).map_or(b'?', |(_, it)| *it);
        [&[letter], what, &[0]].concat()
    }
}

/// All uses that were observed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TraceReport {
    /// Files and folders by their absolute paths, and how each was used.
    pub files: BTreeSet<(PathBuf, TracedUse)>,
    /// Addresses, as text such as `192.0.2.1:443`.
    pub addresses: BTreeSet<String>,
}

impl TraceReport {
    /// Reads all complete records of the file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(file: &Path) -> io::Result<Self> {
        Ok(Self::parse(&std::fs::read(file)?))
    }

    fn parse(bytes: &[u8]) -> Self {
        let mut report = Self::default();
        // The record after the last NUL is incomplete.
        let end = memchr::memrchr(0, bytes).unwrap_or(0);
        for record in bytes.get(..end).unwrap_or_default().split(|byte| *byte == 0) {
            let Some((letter, what)) = record.split_first() else { continue };
            let Some((use_, _)) = LETTERS.iter().find(|(_, it)| it == letter) else { continue };
            match use_ {
                TracedUse::Network => {
                    report.addresses.insert(String::from_utf8_lossy(what).into_owned());
                }
                _ => {
                    report.files.insert((path_of(what), *use_));
                }
            }
        }
        report
    }
}

#[cfg(unix)]
fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_as_far_as_it_is_whole() {
        let records = [
            TracedUse::Read.record(b"/a b"),
            TracedUse::Write.record(b"/a b"),
            TracedUse::Network.record(b"192.0.2.1:443"),
            b"r/half".to_vec(),
        ];
        let report = TraceReport::parse(&records.concat());
        let files = [("/a b", TracedUse::Read), ("/a b", TracedUse::Write)];
        assert_eq!(report.files, files.map(|(path, it)| (PathBuf::from(path), it)).into());
        assert_eq!(report.addresses, ["192.0.2.1:443".to_owned()].into());
        assert_eq!(TraceReport::parse(b""), TraceReport::default());
    }
}
