//! A runner's end of the socket: receives whole frames with their descriptors, one after the other.
//!
//! It is the runner's standard input when it starts, and the runner's lifeline: it closes when
//! Hobnob ends, in every way that Hobnob can end.

use super::descriptors::{receive, send};
use super::message::{FromRunner, HEAD, ToRunner, length};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Bytes per read: enough for most commands.
const CHUNK: usize = 8 * 1024;

/// What the socket has received.
pub(super) enum Heard {
    Frame(ToRunner),
    /// No whole frame has arrived yet.
    Nothing,
    /// Hobnob has closed the socket, or is gone.
    End,
}

/// The socket, and the bytes received of the next frame.
pub(super) struct RunnerSocket {
    socket: OwnedFd,
    bytes: Vec<u8>,
    descriptors: Vec<OwnedFd>,
}

impl AsFd for RunnerSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl RunnerSocket {
    pub(super) fn new(socket: OwnedFd) -> io::Result<Self> {
        fcntl_setfl(&socket, fcntl_getfl(&socket)? | OFlags::NONBLOCK)?;
        Ok(Self { socket, bytes: Vec::new(), descriptors: Vec::new() })
    }

    /// The next frame, if all of it has arrived.
    pub(super) fn hear(&mut self) -> io::Result<Heard> {
        loop {
            if let Some(frame) = self.take()? {
                return Ok(Heard::Frame(frame));
            }
            let filled = self.bytes.len();
            self.bytes.resize(filled + CHUNK, 0);
            let received = receive(&self.socket, &mut self.bytes[filled..], &mut self.descriptors);
            let count = match &received {
                Ok(count) => *count,
                Err(_) => 0,
            };
            self.bytes.truncate(filled + count);
            match received {
                Ok(0) => return Ok(Heard::End),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Ok(Heard::Nothing);
                }
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {
                    return Ok(Heard::End);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// The descriptors that came with the last frame.
    pub(super) fn take_descriptors(&mut self) -> Vec<OwnedFd> {
        std::mem::take(&mut self.descriptors)
    }

    /// Sends a frame. Frames are few and small, so the socket always has room.
    pub(super) fn say(&mut self, frame: &FromRunner) -> io::Result<()> {
        let frame = frame.encode();
        if send(&self.socket, &frame, &[])? == frame.len() {
            Ok(())
        } else {
            Err(io::ErrorKind::WriteZero.into())
        }
    }

    fn take(&mut self) -> io::Result<Option<ToRunner>> {
        let Some((head, rest)) = self.bytes.split_first_chunk::<HEAD>() else { return Ok(None) };
        let length = length(*head)?;
        let Some(frame) = rest.get(..length) else { return Ok(None) };
        let frame = ToRunner::decode(frame)?;
        self.bytes.drain(..HEAD + length);
        Ok(Some(frame))
    }
}

/// Takes over the socket that is this process's standard input, and closes all other descriptors
/// that it inherited.
pub(super) fn inherited() -> io::Result<OwnedFd> {
    close_inherited()?;
    let socket = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    Ok(socket)
}

/// Closes all descriptors except the standard streams, so that no command gets a descriptor of
/// Hobnob, or of the process that started Hobnob. For a process that has opened nothing yet.
pub(super) fn close_inherited() -> io::Result<()> {
    close_all(|_| false)
}

/// Closes all descriptors except the standard streams and the descriptor with this number.
pub(crate) fn close_inherited_but(kept: &str) -> io::Result<()> {
    close_all(|number| number.to_string() == kept)
}

fn close_all(is_kept: impl Fn(i32) -> bool) -> io::Result<()> {
    let open: Vec<i32> = std::fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|number| 2 < *number && !is_kept(*number))
        .collect();
    for number in open {
        // The descriptor through which the list was read is closed already.
        let _ = nix::unistd::close(number);
    }
    Ok(())
}
