//! Who is at the other end of a private socket: the owner's programs are let in, but no command that the
//! owner has confined.

use tokio::net::UnixStream;

/// Our user id, as the other end of a socket sees it.
pub(crate) fn own_user() -> Option<u32> {
    let (one, _other) = UnixStream::pair().ok()?;
    one.peer_cred().ok().map(|peer| peer.uid())
}

/// Why the other end of a private socket is turned away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PeerRefusal {
    /// It belongs to another user.
    #[error("it comes from another user")]
    OtherUser,
    /// It could act as the owner, who has confined it.
    #[error("it comes from a command that is confined to a sandbox")]
    ConfinedCommand,
}

/// Lets in the owner's programs, but no command that the owner has confined.
pub(crate) fn admit(stream: &UnixStream, user: Option<u32>) -> Result<(), PeerRefusal> {
    if !belongs_to(stream, user) {
        return Err(PeerRefusal::OtherUser);
    }
    if is_confined(stream) { Err(PeerRefusal::ConfinedCommand) } else { Ok(()) }
}

/// Whether the other end descends from a confined command. One that is gone already counts as one: it
/// waits for no answer.
#[cfg(target_os = "linux")]
fn is_confined(stream: &UnixStream) -> bool {
    peer_process(stream).is_some_and(|pid| hobnob_mcp_process::is_confined(pid).unwrap_or(true))
}

/// Whether the other end descends from a program that a hub started, confined or not; one that is gone
/// counts as one too.
#[cfg(target_os = "linux")]
pub(crate) fn is_started_by_hub(stream: &UnixStream) -> bool {
    peer_process(stream)
        .is_some_and(|pid| hobnob_mcp_process::is_process_started_by_hub(pid).unwrap_or(true))
}

/// The process at the other end. One of an outer PID namespace has no number here; commands of ours are
/// in inner ones.
#[cfg(target_os = "linux")]
fn peer_process(stream: &UnixStream) -> Option<u32> {
    let peer = stream.peer_cred().ok().and_then(|peer| peer.pid());
    peer.and_then(|pid| u32::try_from(pid).ok()).filter(|pid| *pid != 0)
}

/// Elsewhere no command is confined.
#[cfg(not(target_os = "linux"))]
fn is_confined(_stream: &UnixStream) -> bool {
    false
}

/// Elsewhere ancestors say nothing.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_started_by_hub(_stream: &UnixStream) -> bool {
    false
}

/// Whether the other end belongs to this user. If the system does not say, it does not.
pub(crate) fn belongs_to(stream: &UnixStream, user: Option<u32>) -> bool {
    match (stream.peer_cred(), user) {
        (Ok(peer), Some(user)) => peer.uid() == user,
        _ => false,
    }
}
