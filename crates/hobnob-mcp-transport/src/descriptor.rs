//! What only the system knows of a pipe: whether anybody reads it, and when it is ready.
//!
//! The reading and the writing thread use this. A descriptor may have been left non-blocking by
//! whoever shares it with us, so "not now" means waiting, never the end.

use std::fs::File;
use std::io::{self, Read, Write};

/// Standard output without the buffer that the library keeps in front of it: frames are gathered
/// already, and its search for line ends would only look at every byte again.
pub(crate) fn stdout() -> io::Result<File> {
    #[cfg(unix)]
    let owned = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned()?;
    #[cfg(windows)]
    let owned = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned()?;
    Ok(File::from(owned))
}

/// Writes everything, waiting where it has to.
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

/// The most bytes that one write takes as a whole, and without waiting while the file
/// [has room](has_room); none for what is not a pipe.
pub(crate) fn whole_write(output: &File) -> usize {
    wait::whole_write(output)
}

/// Whether a pipe takes another whole write now.
pub(crate) fn has_room(output: &File) -> bool {
    wait::has_room(output)
}

/// What lines are read from.
pub(crate) trait ByteSource: Read + wait::Handle + Send + 'static {}
impl<T: Read + wait::Handle + Send + 'static> ByteSource for T {}

/// Reads what there is, waiting until there is something; nothing means the end.
pub(crate) fn read(input: &mut impl ByteSource, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => wait::readable(&*input)?,
            other => return other,
        }
    }
}

/// Whether reading would not wait: there is something, or the end.
pub(crate) fn is_readable(input: &impl ByteSource) -> bool {
    wait::is_readable(input)
}

/// Whether nobody will ever read what is written here.
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

    /// `PIPE_BUF`: what POSIX promises of it everywhere, and Linux.
    const PIPE_WRITE: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

    /// A socket may take a part of what is written, and anything else may block for reasons of its
    /// own.
    pub(super) fn whole_write(output: &File) -> usize {
        let is_pipe = output.metadata().is_ok_and(|facts| facts.file_type().is_fifo());
        if is_pipe { PIPE_WRITE } else { 0 }
    }

    pub(super) fn has_room(output: &File) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        // If nobody reads any more the writing thread is the one to notice.
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

    // Pipes here are never non-blocking, and a closed one shows when it is written to.

    pub(super) fn whole_write(_: &File) -> usize {
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
