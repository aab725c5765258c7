//! The local socket of a running `hobnob serve`: a Unix socket for MCP, one message per line.
//!
//! This user's commands and other `hobnob serve` processes find it by name, a digest of project and
//! settings; a process that finds a socket without a listener removes it.
//!
//! What must stay true: only the owner may open the folder and the socket.

use crate::hub_announcement::{AnnouncedHub, forget};
use crate::local_clients::LocalClients;
use crate::private_peer::{admit, belongs_to, own_user};
use crate::refusal_audit::AuditedRefusals;
use hobnob_config::{Digest, Places};
use hobnob_mcp_server::{Server, serve_link};
use hobnob_mcp_transport::{LineLimits, link_over};
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::net::{UnixListener, UnixSocket, UnixStream};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

/// The most connections that are served at the same time.
const MAX_CONNECTIONS: usize = 256;

/// The most connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// The pause after a failed `accept`, for example for lack of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Hexadecimal digits of the digest in the name: paths of sockets must be short.
const KEY_DIGITS: usize = 16;

/// A listening socket. Dropping it removes the file.
pub(crate) struct LocalSocket {
    listener: UnixListener,
    path: PathBuf,
    _announced: AnnouncedHub,
}

impl LocalSocket {
    /// Starts to listen. Must be called inside a runtime.
    pub(crate) fn open(places: &Places) -> io::Result<Self> {
        hobnob_disk::make_folder(&places.runtime_dir)?;
        let name = format!("{}-{}.sock", key(places), std::process::id());
        let path = places.runtime_dir.join(name);
        // The name contains this process's id, so the process that left such a file is gone.
        remove(&path);
        // Written before any client can connect.
        let _announced = AnnouncedHub::write(&path)?;
        let socket = UnixSocket::new_stream()?;
        socket.bind(&path)?;
        let socket = Self { listener: socket.listen(BACKLOG)?, path, _announced };
        fs::set_permissions(&socket.path, Permissions::from_mode(0o600))?;
        Ok(socket)
    }

    /// Serves every connection until the server stops.
    pub(crate) async fn serve(
        self,
        server: Server,
        refusals: AuditedRefusals,
        clients: LocalClients,
    ) {
        let user = own_user();
        let connections = TaskTracker::new();
        let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        loop {
            let next = async {
                let place = Arc::clone(&places).acquire_owned().await.ok();
                (place, self.listener.accept().await)
            };
            let (place, accepted) = tokio::select! {
                () = server.stopping() => break,
                next = next => next,
            };
            let stream = match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a local connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            if let Err(refusal) = admit(&stream, user) {
                tracing::warn!("refused a local connection: {refusal}");
                refusals.peer_refused(refusal);
                continue;
            }
            let (server, links) = (server.clone(), connections.clone());
            let client = clients.add();
            connections.spawn(async move {
                serve_connection(&server, stream, &links).await;
                drop((client, place));
            });
        }
        drop(self);
        connections.close();
        connections.wait().await;
    }
}

impl Drop for LocalSocket {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Serves one connection until it ends.
pub async fn serve_connection(server: &Server, stream: UnixStream, tasks: &TaskTracker) {
    let (read, write) = stream.into_split();
    let link = link_over(read, write, LineLimits::default(), tasks);
    serve_link(server, link).await;
}

/// Connections to the `hobnob serve` processes of this project with these settings, newest first.
/// Removes sockets without a listening process.
pub async fn find(places: &Places) -> Vec<UnixStream> {
    let mut found = Vec::new();
    for path in candidates(places) {
        found.extend(connect(&path).await);
    }
    found
}

/// A connection to the process that listens here, if it is running and belongs to this user.
pub(crate) async fn connect(path: &Path) -> Option<UnixStream> {
    match UnixStream::connect(path).await {
        Ok(stream) if belongs_to(&stream, own_user()) => return Some(stream),
        Ok(_) => tracing::warn!(path = %path.display(), "ignoring another user's socket"),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            remove(path);
            forget(path);
        }
        Err(error) => {
            tracing::debug!(%error, path = %path.display(), "cannot connect to a socket")
        }
    }
    None
}

/// The file that a process locks while it decides whether to become the hub.
pub(crate) fn lock_path(places: &Places) -> PathBuf {
    places.runtime_dir.join(format!("{}.lock", key(places)))
}

/// The sockets for this project and these settings, newest first; some may be stale.
pub(crate) fn candidates(places: &Places) -> Vec<PathBuf> {
    let prefix = format!("{}-", key(places));
    let Ok(entries) = fs::read_dir(&places.runtime_dir) else { return Vec::new() };
    let mut paths: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .filter(|entry| {
            let name = entry.file_name();
            name.to_str().is_some_and(|name| name.starts_with(&prefix) && name.ends_with(".sock"))
        })
        .map(|entry| {
            let made = entry.metadata().and_then(|about| about.modified());
            (made.unwrap_or(SystemTime::UNIX_EPOCH), entry.path())
        })
        .collect();
    paths.sort_by(|one, other| other.cmp(one));
    paths.into_iter().map(|(_, path)| path).collect()
}

/// A short digest of everything that decides what is served.
pub(crate) fn key(places: &Places) -> String {
    let Places { home, config_dir, data_dir, state_dir, project, .. } = places;
    let mut text = Vec::new();
    for path in [project, config_dir, data_dir, state_dir, home] {
        text.extend_from_slice(path.as_os_str().as_encoded_bytes());
        text.push(0);
    }
    Digest::of(&text).to_string().chars().take(KEY_DIGITS).collect()
}

pub(crate) fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::debug!(%error, path = %path.display(), "cannot remove a socket");
    }
}
