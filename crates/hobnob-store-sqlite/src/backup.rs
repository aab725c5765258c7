//! Backups of a store in use: a snapshot in one file, checked for damage before it is renamed to
//! its final path.

use super::connection::set_journal;
use super::convert::WorkError;
use super::draft::DraftFile;
use super::files::{SUFFIXES, beside};
use super::inspect;
use super::store::SqliteStore;
use hobnob_store::StoreError;
use hobnob_store::maintenance::{BackupError, BackupProgress, ExistingFile, StoreContents};
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use std::ffi::OsStr;
use std::path::Path;

/// Pages copied between two progress reports.
const PAGES_PER_STEP: i32 = 64;

impl From<WorkError> for BackupError {
    fn from(error: WorkError) -> Self {
        Self::Store(error.into())
    }
}

impl SqliteStore {
    /// Writes a backup while other processes keep reading and writing. It has every write
    /// acknowledged before it began, only its owner can read it, and it is named last.
    pub async fn backup(
        &self,
        to: &Path,
        existing: ExistingFile,
        mut progress: impl FnMut(BackupProgress) + Send + 'static,
    ) -> Result<StoreContents, BackupError> {
        let to = to.to_owned();
        // One read transaction gives one consistent snapshot.
        self.read(move |connection| {
            write(connection, &to, existing, &mut progress).map_err(WorkError::Port)
        })
        .await
    }
}

fn write(
    connection: &Connection,
    to: &Path,
    existing: ExistingFile,
    progress: &mut impl FnMut(BackupProgress),
) -> Result<StoreContents, BackupError> {
    refuse_existing(to, existing)?;
    let io = |source| BackupError::Io { file: to.into(), source };
    let draft = DraftFile::of(to).map_err(io)?;
    copy(connection, &draft, progress)?;
    let contents = finish(&draft)?;
    refuse_existing(to, existing)?;
    draft.publish(to).map_err(io)?;
    Ok(contents)
}

fn refuse_existing(to: &Path, existing: ExistingFile) -> Result<(), BackupError> {
    let there = |file: &Path| file.symlink_metadata().is_ok();
    let name = to.file_name().and_then(OsStr::to_str).unwrap_or_default();
    // A name that belongs to a store, such as its log, is refused, even if no such file exists yet.
    let store = |suffix: &&str| Some(to.with_file_name(name.strip_suffix(suffix)?));
    let is_part = SUFFIXES.iter().filter_map(store).any(|store| there(&store));
    if is_part || SUFFIXES.iter().any(|suffix| there(&beside(to, suffix))) {
        return Err(BackupError::IsStore(to.into()));
    }
    if existing == ExistingFile::Refuse && there(to) {
        return Err(BackupError::Exists(to.into()));
    }
    Ok(())
}

fn copy(
    from: &Connection,
    draft: &DraftFile,
    progress: &mut impl FnMut(BackupProgress),
) -> Result<(), WorkError> {
    // A read transaction begins with its first read.
    from.query_row("SELECT 1 FROM sqlite_schema LIMIT 1", (), |_| Ok(()))?;
    let mut to = Connection::open(draft.path())?;
    // The draft is discarded on any failure before it gets its name, so it needs no journal.
    set_journal(&to, "OFF")?;
    to.pragma_update(None, "synchronous", "OFF")?;
    let backup = Backup::new(from, &mut to)?;
    loop {
        let step = backup.step(PAGES_PER_STEP)?;
        let so_far = backup.progress();
        let count = |pages: i32| u64::try_from(pages).unwrap_or_default();
        let (pages, left) = (count(so_far.pagecount), count(so_far.remaining));
        progress(BackupProgress { copied: pages.saturating_sub(left), pages });
        match step {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            // No other process can have locked either file.
            _ => return Err(StoreError::Busy.into()),
        }
    }
}

fn finish(draft: &DraftFile) -> Result<StoreContents, BackupError> {
    let connection = draft.connect()?;
    draft.settle(&connection)?;
    let problems = inspect::problems(&connection)?;
    if !problems.is_empty() {
        return Err(BackupError::Damaged(problems));
    }
    Ok(inspect::contents(&connection, draft.path())?)
}
