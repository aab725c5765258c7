//! One open file of a log: its metadata, and its bytes from the start, decompressed if needed.

use std::fs::File;
use std::io::{self, BufReader, Read};

use flate2::read::MultiGzDecoder;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::rotation::PartForm;
use super::section::FileSection;
use crate::files::OpenFile;
use crate::logs::line::LineClock;

/// Bytes of a compressed file that are read at once.
const COMPRESSED_BLOCK: usize = 64 << 10;

/// One file of a log as it was when it was opened.
pub(crate) struct OpenPart {
    pub(crate) file: File,
    pub(crate) id: PartId,
    pub(crate) size: u64,
    pub(crate) form: PartForm,
    pub(crate) clock: LineClock,
}

/// The identity of the file, which a rotation does not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PartId {
    pub(crate) device: u64,
    pub(crate) inode: u64,
}

impl OpenPart {
    pub(crate) fn new(open: OpenFile, form: PartForm, zone: &TimeZone) -> Self {
        let stat = &open.stat;
        let id = PartId { device: stat.st_dev, inode: stat.st_ino };
        let modified = Timestamp::from_second(stat.st_mtime).unwrap_or(Timestamp::UNIX_EPOCH);
        let clock = LineClock { zone: zone.clone(), modified };
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        Self { file: open.file, id, size, form, clock }
    }

    /// The text of a compressed part from its beginning, at most `limit` bytes.
    pub(crate) fn decompressed(&self, limit: u64) -> impl Read {
        let section = FileSection::new(&self.file, 0, self.size);
        let reader = BufReader::with_capacity(COMPRESSED_BLOCK, section);
        UntilDamage(MultiGzDecoder::new(reader)).take(limit)
    }
}

/// Ends where a compressed file is damaged or cut off: the bytes before that point count.
struct UntilDamage<R>(R);

impl<R: Read> Read for UntilDamage<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer) {
            Err(error) if is_damage(&error) => Ok(0),
            other => other,
        }
    }
}

fn is_damage(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidInput | InvalidData | UnexpectedEof)
}
