//! The file before it is a store: made for its owner only, and refused if it is not ours, newer
//! than us, or damaged. Nothing is written to a file that is refused.

use super::connection::{Use, connect};
use super::migrate::{APPLICATION, NEWEST, application, migrate, version};
use crate::error::{OpenError, StoreError};
use rusqlite::Connection;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

/// What every SQLite file begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Opens the file for writing, makes it if it is not there, and brings it to the newest format.
pub(super) fn open(file: &Path) -> Result<Connection, OpenError> {
    create(file).map_err(|source| OpenError::Io { file: file.into(), source })?;
    check_beginning(file)?;
    let failed = |source| refused(file, source);
    let mut connection = connect(file, Use::Write).map_err(failed)?;
    let found = version(&connection).map_err(failed)?;
    if NEWEST < found {
        return Err(OpenError::Newer { file: file.into(), found, known: NEWEST });
    }
    let whose = application(&connection).map_err(failed)?;
    let empty = found == 0 && is_empty(&connection).map_err(failed)?;
    if whose != APPLICATION && !empty {
        let reason = "it is a database of another program".into();
        return Err(OpenError::Unusable { file: file.into(), reason });
    }
    let journal: String = connection
        .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))
        .map_err(|error| failed(error.into()))?;
    if !journal.eq_ignore_ascii_case("wal") {
        let reason = format!("its file system does not take a write-ahead log ({journal})");
        return Err(OpenError::Unusable { file: file.into(), reason });
    }
    migrate(&mut connection).map_err(failed)?;
    Ok(connection)
}

fn create(file: &Path) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        make_folder(folder)?;
    }
    let mut options = OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(file) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// SQLite takes a file that begins with zeros for an empty one and would write over it.
fn check_beginning(file: &Path) -> Result<(), OpenError> {
    let io = |source| OpenError::Io { file: file.into(), source };
    let mut beginning = Vec::new();
    File::open(file).map_err(io)?.take(16).read_to_end(&mut beginning).map_err(io)?;
    if beginning.is_empty() || beginning == MAGIC {
        return Ok(());
    }
    Err(OpenError::Unusable { file: file.into(), reason: "it is not a database".into() })
}

fn is_empty(connection: &Connection) -> Result<bool, StoreError> {
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
    Ok(tables == 0)
}

fn refused(file: &Path, source: StoreError) -> OpenError {
    match source {
        StoreError::Damaged(reason) => OpenError::Unusable { file: file.into(), reason },
        source => OpenError::Store { file: file.into(), source },
    }
}
