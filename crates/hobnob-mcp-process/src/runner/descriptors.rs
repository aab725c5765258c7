//! Passes descriptors over a Unix socket (`SCM_RIGHTS`): a command's pipes and its folder.
//!
//! The sender attaches them to the first bytes of a frame; the receiver gets copies that close on
//! exec, so that no command inherits those of another.

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};

/// The output, errors, folder and input of a command.
pub(super) const PER_COMMAND: usize = 4;

/// If the runner is gone, report an error, not SIGPIPE; elsewhere Rust ignores that signal.
#[cfg(target_os = "linux")]
const FLAGS: SendFlags = SendFlags::NOSIGNAL;
#[cfg(not(target_os = "linux"))]
const FLAGS: SendFlags = SendFlags::empty();

/// Sends as many of the bytes as the socket takes now, and the descriptors with the first byte.
pub(super) fn send(
    socket: impl AsFd,
    bytes: &[u8],
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(PER_COMMAND))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !control.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::Error::other("too many descriptors for one frame"));
    }
    Ok(sendmsg(socket, &[IoSlice::new(bytes)], &mut control, FLAGS)?)
}

/// Receives at least one byte, or none at the end, and appends the descriptors that came with it.
#[cfg(target_os = "linux")]
pub(super) fn receive(
    socket: impl AsFd,
    buffer: &mut [u8],
    descriptors: &mut Vec<std::os::fd::OwnedFd>,
) -> io::Result<usize> {
    use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(PER_COMMAND))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = rustix::io::retry_on_intr(|| {
        let mut buffers = [io::IoSliceMut::new(buffer)];
        recvmsg(&socket, &mut buffers, &mut control, RecvFlags::CMSG_CLOEXEC)
    })?;
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = message {
            descriptors.extend(received);
        }
    }
    Ok(received.bytes)
}
