//! Downloads a package into a file, with limits on its size and on silence.
//!
//! Redirects are followed only to where nobody on the way can change the package.

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

/// The largest package: about three times the one that is known.
const LARGEST: u64 = 256 << 20;

/// How long the server may be silent.
const SILENCE: Duration = Duration::from_secs(30);

/// How many redirects one download follows.
const HOPS: usize = 5;

/// Writes what the server has at this URL to a new file.
pub(super) async fn download(
    url: &Url,
    to: &Path,
    watch: ProgressCallback<'_>,
) -> Result<(), InstallError> {
    let http = client(url, Policy::custom(follow)).read_timeout(SILENCE).build().map_err(failed)?;
    let mut response = http.get(url.clone()).send().await.map_err(failed)?;
    if !response.status().is_success() {
        let status = response.status().as_u16();
        return Err(InstallError::Download(
            format!("the server answered with status {status}").into(),
        ));
    }
    let total = response.content_length();
    if total.is_some_and(|total| LARGEST < total) {
        return Err(too_large());
    }
    let mut progress = InstallProgress { stage: InstallStage::Downloading, done: 0, total };
    watch(progress);
    let mut file = tokio::fs::File::from_std(create_file(to)?);
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        let before = progress.done;
        progress.done += chunk.len() as u64;
        if LARGEST < progress.done {
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

/// Only to where nobody on the way can change the package, and never into this machine.
fn follow(attempt: Attempt<'_>) -> Action {
    let local = attempt.previous().first().is_some_and(is_loopback);
    let fit = if local { is_private(attempt.url()) } else { attempt.url().scheme() == "https" };
    if fit && attempt.previous().len() <= HOPS { attempt.follow() } else { attempt.stop() }
}

fn failed(error: reqwest::Error) -> InstallError {
    InstallError::Download(describe_error(error))
}

fn too_large() -> InstallError {
    InstallError::Download(format!("the package has more than {LARGEST} bytes").into())
}
