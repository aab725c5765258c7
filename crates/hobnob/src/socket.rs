//! The private door of a running `hobnob serve`: a Unix socket that speaks MCP in lines.
//!
//! Commands of the same user find it by its name, which says for which project and which settings
//! it stands. The folder is its owner's alone, and so is the socket.

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

/// Connections at once.
const MOST: usize = 64;

/// Connections that may wait until one of those is over.
const BACKLOG: u32 = 1024;

/// How long to wait when no connection can be taken, because descriptors are short for example.
const BREATH: Duration = Duration::from_millis(100);

/// Digits of the digest that a name has: paths of sockets must be short.
const DIGITS: usize = 16;

/// An open door. When it goes, so does the socket.
pub(crate) struct Door {
    listener: UnixListener,
    path: PathBuf,
}

impl Door {
    /// Opens it for a server that shows everything. Must run inside a runtime.
    pub(crate) fn open(places: &Places) -> io::Result<Self> {
        hobnob_config::make_folder(&places.runtime_dir)?;
        let name = format!("{}-{}.sock", key(places), std::process::id());
        let path = places.runtime_dir.join(name);
        // The name has our process in it, so whoever left this behind is gone.
        remove(&path);
        let socket = UnixSocket::new_stream()?;
        socket.bind(&path)?;
        let door = Self { listener: socket.listen(BACKLOG)?, path };
        fs::set_permissions(&door.path, Permissions::from_mode(0o600))?;
        Ok(door)
    }

    /// Answers everybody who comes, until the server stops.
    pub(crate) async fn serve(self, server: Server) {
        let ours = own_user();
        let connections = TaskTracker::new();
        let places = Arc::new(Semaphore::new(MOST));
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
                    tracing::warn!(%error, "a local connection cannot be taken");
                    tokio::time::sleep(BREATH).await;
                    continue;
                }
            };
            if !is_of(&stream, ours) {
                tracing::warn!("a local connection of another user was refused");
                continue;
            }
            let (server, links) = (server.clone(), connections.clone());
            connections.spawn(async move {
                answer(&server, stream, &links).await;
                drop(place);
            });
        }
        drop(self);
        connections.close();
        connections.wait().await;
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Answers one connection until its end.
pub(crate) async fn answer(server: &Server, stream: UnixStream, tasks: &TaskTracker) {
    let (read, write) = stream.into_split();
    let link = link_over(read, write, LineLimits::default(), tasks);
    serve_link(server, link).await;
}

/// Connections to servers that run for this project with these settings, the newest first. What nobody listens to any more is removed.
pub(crate) async fn find(places: &Places) -> Vec<UnixStream> {
    let (ours, mut found) = (own_user(), Vec::new());
    for path in candidates(places) {
        match UnixStream::connect(&path).await {
            Ok(stream) if is_of(&stream, ours) => found.push(stream),
            Ok(_) => tracing::warn!(path = %path.display(), "another user's socket is left alone"),
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => remove(&path),
            Err(error) => tracing::debug!(%error, path = %path.display(), "a socket is no use"),
        }
    }
    found
}

fn candidates(places: &Places) -> Vec<PathBuf> {
    let head = format!("{}-", key(places));
    let Ok(entries) = fs::read_dir(&places.runtime_dir) else { return Vec::new() };
    let mut paths: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .filter(|entry| {
            let name = entry.file_name();
            name.to_str().is_some_and(|name| name.starts_with(&head) && name.ends_with(".sock"))
        })
        .map(|entry| {
            let made = entry.metadata().and_then(|about| about.modified());
            (made.unwrap_or(SystemTime::UNIX_EPOCH), entry.path())
        })
        .collect();
    paths.sort_by(|one, other| other.cmp(one));
    paths.into_iter().map(|(_, path)| path).collect()
}

/// What a socket stands for, as a short text. Everything that decides what is served is in it.
fn key(places: &Places) -> String {
    let Places { home, config_dir, data_dir, state_dir, project, .. } = places;
    let mut text = Vec::new();
    for path in [project, config_dir, data_dir, state_dir, home] {
        text.extend_from_slice(path.as_os_str().as_encoded_bytes());
        text.push(0);
    }
    Digest::of(&text).to_string().chars().take(DIGITS).collect()
}

fn remove(path: &Path) {
    if let Err(error) = fs::remove_file(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::debug!(%error, path = %path.display(), "a socket cannot be removed");
    }
}

/// Who we are, as the other end of a socket of ours would see it.
fn own_user() -> Option<u32> {
    let (one, _other) = UnixStream::pair().ok()?;
    one.peer_cred().ok().map(|peer| peer.uid())
}

/// Whether we are at the other end. Where the system does not tell, nobody is let in.
fn is_of(stream: &UnixStream, user: Option<u32>) -> bool {
    match (stream.peer_cred(), user) {
        (Ok(peer), Some(user)) => peer.uid() == user,
        _ => false,
    }
}
