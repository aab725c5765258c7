//! The staging folder of an installation: one installation at a time fills it, then renames it into
//! place as a whole.
//!
//! What must stay true: the model's folder is complete or absent, even if the process is killed.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use hobnob_text::hex::HexDigits;
use reqwest::Url;
use ring::digest::{SHA256, digest};

use hobnob_disk::{Lock, LockError, flush_folder, make_folder, private};

use super::error::InstallError;
use super::partial_file::PartialFile;

/// The lock file of an installation. The operating system releases the lock when the process ends.
const LOCK: &str = ".lock";

/// How the names of interrupted downloads begin.
const PARTIAL: &str = ".partial-";

/// The folder for unfinished files.
const STAGING_FOLDER: &str = ".incoming";

/// The lock on a folder of models and its unfinished files. Dropping it removes those files.
pub(super) struct Staging {
    models: PathBuf,
    aside: PathBuf,
    _lock: Lock,
}

/// Folders for the steps of an installation; dropping [`Staging`] removes them.
pub(super) struct StagingFolders {
    /// What will be renamed into place. The others need not exist.
    pub(super) filled: PathBuf,
    /// Verified files that are not in the form to install.
    pub(super) source: PathBuf,
    /// What package clients and downloads write.
    pub(super) client: PathBuf,
}

impl Staging {
    /// Locks the folder, creating it if necessary, and removes the files of a killed installation.
    pub(super) fn new(models: &Path) -> Result<Self, InstallError> {
        create_folder(models)?;
        let lock = Lock::try_acquire(&models.join(LOCK)).map_err(|error| match error {
            LockError::Busy(_) => InstallError::Busy(models.into()),
            LockError::Io(path, error) => InstallError::disk("lock", &path)(error),
        })?;
        let aside = models.join(STAGING_FOLDER);
        clear(&aside)?;
        let staging = Self { models: models.into(), aside, _lock: lock };
        create_folder(&staging.folders().filled)?;
        Ok(staging)
    }

    /// The path for a package until it is unpacked.
    pub(super) fn package(&self) -> PathBuf {
        self.aside.join("package.zip")
    }

    /// The folders to work in.
    pub(super) fn folders(&self) -> StagingFolders {
        let [filled, source, client] =
            ["model", "source", "client"].map(|name| self.aside.join(name));
        StagingFolders { filled, source, client }
    }

    /// Where an interrupted download of this URL is kept for the next installation.
    pub(super) fn partial(&self, url: &Url) -> PartialFile {
        let key = HexDigits(digest(&SHA256, url.as_str().as_bytes()).as_ref()).to_string();
        let name = format!("{PARTIAL}{}", &key[..16]);
        PartialFile { data: self.models.join(&name), tag: self.models.join(format!("{name}.etag")) }
    }

    /// Renames the filled folder into place, replacing an older one.
    pub(super) fn commit(self, name: &str) -> Result<PathBuf, InstallError> {
        let (filled, folder) = (self.folders().filled, self.models.join(name));
        sync_folder(&filled)?;
        if folder.exists() {
            let replaced = self.aside.join("replaced");
            fs::rename(&folder, replaced).map_err(InstallError::disk("replace", &folder))?;
        }
        fs::rename(&filled, &folder).map_err(InstallError::disk("create", &folder))?;
        sync_folder(&self.models)?;
        self.remove_partial_files();
        Ok(folder)
    }

    /// Removes what downloads from other places have left; a failure costs only space.
    fn remove_partial_files(&self) {
        for entry in fs::read_dir(&self.models).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(PARTIAL) {
                drop(fs::remove_file(entry.path()));
            }
        }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let Err(error) = clear(&self.aside) {
            tracing::warn!(%error, "an unfinished model is left behind");
        }
    }
}

/// Creates an empty file that only its owner may read.
pub(super) fn create_file(path: &Path) -> Result<File, InstallError> {
    let mut options = OpenOptions::new();
    private(options.write(true).create(true).truncate(true))
        .open(path)
        .map_err(InstallError::disk("create", path))
}

/// Creates a folder that only its owner may enter, and its parents.
pub(super) fn create_folder(path: &Path) -> Result<(), InstallError> {
    make_folder(path).map_err(InstallError::disk("create", path))
}

fn clear(path: &Path) -> Result<(), InstallError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(InstallError::disk("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// Syncs a folder, so that a power failure leaves either the old names or the new ones.
fn sync_folder(path: &Path) -> Result<(), InstallError> {
    flush_folder(path).map_err(InstallError::disk("write", path))
}
