//! Finds the files of a model in a folder, a zip or tar archive, and opens them one by one.
//!
//! `command` opens it, `transfer` copies from it. Names in an archive are only compared, never used
//! as paths.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use hobnob_web_client::one_line;
use zip::ZipArchive;

use super::error::InstallError;
use super::tar_archive::TarArchive;
use crate::package::{LocalModel, PinnedFile, WeightsForm};

/// The files of a model in one of the forms that it is published in.
pub(super) struct PackageFiles<'a> {
    pub(super) form: WeightsForm,
    pub(super) files: &'a [PinnedFile; 2],
    place: FilesPlace,
}

enum FilesPlace {
    Files([PathBuf; 2]),
    /// Entries of a zip file.
    Zip {
        path: PathBuf,
        archive: ZipArchive<BufReader<File>>,
        entries: [String; 2],
    },
    /// Entries of a gzipped tar file.
    Tar {
        path: PathBuf,
        entries: [String; 2],
    },
}

/// The name of a file below a folder or in an archive, and its size.
type ListedFile = (String, u64);

impl<'a> PackageFiles<'a> {
    /// The files directly below a folder, in this form.
    pub(super) fn in_form(
        (form, files): (WeightsForm, &'a [PinnedFile; 2]),
        folder: &Path,
    ) -> Self {
        let paths = files.each_ref().map(|file| folder.join(file.name));
        Self { form, files, place: FilesPlace::Files(paths) }
    }

    /// The files of this form in a folder, without the folders in their names.
    pub(super) fn downloaded(
        (form, files): (WeightsForm, &'a [PinnedFile; 2]),
        folder: &Path,
    ) -> Self {
        let paths = files.each_ref().map(|file| folder.join(file.base_name()));
        Self { form, files, place: FilesPlace::Files(paths) }
    }

    /// Finds both files in this folder.
    pub(super) fn folder(model: &'a LocalModel, folder: &Path) -> Result<Self, InstallError> {
        let names = forms(model).flat_map(|(_, files)| files.each_ref().map(|file| file.name));
        let bytes = |name: &str| Some(folder.join(name).metadata().ok()?.len());
        let listed: Vec<_> =
            names.filter_map(|name| Some((name.to_owned(), bytes(name)?))).collect();
        let place = folder.display().to_string();
        let (form, _) = choose(model, &listed, &place)?;
        Ok(Self::in_form(form, folder))
    }

    /// Reads the weights from any path, and the vocabulary from their folder.
    pub(super) fn beside(model: &'a LocalModel, weights: &Path) -> Self {
        let bytes = weights.metadata().map_or(0, |found| found.len());
        let extension =
            |files: &[PinnedFile; 2]| Path::new(files[0].name).extension() == weights.extension();
        let known: Vec<_> = forms(model).collect();
        let sized = known.iter().find(|(_, files)| files[0].bytes == bytes);
        let named = || known.iter().find(|(_, files)| extension(files));
        let (form, files) =
            *sized.or_else(named).unwrap_or(&(WeightsForm::Installed, &model.files));
        // The vocabulary of `onnx/model.onnx` is beside the folder `onnx`.
        let levels = Path::new(files[0].name).components().count();
        let usual = weights.ancestors().nth(levels).map(|base| base.join(files[1].name));
        let vocabulary = usual.filter(|path| weights.ends_with(files[0].name) && path.is_file());
        let vocabulary = vocabulary.unwrap_or_else(|| weights.with_file_name(files[1].name));
        Self { form, files, place: FilesPlace::Files([weights.into(), vocabulary]) }
    }

    /// Finds both files in this folder or in one of its subfolders.
    pub(super) fn below(
        model: &'a LocalModel,
        folder: &Path,
        place: &str,
    ) -> Result<Self, InstallError> {
        let mut listed = Vec::new();
        let mut folders = vec![(folder.to_owned(), String::new())];
        while let Some((folder, prefix)) = folders.pop() {
            let entries = fs::read_dir(&folder).map_err(InstallError::disk("read", &folder))?;
            for entry in entries {
                let entry = entry.map_err(InstallError::disk("read", &folder))?;
                let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
                // A symbolic link has a type of its own, so links are not followed.
                match entry.metadata() {
                    Ok(found) if found.is_dir() => folders.push((entry.path(), name + "/")),
                    Ok(found) if found.is_file() => listed.push((name, found.len())),
                    _ => {}
                }
            }
        }
        let (form, base) = choose(model, &listed, place)?;
        Ok(Self::in_form(form, &folder.join(base)))
    }

    /// Finds both files in one folder of a zip or tar archive.
    pub(super) fn archive(
        model: &'a LocalModel,
        path: &Path,
        place: &str,
    ) -> Result<Self, InstallError> {
        let mut first = [0; 2];
        let mut file = File::open(path).map_err(InstallError::disk("read", path))?;
        let gzipped = file.read_exact(&mut first).is_ok() && first == [0x1F, 0x8B];
        let bad = |reason: String| InstallError::Archive {
            place: place.into(),
            reason: one_line(&reason),
        };
        let entries = |files: &[PinnedFile; 2], base: &str| {
            files.each_ref().map(|file| format!("{base}{}", file.name))
        };
        if gzipped {
            let listed = list_tar(path).map_err(|error| bad(error.to_string()))?;
            let ((form, files), base) = choose(model, &listed, place)?;
            let entries = entries(files, &base);
            return Ok(Self { form, files, place: FilesPlace::Tar { path: path.into(), entries } });
        }
        let file = File::open(path).map_err(InstallError::disk("read", path))?;
        let archive = ZipArchive::new(BufReader::new(file));
        let mut archive = archive.map_err(|error| bad(error.to_string()))?;
        let mut listed = Vec::new();
        for number in 0..archive.len() {
            let entry = archive.by_index(number).map_err(|error| bad(error.to_string()))?;
            let name = entry.name().map_err(|error| bad(error.to_string()))?;
            listed.push((name.into_owned(), entry.size()));
        }
        let ((form, files), base) = choose(model, &listed, place)?;
        let entries = entries(files, &base);
        Ok(Self { form, files, place: FilesPlace::Zip { path: path.into(), archive, entries } })
    }

    /// The path that the file of this index is read from.
    pub(super) fn path(&self, number: usize) -> PathBuf {
        match &self.place {
            FilesPlace::Files(paths) => paths[number].clone(),
            FilesPlace::Zip { path, .. } | FilesPlace::Tar { path, .. } => path.clone(),
        }
    }

    /// Opens the file of this index.
    pub(super) fn open(&mut self, number: usize) -> io::Result<Box<dyn Read + '_>> {
        match &mut self.place {
            FilesPlace::Files(paths) => Ok(Box::new(File::open(&paths[number])?)),
            FilesPlace::Zip { archive, entries, .. } => {
                Ok(Box::new(archive.by_name(&entries[number])?))
            }
            FilesPlace::Tar { path, entries } => {
                let mut archive = TarArchive::open(path)?;
                while let Some(entry) = archive.next_file()? {
                    if entry.name == entries[number] {
                        return Ok(Box::new(archive.into_data(&entry)));
                    }
                }
                Err(io::ErrorKind::NotFound.into())
            }
        }
    }
}

fn list_tar(path: &Path) -> io::Result<Vec<ListedFile>> {
    let mut listed = Vec::new();
    let mut archive = TarArchive::open(path)?;
    while let Some(entry) = archive.next_file()? {
        listed.push((entry.name, entry.bytes));
    }
    Ok(listed)
}

/// All forms in which a model can be had, as it is installed first.
fn forms(model: &LocalModel) -> impl Iterator<Item = (WeightsForm, &[PinnedFile; 2])> {
    let published = model.published.iter().map(|it| (it.form, &it.files));
    std::iter::once((WeightsForm::Installed, &model.files)).chain(published)
}

/// The form that is there, preferably with the right sizes, and the folder that has it. An archive
/// may hold several models under the same names.
fn choose<'a>(
    model: &'a LocalModel,
    listed: &[ListedFile],
    place: &str,
) -> Result<((WeightsForm, &'a [PinnedFile; 2]), String), InstallError> {
    let bytes = |name: &str| listed.iter().find(|(found, _)| found == name).map(|found| found.1);
    let mut named = None;
    let mut lacking = None;
    for (form, files) in forms(model) {
        for (name, size) in listed {
            let Some(base) = name.strip_suffix(files[0].name) else { continue };
            if !base.is_empty() && !base.ends_with('/') {
                continue;
            }
            match bytes(&format!("{base}{}", files[1].name)) {
                Some(other) if (*size, other) == (files[0].bytes, files[1].bytes) => {
                    return Ok(((form, files), base.to_owned()));
                }
                Some(_) => named = named.or_else(|| Some(((form, files), base.to_owned()))),
                None => lacking = lacking.or(Some(files[1].name)),
            }
        }
    }
    let weights = model.published.first().map_or(&model.files, |it| &it.files)[0].name;
    let name = lacking.unwrap_or(weights);
    named.ok_or_else(|| InstallError::Missing { name, place: place.into() })
}
