//! Finds the hub of this project, or makes this process the one that becomes it.
//!
//! `serve` asks at its start, and the relay when its hub has ended. What must stay true: of
//! processes that ask at the same time, one becomes the hub and the others find it.

use crate::hub_announcement::HubTerms;
use crate::socket;
use hobnob_config::Places;
use hobnob_disk::{Lock, LockError};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::time::{Instant, timeout};

/// How long another process may take to become the hub before this one continues alone.
const ELECTION_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a hub may take to answer a ping.
const PING_TIMEOUT: Duration = Duration::from_secs(3);

/// A request that every server answers at any time, if only with an error.
const PING: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":\"hobnob:alive\",\"method\":\"ping\"}\n";

/// The process that is the hub.
pub enum Elected {
    /// Another process is the hub; this is a connection to it.
    Other(UnixStream),
    /// This process becomes the hub as soon as it listens.
    Ourselves(HubClaim),
}

/// While this is held, no other process with these settings becomes the hub.
pub struct HubClaim {
    _lock: Option<Lock>,
}

/// Finds out which process is the hub. Must run inside a runtime.
pub async fn find_hub(places: &Places) -> Elected {
    let terms = HubTerms::new(places);
    let deadline = Instant::now() + ELECTION_TIMEOUT;
    loop {
        if let Some(stream) = running(places, &terms).await {
            return Elected::Other(stream);
        }
        match claim(places).await {
            Ok(lock) => {
                // The previous holder of the lock may be the hub now.
                return match running(places, &terms).await {
                    Some(stream) => Elected::Other(stream),
                    None => Elected::Ourselves(HubClaim { _lock: Some(lock) }),
                };
            }
            Err(LockError::Busy(_)) if Instant::now() < deadline => {}
            Err(error) => {
                tracing::debug!(%error, "no other process is waited for");
                return Elected::Ourselves(HubClaim { _lock: None });
            }
        }
    }
}

/// A connection to a running hub that this process may use, if there is one.
pub async fn find_running(places: &Places) -> Option<UnixStream> {
    running(places, &HubTerms::new(places)).await
}

/// A connection to the newest hub that has the same settings and answers a ping.
async fn running(places: &Places, terms: &HubTerms) -> Option<UnixStream> {
    for path in socket::candidates(places) {
        if !terms.fit(&path) {
            tracing::debug!(path = %path.display(), "another version or environment");
            continue;
        }
        let Some(probe) = socket::connect(&path).await else { continue };
        match timeout(PING_TIMEOUT, answers(probe)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => {
                tracing::warn!("a running hobnob serve does not answer, and is not used");
                continue;
            }
        }
        if let Some(stream) = socket::connect(&path).await {
            return Some(stream);
        }
    }
    None
}

async fn answers(mut probe: UnixStream) -> std::io::Result<()> {
    probe.write_all(PING).await?;
    let mut first = [0];
    probe.read_exact(&mut first).await.map(|_| ())
}

async fn claim(places: &Places) -> Result<Lock, LockError> {
    let path = socket::lock_path(places);
    let waited = tokio::task::spawn_blocking(move || Lock::acquire(&path)).await;
    waited.unwrap_or_else(|_| Err(LockError::Busy(socket::lock_path(places))))
}
