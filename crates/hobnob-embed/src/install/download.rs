//! Downloads a package to a file, with limits on its size and on server silence.
//!
//! Follows redirects only to `https:` (or loopback) URLs: the package cannot change in transit.

use std::path::Path;
use std::time::Duration;

use hobnob_web_client::{describe_error, is_loopback, is_private};
use reqwest::Url;
use reqwest::redirect::{Action, Attempt, Policy};
use tokio::io::AsyncWriteExt as _;

use super::error::InstallError;
use super::progress::{InstallProgress, InstallStage, ProgressCallback, STEP};
use super::staging::create_file;
use crate::web::client;

/// Maximum size of a package: about three times the known one.
const MAX_PACKAGE_BYTES: u64 = 256 << 20;

/// How long the server may send nothing.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum number of redirects per download.
const MAX_REDIRECTS: usize = 5;

/// Downloads this URL to a new file.
pub(super) async fn download(
    url: &Url,
    to: &Path,
    watch: ProgressCallback<'_>,
) -> Result<(), InstallError> {
    let http =
        client(url, Policy::custom(follow)).read_timeout(READ_TIMEOUT).build().map_err(failed)?;
    let mut response = http.get(url.clone()).send().await.map_err(failed)?;
    if !response.status().is_success() {
        let status = response.status().as_u16();
        return Err(InstallError::Download(
            format!("the server answered with status {status}").into(),
        ));
    }
    let total = response.content_length();
    if total.is_some_and(|total| MAX_PACKAGE_BYTES < total) {
        return Err(too_large());
    }
    let mut progress = InstallProgress { stage: InstallStage::Downloading, done: 0, total };
    watch(progress);
    let mut file = tokio::fs::File::from_std(create_file(to)?);
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        let before = progress.done;
        progress.done += chunk.len() as u64;
        if MAX_PACKAGE_BYTES < progress.done {
            return Err(too_large());
        }
        file.write_all(&chunk).await.map_err(InstallError::disk("write", to))?;
        if before / STEP < progress.done / STEP {
            watch(progress);
        }
    }
    watch(progress);
    file.flush().await.map_err(InstallError::disk("write", to))
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

fn too_large() -> InstallError {
    InstallError::Download(format!("the package has more than {MAX_PACKAGE_BYTES} bytes").into())
}
