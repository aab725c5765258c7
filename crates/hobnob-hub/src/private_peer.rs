//! Checks the peer of a private socket: the owner's programs are admitted, except commands that the
//! owner has confined.

use tokio::net::UnixStream;

/// The user id of this process, as the other end of a socket sees it.
pub(crate) fn own_user() -> Option<u32> {
    let (one, _other) = UnixStream::pair().ok()?;
    one.peer_cred().ok().map(|peer| peer.uid())
}

/// Why the peer of a private socket is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PeerRefusal {
    /// The peer belongs to another user.
    #[error("it comes from another user")]
    OtherUser,
    /// The peer is confined by the owner and could act as the owner here.
    #[error("it comes from a command that is confined to a sandbox")]
    ConfinedCommand,
}

/// Admits the owner's programs, except commands that the owner has confined.
pub(crate) fn admit(stream: &UnixStream, user: Option<u32>) -> Result<(), PeerRefusal> {
    if !belongs_to(stream, user) {
        return Err(PeerRefusal::OtherUser);
    }
    if is_confined(stream) { Err(PeerRefusal::ConfinedCommand) } else { Ok(()) }
}

/// Whether the peer descends from a confined command. A peer that is gone already counts as
/// confined: it waits for no answer.
#[cfg(target_os = "linux")]
fn is_confined(stream: &UnixStream) -> bool {
    peer_process(stream).is_some_and(|pid| hobnob_mcp_process::is_confined(pid).unwrap_or(true))
}

/// Whether the peer descends from a program that a hub started, confined or not. A peer that is
/// gone counts, too.
#[cfg(target_os = "linux")]
pub(crate) fn is_started_by_hub(stream: &UnixStream) -> bool {
    peer_process(stream)
        .is_some_and(|pid| hobnob_mcp_process::is_process_started_by_hub(pid).unwrap_or(true))
}

/// The process id of the peer. A process of an outer PID namespace has no id here; Hobnob's
/// commands run in inner ones.
#[cfg(target_os = "linux")]
fn peer_process(stream: &UnixStream) -> Option<u32> {
    let peer = stream.peer_cred().ok().and_then(|peer| peer.pid());
    peer.and_then(|pid| u32::try_from(pid).ok()).filter(|pid| *pid != 0)
}

/// Other systems confine no commands.
#[cfg(not(target_os = "linux"))]
fn is_confined(_stream: &UnixStream) -> bool {
    false
}

/// Other systems do not report a peer's ancestors.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_started_by_hub(_stream: &UnixStream) -> bool {
    false
}

/// Whether the peer belongs to this user. If the system does not say, it does not.
pub(crate) fn belongs_to(stream: &UnixStream, user: Option<u32>) -> bool {
    match (stream.peer_cred(), user) {
        (Ok(peer), Some(user)) => peer.uid() == user,
        _ => false,
    }
}
