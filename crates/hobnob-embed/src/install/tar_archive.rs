//! Reads a gzipped tar archive from its beginning to its end, as npm packs it.
//!
//! `package_files` calls it. Names are only compared, never used as paths, and an archive that
//! unpacks to more than a gigabyte is refused.

use std::fs::File;
use std::io::{self, BufReader, Read, Take};
use std::path::Path;

use flate2::read::GzDecoder;

/// The size of a header, and the multiple to which the data of an entry is padded.
const BLOCK: usize = 512;

/// The most that an archive may unpack to.
const MAX_UNPACKED: u64 = 1 << 30;

/// Entries of other types (folders, links) have no data that a model needs.
const REGULAR: [u8; 2] = [b'0', 0];

/// An archive that is being read.
pub(super) struct TarArchive {
    unpacked: Take<GzDecoder<BufReader<File>>>,
    /// Bytes of the current entry and its padding that are not read yet.
    left: u64,
}

/// The header of a file in the archive.
pub(super) struct TarEntry {
    pub(super) name: String,
    pub(super) bytes: u64,
}

impl TarArchive {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let unpacked = GzDecoder::new(BufReader::new(File::open(path)?)).take(MAX_UNPACKED);
        Ok(Self { unpacked, left: 0 })
    }

    /// Skips to the next file; `None` at the end.
    pub(super) fn next_file(&mut self) -> io::Result<Option<TarEntry>> {
        loop {
            let skipped = io::copy(&mut self.unpacked.by_ref().take(self.left), &mut io::sink())?;
            if skipped < self.left {
                return Err(truncated());
            }
            let mut header = [0; BLOCK];
            self.unpacked.read_exact(&mut header)?;
            if header.iter().all(|byte| *byte == 0) {
                return Ok(None);
            }
            let bytes = octal(&header[124..136])?;
            self.left = bytes.checked_next_multiple_of(BLOCK as u64).ok_or_else(truncated)?;
            if REGULAR.contains(&header[156]) {
                let name = match (text(&header[..100]), text(&header[345..500])) {
                    (name, prefix) if prefix.is_empty() => name,
                    (name, prefix) => format!("{prefix}/{name}"),
                };
                return Ok(Some(TarEntry { name, bytes }));
            }
        }
    }

    /// The data of the file that [`Self::next_file`] has just returned.
    pub(super) fn into_data(self, entry: &TarEntry) -> impl Read + use<> {
        self.unpacked.take(entry.bytes)
    }
}

fn truncated() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the archive ends early or is too large")
}

fn text(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    String::from_utf8_lossy(&field[..end]).into_owned()
}

/// A number in octal digits, with spaces or zero bytes around them.
fn octal(field: &[u8]) -> io::Result<u64> {
    let digits = text(field);
    let number = u64::from_str_radix(digits.trim(), 8);
    number.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
