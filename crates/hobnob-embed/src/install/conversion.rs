//! Fills the staging folder with the files to install: copies those that have the right form, and
//! converts the others once they are verified.
//!
//! What must stay true: the result has the pinned checksums, and its source had its own.

use std::fs;
use std::io::{BufWriter, Write as _};

use super::error::InstallError;
use super::package_files::PackageFiles;
use super::progress::ProgressSender;
use super::staging::{StagingFolders, create_file, create_folder};
use super::transfer::{check, copy};
use crate::minilm::{FloatWeights, convert};
use crate::package::{LocalModel, ModelKind, WeightsForm};

/// Copies or converts all files of a model.
pub(super) fn fill(
    model: &LocalModel,
    origin: PackageFiles<'_>,
    folders: &StagingFolders,
    progress_sender: &ProgressSender,
) -> Result<(), InstallError> {
    let form = origin.form;
    let [weights, vocabulary] = origin.files;
    let layers = match (form, model.kind) {
        (WeightsForm::Installed, _) | (_, ModelKind::Multilingual) => {
            return copy(origin, &folders.filled, progress_sender);
        }
        (WeightsForm::Safetensors | WeightsForm::Onnx, ModelKind::Bert { layers }) => layers,
    };
    create_folder(&folders.source)?;
    copy(origin, &folders.source, progress_sender)?;

    let path = folders.source.join(weights.base_name());
    let bytes = fs::read(&path).map_err(InstallError::disk("read", &path))?;
    let weights = match form {
        WeightsForm::Onnx => FloatWeights::Onnx(&bytes),
        WeightsForm::Safetensors | WeightsForm::Installed => FloatWeights::Safetensors(&bytes),
    };
    let to = folders.filled.join(model.files[0].name);
    let mut file = BufWriter::new(create_file(&to)?);
    // The file is the pinned one, so only a mistake in the table or a full disk gets here.
    convert(weights, layers, &mut file).map_err(|error| InstallError::Conversion {
        path: path.clone(),
        reason: error.to_string().into(),
    })?;
    file.flush().map_err(InstallError::disk("write", &to))?;
    file.get_ref().sync_all().map_err(InstallError::disk("write", &to))?;

    let from = folders.source.join(vocabulary.base_name());
    let to = folders.filled.join(model.files[1].name);
    fs::rename(&from, &to).map_err(InstallError::disk("create", &to))?;
    let filled = PackageFiles::in_form((WeightsForm::Installed, &model.files), &folders.filled);
    check(filled, progress_sender)
}
