//! Sends the headers that a command printed with every request to its server, and runs the command
//! again when the server refuses them.
//!
//! `launch` makes one for each connection whose entry has a `headersHelper`. What must stay true: a
//! refused request runs the command at most once, and requests refused together share one run.

use crate::upstream::headers_helper;
use hobnob_mcp_client::{
    AuthorizationFailed, CredentialRefusal, RequestAuthorizer, RequestCredentials,
    RequestToAuthorize,
};
use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_process::child::ChildSpec;
use http::{HeaderMap, HeaderName, HeaderValue};
use parking_lot::{Mutex, MutexGuard};

/// The command, and the headers it printed last.
pub(super) struct PrintedHeaders {
    command: ChildSpec,
    latest: Mutex<LatestHeaders>,
    /// Held while the command runs.
    running: tokio::sync::Mutex<()>,
}

#[derive(Clone)]
struct LatestHeaders {
    headers: HeaderMap,
    version: u64,
}

impl PrintedHeaders {
    /// Runs the command for the first time.
    pub(super) async fn run(command: ChildSpec) -> Result<Self, String> {
        let latest = LatestHeaders { headers: print(&command).await?, version: 0 };
        Ok(Self { command, latest: Mutex::new(latest), running: tokio::sync::Mutex::default() })
    }

    async fn run_again(&self, refusal: &CredentialRefusal) -> Result<(), String> {
        if refusal.status != 401 || 0 < refusal.attempt {
            return Err(format!(
                "the server answers {} to the headers that its `headersHelper` prints",
                refusal.status
            ));
        }
        let _running = self.running.lock().await;
        if refusal.version < self.latest().version {
            // A concurrent request has just refreshed the headers.
            return Ok(());
        }
        let headers = print(&self.command).await?;
        let mut latest = self.latest();
        *latest = LatestHeaders { headers, version: latest.version + 1 };
        Ok(())
    }

    fn latest(&self) -> MutexGuard<'_, LatestHeaders> {
        self.latest.lock()
    }
}

async fn print(command: &ChildSpec) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in headers_helper::run(command).await? {
        // The error quotes nothing of the header: it may be a secret.
        let unusable = || "its `headersHelper` printed a header that cannot be sent".to_owned();
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unusable())?;
        let value = HeaderValue::from_str(&value).map_err(|_| unusable())?;
        headers.insert(name, value);
    }
    Ok(headers)
}

impl RequestAuthorizer for PrintedHeaders {
    fn credentials<'a>(
        &'a self,
        _: RequestToAuthorize<'a>,
    ) -> BoxFuture<'a, Result<RequestCredentials, AuthorizationFailed>> {
        let LatestHeaders { headers, version } = self.latest().clone();
        Box::pin(std::future::ready(Ok(RequestCredentials { headers, version })))
    }

    fn renew(&self, refusal: CredentialRefusal) -> BoxFuture<'_, Result<(), AuthorizationFailed>> {
        Box::pin(async move {
            let again = self.run_again(&refusal).await;
            again.map_err(|why| AuthorizationFailed(why.into()))
        })
    }
}
