//! Reads the model's files one by one, from a folder or from a zip archive.
//!
//! `command` opens it, `transfer` copies from it. Names in an archive are only compared, never used
//! as paths.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use hobnob_web_client::one_line;
use zip::ZipArchive;
use zip::result::ZipError;

use super::error::InstallError;
use crate::package::Package;

/// The files of a package, in the package's order.
pub(super) enum PackageFiles {
    Files([PathBuf; 2]),
    /// Entries of a zip file. Their names are only compared, never used as paths.
    Archive {
        path: PathBuf,
        archive: ZipArchive<BufReader<File>>,
        entries: [String; 2],
    },
}

impl PackageFiles {
    /// Reads both files from this folder.
    pub(super) fn folder(package: &Package, folder: &Path) -> Self {
        Self::Files(package.files.each_ref().map(|file| folder.join(file.name)))
    }

    /// Reads the weights from any path, and the vocabulary next to them.
    pub(super) fn beside(package: &Package, weights: &Path) -> Self {
        Self::Files([weights.into(), weights.with_file_name(package.files[1].name)])
    }

    /// Finds both files in this folder or in one of its subfolders.
    pub(super) fn below(
        package: &Package,
        folder: &Path,
        place: &str,
    ) -> Result<Self, InstallError> {
        let [weights, vocabulary] = package.files.each_ref().map(|file| file.name);
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            if folder.join(weights).is_file() && folder.join(vocabulary).is_file() {
                return Ok(Self::folder(package, &folder));
            }
            let entries = fs::read_dir(&folder).map_err(InstallError::disk("read", &folder))?;
            for entry in entries {
                let entry = entry.map_err(InstallError::disk("read", &folder))?;
                // A symbolic link has a type of its own, so links are not followed.
                if entry.file_type().is_ok_and(|found| found.is_dir()) {
                    folders.push(entry.path());
                }
            }
        }
        Err(InstallError::Missing { name: weights, place: place.into() })
    }

    /// Finds both files in one folder of a zip archive.
    pub(super) fn archive(
        package: &Package,
        path: &Path,
        place: &str,
    ) -> Result<Self, InstallError> {
        let file = File::open(path).map_err(InstallError::disk("read", path))?;
        let bad = |error: ZipError| InstallError::Archive {
            place: place.into(),
            reason: one_line(&error.to_string()),
        };
        let archive = ZipArchive::new(BufReader::new(file)).map_err(bad)?;
        let names: Vec<_> = archive.file_names().collect::<Result<_, _>>().map_err(bad)?;
        let [weights, vocabulary] = package.files.each_ref().map(|file| file.name);
        let missing = |name| InstallError::Missing { name, place: place.into() };
        let folder = |name: &str| {
            let folder = name.strip_suffix(weights)?;
            (folder.is_empty() || folder.ends_with('/')).then(|| folder.to_owned())
        };
        let folder = names.iter().find_map(|name| folder(name)).ok_or_else(|| missing(weights))?;
        let entries = [weights, vocabulary].map(|name| format!("{folder}{name}"));
        if !names.iter().any(|name| **name == entries[1]) {
            return Err(missing(vocabulary));
        }
        drop(names);
        Ok(Self::Archive { path: path.into(), archive, entries })
    }

    /// The path that the file of this index in the package is read from.
    pub(super) fn path(&self, number: usize) -> PathBuf {
        match self {
            Self::Files(paths) => paths[number].clone(),
            Self::Archive { path, .. } => path.clone(),
        }
    }

    /// Opens the file of this index in the package.
    pub(super) fn open(&mut self, number: usize) -> io::Result<Box<dyn Read + '_>> {
        match self {
            Self::Files(paths) => Ok(Box::new(File::open(&paths[number])?)),
            Self::Archive { archive, entries, .. } => {
                Ok(Box::new(archive.by_name(&entries[number])?))
            }
        }
    }
}
