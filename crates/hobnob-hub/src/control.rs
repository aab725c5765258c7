//! The second private socket of a running `hobnob serve`: what a person may ask of it that no client
//! may. One line with a request, one line with the answer.
//!
//! `serve` opens it, `hobnob restart` asks through it. What must stay true: only the owner may open
//! it, and a request is read within bounds of size and time.

use crate::private_peer::{admit, belongs_to, own_user};
use crate::refusal_audit::AuditedRefusals;
use crate::socket::{key, remove};
use anyhow::Context as _;
use hobnob_config::Places;
use hobnob_gateway::{Gateway, RestartError};
use hobnob_mcp_engine::Principal;
use hobnob_mcp_server::Server;
use serde::{Deserialize, Serialize};
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;

/// Requests that are answered at the same time.
const MAX_REQUESTS: usize = 16;

/// The longest request, or answer, in bytes.
const MAX_LINE: u64 = 16 * 1024;

/// How long a request may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(5);

/// What a person asks of a running hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ControlRequest {
    /// End this server and start it again.
    Restart {
        /// Its name in the configuration.
        server: String,
        /// Whose login has changed, if it is not that of whoever runs the hub.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        principal: Option<String>,
    },
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ControlAnswer {
    /// The server runs again.
    Done,
    /// There is no such server in the hub's configuration.
    Unknown(String),
    /// It was tried and did not work.
    Failed(String),
}

/// A listening socket. Dropping it removes the file.
pub(crate) struct ControlSocket {
    listener: UnixListener,
    path: PathBuf,
}

impl ControlSocket {
    /// Starts to listen. Must be called inside a runtime.
    pub(crate) fn open(places: &Places) -> io::Result<Self> {
        hobnob_disk::make_folder(&places.runtime_dir)?;
        let name = format!("{}-{}.control", key(places), std::process::id());
        let path = places.runtime_dir.join(name);
        // The name contains our process id, so whoever left this file behind is gone.
        remove(&path);
        let socket = Self { listener: UnixListener::bind(&path)?, path };
        fs::set_permissions(&socket.path, Permissions::from_mode(0o600))?;
        Ok(socket)
    }

    /// Answers requests until the server stops.
    pub(crate) async fn serve(
        self,
        gateway: Arc<Gateway>,
        server: Server,
        refusals: AuditedRefusals,
    ) {
        let (ours, mut open) = (own_user(), JoinSet::new());
        loop {
            let accepted = tokio::select! {
                () = server.stopping() => break,
                Some(_) = open.join_next() => continue,
                accepted = self.listener.accept(), if open.len() < MAX_REQUESTS => accepted,
            };
            match accepted {
                Ok((stream, _)) => match admit(&stream, ours) {
                    Ok(()) => drop(open.spawn(answer(stream, Arc::clone(&gateway)))),
                    Err(refusal) => {
                        tracing::warn!("refused a request: {refusal}");
                        refusals.peer_refused(refusal);
                    }
                },
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a request");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
        open.shutdown().await;
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

async fn answer(mut stream: UnixStream, gateway: Arc<Gateway>) {
    let read = tokio::time::timeout(ARRIVAL, line_of(&mut stream)).await;
    let Ok(Ok(line)) = read else { return };
    let answer = match serde_json::from_str(&line) {
        Ok(ControlRequest::Restart { server, principal }) => {
            let principal = principal.as_deref();
            let principal = principal.map_or_else(Principal::anonymous, Principal::named);
            match gateway.restart(&server, &principal).await {
                Ok(()) => ControlAnswer::Done,
                Err(RestartError::Unknown(server)) => ControlAnswer::Unknown(server),
                Err(RestartError::Unavailable(why)) => ControlAnswer::Failed(why),
            }
        }
        Err(_) => ControlAnswer::Failed("this `hobnob serve` does not know the request".into()),
    };
    let text = serde_json::to_string(&answer).unwrap_or_default();
    // Whoever does not wait for the answer does not need it.
    drop(stream.write_all(format!("{text}\n").as_bytes()).await);
}

/// Asks the newest hub of this project and these settings; nothing if there is none.
pub async fn ask(
    places: &Places,
    request: &ControlRequest,
) -> anyhow::Result<Option<ControlAnswer>> {
    let Some(mut stream) = connect(places).await else { return Ok(None) };
    let text = serde_json::to_string(request)?;
    let lost = "the running `hobnob serve` has ended; try again";
    stream.write_all(format!("{text}\n").as_bytes()).await.context(lost)?;
    let line = line_of(&mut stream).await.context(lost)?;
    Ok(Some(serde_json::from_str(&line).context(lost)?))
}

async fn connect(places: &Places) -> Option<UnixStream> {
    let (head, ours) = (format!("{}-", key(places)), own_user());
    let mut paths: Vec<_> = fs::read_dir(&places.runtime_dir).ok()?.flatten().collect();
    paths.retain(|entry| {
        let name = entry.file_name();
        name.to_str().is_some_and(|name| name.starts_with(&head) && name.ends_with(".control"))
    });
    paths.sort_by_key(|entry| entry.metadata().and_then(|about| about.modified()).ok());
    for entry in paths.iter().rev() {
        match UnixStream::connect(entry.path()).await {
            Ok(stream) if belongs_to(&stream, ours) => return Some(stream),
            Ok(_) => tracing::warn!("ignoring another user's socket"),
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => remove(&entry.path()),
            Err(error) => tracing::debug!(%error, "cannot connect to a socket"),
        }
    }
    None
}

async fn line_of(stream: &mut UnixStream) -> io::Result<String> {
    let mut line = String::new();
    BufReader::new(stream.take(MAX_LINE)).read_line(&mut line).await?;
    Ok(line)
}
