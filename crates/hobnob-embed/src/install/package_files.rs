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
    /// Entries of a zip file. Their names are only looked for, never written to.
    Archive {
        path: PathBuf,
        archive: ZipArchive<BufReader<File>>,
        entries: [String; 2],
    },
}

impl PackageFiles {
    /// A folder with both files.
    pub(super) fn folder(package: &Package, folder: &Path) -> Self {
        Self::Files(package.files.each_ref().map(|file| folder.join(file.name)))
    }

    /// The weights under any name, with the vocabulary beside them.
    pub(super) fn beside(package: &Package, weights: &Path) -> Self {
        Self::Files([weights.into(), weights.with_file_name(package.files[1].name)])
    }

    /// A folder that has both files in it, or in one of its folders.
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
                // The type of a link is not that of what it leads to.
                if entry.file_type().is_ok_and(|found| found.is_dir()) {
                    folders.push(entry.path());
                }
            }
        }
        Err(InstallError::Missing { name: weights, place: place.into() })
    }

    /// A zip file that has both files in one of its folders.
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

    /// The path that the file with this number in the package is read from.
    pub(super) fn path(&self, number: usize) -> PathBuf {
        match self {
            Self::Files(paths) => paths[number].clone(),
            Self::Archive { path, .. } => path.clone(),
        }
    }

    /// Opens the file with this number in the package.
    pub(super) fn open(&mut self, number: usize) -> io::Result<Box<dyn Read + '_>> {
        match self {
            Self::Files(paths) => Ok(Box::new(File::open(&paths[number])?)),
            Self::Archive { archive, entries, .. } => {
                Ok(Box::new(archive.by_name(&entries[number])?))
            }
        }
    }
}
