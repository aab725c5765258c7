//! Downloads a file, with limits on its size and on server silence, and goes on where an earlier
//! download of the same file ended.
//!
//! Follows redirects only to `https:` (or loopback) URLs: the file cannot change in transit. A
//! partial file counts only for the server's entity tag that it began with.

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::time::Duration;

use hobnob_disk::{private, replace_file};
use hobnob_web_client::{describe_error, is_loopback, is_private};
use reqwest::header::{CONTENT_RANGE, ETAG, HeaderMap, IF_RANGE, RANGE};
use reqwest::redirect::{Action, Attempt, Policy};
use reqwest::{Client, Response, StatusCode, Url};
use tokio::io::AsyncWriteExt as _;

use super::error::InstallError;
use super::partial_file::PartialFile;
use super::progress::{InstallProgress, InstallStage, ProgressCallback, STEP};
use super::staging::create_file;
use crate::web::client;

/// Maximum size of a package: about twice the largest known one.
const MAX_PACKAGE_BYTES: u64 = 256 << 20;

/// How long the server may send nothing.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum number of redirects per download.
const MAX_REDIRECTS: usize = 5;

/// Downloads this URL to a new file.
pub(super) async fn download(
    url: &Url,
    partial: &PartialFile,
    to: &Path,
    watch: ProgressCallback<'_>,
) -> Result<(), InstallError> {
    let http =
        client(url, Policy::custom(follow)).read_timeout(READ_TIMEOUT).build().map_err(failed)?;
    let (mut response, before) = request(&http, url, partial).await?;
    let total = response.content_length().map(|rest| before + rest);
    if total.is_some_and(|total| MAX_PACKAGE_BYTES < total) {
        return Err(too_large());
    }
    let tag = strong_tag(response.headers());
    // Without a tag there is no telling later whether the rest belongs to the same file.
    let path = if tag.is_some() || 0 < before { &partial.data } else { to };
    let file = match (before, &tag) {
        (0, Some(tag)) => {
            let file = create_file(path)?;
            replace_file(&partial.tag, tag.as_bytes())
                .map_err(InstallError::disk("write", &partial.tag))?;
            file
        }
        (0, None) => create_file(path)?,
        _ => private(OpenOptions::new().append(true))
            .open(path)
            .map_err(InstallError::disk("write", path))?,
    };
    let mut progress = InstallProgress { stage: InstallStage::Downloading, done: before, total };
    watch(progress);
    let mut file = tokio::fs::File::from_std(file);
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        let before = progress.done;
        progress.done += chunk.len() as u64;
        if MAX_PACKAGE_BYTES < progress.done {
            partial.remove()?;
            return Err(too_large());
        }
        file.write_all(&chunk).await.map_err(InstallError::disk("write", path))?;
        if before / STEP < progress.done / STEP {
            // What is on its way to the disk counts for a resumed download, too.
            file.flush().await.map_err(InstallError::disk("write", path))?;
            watch(progress);
        }
    }
    watch(progress);
    file.flush().await.map_err(InstallError::disk("write", path))?;
    drop(file);
    if path != to {
        fs::rename(path, to).map_err(InstallError::disk("create", to))?;
    }
    partial.remove()
}

/// Asks for the file, or for the rest of it, and returns how many bytes are already there.
async fn request(
    http: &Client,
    url: &Url,
    partial: &PartialFile,
) -> Result<(Response, u64), InstallError> {
    if let Some((bytes, tag)) = partial.known() {
        let rest = http.get(url.clone()).header(RANGE, format!("bytes={bytes}-"));
        let response = rest.header(IF_RANGE, tag).send().await.map_err(failed)?;
        let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
        let fits = range.is_some_and(|range| range.starts_with(&format!("bytes {bytes}-")));
        match response.status() {
            StatusCode::PARTIAL_CONTENT if fits => return Ok((response, bytes)),
            StatusCode::OK => return Ok((response, 0)),
            // The partial file is of no use: begin again.
            StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => partial.remove()?,
            status => return Err(refused(status)),
        }
    }
    let response = http.get(url.clone()).send().await.map_err(failed)?;
    match response.status() {
        StatusCode::OK => Ok((response, 0)),
        status => Err(refused(status)),
    }
}

/// The entity tag, if equal tags mean equal bytes.
fn strong_tag(headers: &HeaderMap) -> Option<String> {
    let tag = headers.get(ETAG)?.to_str().ok()?;
    tag.starts_with('"').then(|| tag.to_owned())
}

/// Allows only redirects that are safe in transit, and none from the network to this machine.
fn follow(attempt: Attempt<'_>) -> Action {
    let local = attempt.previous().first().is_some_and(is_loopback);
    let fit = if local { is_private(attempt.url()) } else { attempt.url().scheme() == "https" };
    if fit && attempt.previous().len() <= MAX_REDIRECTS { attempt.follow() } else { attempt.stop() }
}

fn failed(error: reqwest::Error) -> InstallError {
    InstallError::Download(describe_error(error))
}

fn refused(status: StatusCode) -> InstallError {
    InstallError::Download(format!("the server answered with status {}", status.as_u16()).into())
}

fn too_large() -> InstallError {
    InstallError::Download(format!("the package has more than {MAX_PACKAGE_BYTES} bytes").into())
}
