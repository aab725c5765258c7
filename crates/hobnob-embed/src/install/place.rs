//! Where the model goes: claimed by one installation at a time, filled aside, put in place whole.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::error::InstallError;

/// The file that an installation holds locked. The system unlocks it however the process ends.
const LOCK: &str = ".lock";

/// The folder for all that is not finished.
const ASIDE: &str = ".incoming";

/// The claim on a folder of models. Whatever is not put in place is removed with it.
pub(super) struct Claim {
    models: PathBuf,
    aside: PathBuf,
    _lock: File,
}

impl Claim {
    /// Claims the folder, which is made if need be, and clears away what an installation that was
    /// killed has left.
    pub(super) fn new(models: &Path) -> Result<Self, InstallError> {
        create_folder(models)?;
        let path = models.join(LOCK);
        let lock = create_file(&path)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(InstallError::Busy(models.into())),
            Err(TryLockError::Error(error)) => {
                return Err(InstallError::disk("lock", &path)(error));
            }
        }
        let aside = models.join(ASIDE);
        clear(&aside)?;
        let claim = Self { models: models.into(), aside, _lock: lock };
        create_folder(&claim.filled())?;
        Ok(claim)
    }

    /// The folder to fill.
    pub(super) fn filled(&self) -> PathBuf {
        self.aside.join("model")
    }

    /// Where a package may be put until it is unpacked.
    pub(super) fn package(&self) -> PathBuf {
        self.aside.join("package.zip")
    }

    /// Puts the filled folder in place of whatever was there.
    pub(super) fn settle(self, name: &str) -> Result<PathBuf, InstallError> {
        let (filled, folder) = (self.filled(), self.models.join(name));
        sync_folder(&filled)?;
        if folder.exists() {
            let replaced = self.aside.join("replaced");
            fs::rename(&folder, replaced).map_err(InstallError::disk("replace", &folder))?;
        }
        fs::rename(&filled, &folder).map_err(InstallError::disk("create", &folder))?;
        sync_folder(&self.models)?;
        Ok(folder)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Err(error) = clear(&self.aside) {
            tracing::warn!(%error, "an unfinished model is left behind");
        }
    }
}

/// Creates an empty file that only its owner may read.
pub(super) fn create_file(path: &Path) -> Result<File, InstallError> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(InstallError::disk("create", path))
}

/// Creates a folder that only its owner may enter, and those above it.
fn create_folder(path: &Path) -> Result<(), InstallError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(InstallError::disk("create", path))
}

fn clear(path: &Path) -> Result<(), InstallError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(InstallError::disk("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// Makes a power failure leave the old names or the new ones.
fn sync_folder(path: &Path) -> Result<(), InstallError> {
    if cfg!(unix) {
        let folder = File::open(path).and_then(|folder| folder.sync_all());
        folder.map_err(InstallError::disk("write", path))?;
    }
    Ok(())
}
