//! Creates folders and files that only their owner may enter or read. Only Unix has such permissions;
//! other systems create them with their usual ones.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a folder and its missing parents; only their owner may enter the new ones.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Creates a file that only its owner may read; fails if the file exists.
pub fn create_private(file: &Path) -> io::Result<File> {
    private(OpenOptions::new().write(true).create_new(true)).open(file)
}

/// Makes the options create files that only their owner may read.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Whether users other than the owner may read or change a file.
#[cfg(unix)]
#[must_use]
pub fn is_open_to_others(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    meta.permissions().mode() & 0o077 != 0
}

/// Other systems keep a user's folders private to that user.
#[cfg(not(unix))]
#[must_use]
pub fn is_open_to_others(_meta: &fs::Metadata) -> bool {
    false
}
