//! Copies or checks the model's files, comparing their sizes and checksums on the way. `command`
//! calls it in a folder that is not in use yet.
//!
//! What must stay true: no file counts as copied before its checksum was verified.

use std::io::{self, Read, Write as _};
use std::path::Path;

use super::error::InstallError;
use super::package_files::PackageFiles;
use super::progress::{InstallProgress, InstallStage, ProgressSender, STEP};
use super::staging::create_file;
use crate::checksum::HashingReader;
use crate::package::PinnedFile;

/// Bytes read at once.
const CHUNK: usize = 64 * 1024;

/// Fails unless all files have the right contents.
pub(super) fn check(
    mut installed: PackageFiles<'_>,
    progress_sender: &ProgressSender,
) -> Result<(), InstallError> {
    let files = installed.files;
    let mut transfer = Transfer::begin(files, InstallStage::Checking, progress_sender)?;
    for (number, file) in files.iter().enumerate() {
        transfer.run(&mut installed, number, file, |_bytes| Ok(()))?;
    }
    Ok(())
}

/// Copies all files to a folder, without the folders in their names, and verifies them.
pub(super) fn copy(
    mut origin: PackageFiles<'_>,
    folder: &Path,
    progress_sender: &ProgressSender,
) -> Result<(), InstallError> {
    let files = origin.files;
    let mut transfer = Transfer::begin(files, InstallStage::Copying, progress_sender)?;
    for (number, file) in files.iter().enumerate() {
        let path = folder.join(file.base_name());
        let mut copied = create_file(&path)?;
        transfer.run(&mut origin, number, file, |bytes| {
            copied.write_all(bytes).map_err(InstallError::disk("write", &path))
        })?;
        copied.sync_all().map_err(InstallError::disk("write", &path))?;
    }
    Ok(())
}

/// The transfer of all files of a package, one after the other.
struct Transfer<'a> {
    progress: InstallProgress,
    progress_sender: &'a ProgressSender,
}

impl<'a> Transfer<'a> {
    fn begin(
        files: &[PinnedFile; 2],
        stage: InstallStage,
        progress_sender: &'a ProgressSender,
    ) -> Result<Self, InstallError> {
        let total = files.iter().map(|file| file.bytes).sum();
        let progress = InstallProgress { stage, done: 0, total: Some(total) };
        progress_sender.send(progress)?;
        Ok(Self { progress, progress_sender })
    }

    /// Streams one file to the sink, and verifies it.
    fn run(
        &mut self,
        origin: &mut PackageFiles<'_>,
        number: usize,
        file: &PinnedFile,
        mut sink: impl FnMut(&[u8]) -> Result<(), InstallError>,
    ) -> Result<(), InstallError> {
        let path = origin.path(number);
        let unreadable = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => InstallError::missing(file.name, &path),
            _ => InstallError::disk("read", &path)(error),
        };
        let opened = origin.open(number).map_err(unreadable)?;
        // Reading one byte more detects a file that is too long.
        let mut from = HashingReader::new(opened.take(file.bytes + 1));
        let mut buffer = vec![0; CHUNK];
        let mut found = 0;
        loop {
            let count = match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(unreadable(error)),
            };
            found += count as u64;
            sink(&buffer[..count])?;
            self.advance(count as u64)?;
        }
        if found != file.bytes {
            return Err(InstallError::Size { name: file.name, expected: file.bytes, found });
        }
        let checksum = from.finish();
        if checksum != file.checksum {
            return Err(InstallError::checksum(file.name, file.checksum, checksum));
        }
        Ok(())
    }

    fn advance(&mut self, bytes: u64) -> Result<(), InstallError> {
        let before = self.progress.done;
        self.progress.done += bytes;
        let complete = self.progress.total == Some(self.progress.done);
        if complete || before / STEP < self.progress.done / STEP {
            self.progress_sender.send(self.progress)?;
        }
        Ok(())
    }
}
