//! Reads Hobnob's own files with a limit, and copies them before a change.
//!
//! All other files of this crate read through here; `hobnob-disk` writes.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use hobnob_disk::{FileMode, make_folder, write_atomic};

use crate::problem::Problem;

/// The text of a file without a byte order mark; `None` if there is no such file.
pub(crate) fn read_text(file: &Path, max_bytes: u64) -> Result<Option<String>, Problem> {
    Ok(read_raw_text(file, max_bytes)?.map(|text| match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }))
}

/// The text of a file that says what Hobnob runs and allows. A file that other users can write is
/// refused, as sshd does.
pub(crate) fn read_trusted_text(file: &Path, max_bytes: u64) -> Result<Option<String>, Problem> {
    let text = read_text(file, max_bytes)?;
    match text.is_some() && others_may_write(file) {
        false => Ok(text),
        true => {
            let message = format!(
                "can be written by other users, who could change what Hobnob runs and allows: \
                 `chmod go-w {}`",
                file.display()
            );
            Err(Problem::of_file(file, message))
        }
    }
}

/// Many systems give each user a group of the same number, which may write by default.
#[cfg(unix)]
fn others_may_write(file: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(file).is_ok_and(|it| {
        let is_own_group = it.gid() == it.uid();
        it.mode() & 0o002 != 0 || (it.mode() & 0o020 != 0 && !is_own_group)
    })
}

#[cfg(not(unix))]
fn others_may_write(_file: &Path) -> bool {
    false
}

/// The text of a file with its byte order mark; `None` if there is no such file.
pub(crate) fn read_raw_text(file: &Path, max_bytes: u64) -> Result<Option<String>, Problem> {
    let bytes = match read_bytes(file, max_bytes) {
        Ok(bytes) => bytes,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(Problem::unreadable(file, &error)),
    };
    let text = String::from_utf8(bytes)
        .map_err(|_| Problem::of_file(file, "is not UTF-8 text: save it as UTF-8"))?;
    Ok(Some(text))
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn read_bytes(file: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    // Opening a pipe without a writer would block for ever.
    if !fs::metadata(file)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(file)?.take(max_bytes + 1).read_to_end(&mut bytes)?;
    if max_bytes < bytes.len() as u64 {
        return Err(io::Error::other(format!("it has more than {max_bytes} bytes")));
    }
    Ok(bytes)
}

/// Copies a file to a free name beside it.
pub(crate) fn back_up(file: &Path) -> io::Result<PathBuf> {
    copy_to_free_name(file, file)
}

/// Copies a file to a free name in this folder that says where it comes from:
/// `FOLDER-NAME.bak-<time>`, without a dot in front of the name.
pub(crate) fn back_up_into(folder: &Path, file: &Path) -> io::Result<PathBuf> {
    make_folder(folder)?;
    let from = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    copy_to_free_name(file, &folder.join(format!("{from}-{}", name.trim_start_matches('.'))))
}

fn copy_to_free_name(file: &Path, named_after: &Path) -> io::Result<PathBuf> {
    let bytes = fs::read(file)?;
    let time = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let name = named_after.file_name().unwrap_or_default().to_string_lossy();
    let candidate = |count: usize| match count {
        0 => named_after.with_file_name(format!("{name}.bak-{time}")),
        _ => named_after.with_file_name(format!("{name}.bak-{time}-{count}")),
    };
    let free = (0..1000).map(candidate).find(|it| !it.exists());
    let backup = free.ok_or_else(|| io::Error::other("there are too many backups already"))?;
    write_atomic(&backup, &bytes, FileMode::Private)?;
    Ok(backup)
}
