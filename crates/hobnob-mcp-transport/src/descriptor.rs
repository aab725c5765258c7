//! What only the system knows about a pipe: whether it still has a reader, and when it is ready.
//!
//! The reading and the writing thread use this. Another process that shares a descriptor with us
//! may have made it non-blocking, so `WouldBlock` means waiting, never the end.

use std::fs::File;
use std::io::{self, Read, Write};

/// Standard output without the standard library's line buffer: frames are gathered already, and the
/// buffer's search for line ends would only scan every byte again.
pub(crate) fn stdout() -> io::Result<File> {
    #[cfg(unix)]
    let owned = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned()?;
    #[cfg(windows)]
    let owned = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned()?;
    Ok(File::from(owned))
}

/// Writes all bytes, and waits whenever the file is full.
pub(crate) fn write_all(mut output: &File, bytes: &[u8]) -> io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match output.write(rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => rest = &rest[count..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => wait::writable(output)?,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The largest write that is atomic and does not block while the file [has room](has_room); zero if
/// the file is not a pipe.
pub(crate) fn atomic_limit(output: &File) -> usize {
    wait::atomic_limit(output)
}

/// Whether a pipe has room for another atomic write now.
pub(crate) fn has_room(output: &File) -> bool {
    wait::has_room(output)
}

/// A file or pipe that lines are read from.
pub(crate) trait ByteSource: Read + wait::Handle + Send + 'static {}
impl<T: Read + wait::Handle + Send + 'static> ByteSource for T {}

/// Reads the bytes that are available, and waits until there are some; zero means the end.
pub(crate) fn read(input: &mut impl ByteSource, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => wait::readable(&*input)?,
            other => return other,
        }
    }
}

/// Whether a read would return at once, with bytes or with the end.
pub(crate) fn is_readable(input: &impl ByteSource) -> bool {
    wait::is_readable(input)
}

/// Whether every reader of this pipe is gone.
pub(crate) fn is_abandoned(output: &File) -> bool {
    wait::is_abandoned(output)
}

#[cfg(unix)]
mod wait {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use std::fs::File;
    use std::io;
    pub(crate) use std::os::fd::AsFd as Handle;
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt as _;

    /// `PIPE_BUF`, the largest atomic write: 4096 on Linux; POSIX guarantees 512.
    const PIPE_BUF: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

    /// Zero for all but pipes: a socket may take a part of a write, and other files may block for
    /// reasons of their own.
    pub(super) fn atomic_limit(output: &File) -> usize {
        let is_pipe = output.metadata().is_ok_and(|facts| facts.file_type().is_fifo());
        if is_pipe { PIPE_BUF } else { 0 }
    }

    pub(super) fn has_room(output: &File) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        // `ERR` (no reader is left) counts as no room: the writing thread handles that.
        ready(output, PollFlags::OUT, Some(&now)).is_ok_and(|found| found == PollFlags::OUT)
    }

    pub(super) fn writable(descriptor: impl AsFd) -> io::Result<()> {
        ready(&descriptor, PollFlags::OUT, None).map(drop)
    }

    pub(super) fn readable(descriptor: impl AsFd) -> io::Result<()> {
        ready(&descriptor, PollFlags::IN, None).map(drop)
    }

    pub(super) fn is_readable(descriptor: impl AsFd) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        !ready(&descriptor, PollFlags::IN, Some(&now)).is_ok_and(|found| found.is_empty())
    }

    pub(super) fn is_abandoned(descriptor: impl AsFd) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let found = ready(&descriptor, PollFlags::empty(), Some(&now));
        found.is_ok_and(|found| found.intersects(PollFlags::ERR | PollFlags::NVAL))
    }

    fn ready(
        descriptor: &impl AsFd,
        wanted: PollFlags,
        limit: Option<&Timespec>,
    ) -> io::Result<PollFlags> {
        let mut watched = [PollFd::new(descriptor, wanted)];
        loop {
            match poll(&mut watched, limit) {
                Ok(_) => return Ok(watched[0].revents()),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(windows)]
mod wait {
    use std::fs::File;
    use std::io;
    pub(crate) use std::os::windows::io::AsHandle as Handle;

    // Pipes here are never non-blocking, and a closed one is noticed only by writing to it.

    pub(super) fn atomic_limit(_: &File) -> usize {
        0
    }

    pub(super) fn has_room(_: &File) -> bool {
        false
    }

    pub(super) fn writable<T>(_: T) -> io::Result<()> {
        Err(io::ErrorKind::WouldBlock.into())
    }

    pub(super) fn readable<T>(_: T) -> io::Result<()> {
        Err(io::ErrorKind::WouldBlock.into())
    }

    pub(super) fn is_readable<T>(_: T) -> bool {
        true
    }

    pub(super) fn is_abandoned<T>(_: T) -> bool {
        false
    }
}
