//! Readiness of an input, told to one thread of several that wait for it.
//!
//! The threads that read standard input wait here. Whoever works on a line does not have to wake
//! another one to read on: the system does, once there is something to read.

pub(crate) use watch::ReadinessWatch;

#[cfg(target_os = "linux")]
mod watch {
    use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
    use rustix::event::{EventfdFlags, eventfd};
    use rustix::io::Errno;
    use std::io::IsTerminal as _;
    use std::mem::MaybeUninit;
    use std::os::fd::{AsFd, OwnedFd};
    use std::sync::Arc;

    const INPUT: u64 = 0;
    const WAKE_UP: u64 = 1;

    /// One thread's place among those that wait for the same input.
    ///
    /// What arrives wakes one that waits, and the first of them if it does: while a peer asks and
    /// waits in turns, one thread does everything. Each arrival is told to one thread only; whoever
    /// does not read all of it has to wake the others.
    #[derive(Debug)]
    pub(crate) struct ReadinessWatch {
        epoll: OwnedFd,
        /// What wakes the other threads.
        others: Vec<Arc<OwnedFd>>,
        /// What wakes this one, kept open: whoever wrote to it last may be gone.
        _own: Arc<OwnedFd>,
    }

    impl ReadinessWatch {
        /// One for each of several threads, unless the input cannot be waited for, as a file, or may
        /// be read only in parts, as a terminal: nobody would be woken for the rest.
        pub(crate) fn several(input: &impl AsFd, count: usize) -> Option<Vec<Self>> {
            if input.as_fd().is_terminal() {
                return None;
            }
            let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
            let wakers = (0..count).map(|_| eventfd(0, flags).map(Arc::new));
            let wakers = wakers.collect::<Result<Vec<_>, _>>().ok()?;
            let watch = |index| {
                let mut others = wakers.clone();
                let own = others.remove(index);
                Some(Self { epoll: watch(input, &own).ok()?, others, _own: own })
            };
            (0..count).map(watch).collect()
        }

        /// Blocks until there is something to read, or the end: then it is true; or until another
        /// thread wakes this one. Whoever is faster reads.
        pub(crate) fn wait(&self) -> bool {
            let mut events = [MaybeUninit::<Event>::uninit(); 2];
            loop {
                match epoll::wait(&self.epoll, &mut events, None) {
                    Err(Errno::INTR) => {}
                    // If it cannot be waited for, reading has to wait.
                    Err(_) => return true,
                    Ok((events, _)) => return events.iter().any(|it| it.data.u64() == INPUT),
                }
            }
        }

        /// Wakes the other threads, those that are about to wait too.
        pub(crate) fn wake_others(&self) {
            for other in &self.others {
                // It fails only at a count that nobody lives to see.
                let _ = rustix::io::write(other, &1_u64.to_ne_bytes());
            }
        }
    }

    fn watch(input: &impl AsFd, waker: &impl AsFd) -> Result<OwnedFd, Errno> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let arrives = EventFlags::IN | EventFlags::EXCLUSIVE;
        epoll::add(&epoll, input, EventData::new_u64(INPUT), arrives)?;
        // Edges only: nobody has to reset the count.
        let woken = EventFlags::IN | EventFlags::ET;
        epoll::add(&epoll, waker, EventData::new_u64(WAKE_UP), woken)?;
        Ok(epoll)
    }
}

#[cfg(not(target_os = "linux"))]
mod watch {
    /// Nothing here would wake one thread only.
    #[derive(Debug)]
    pub(crate) enum ReadinessWatch {}

    impl ReadinessWatch {
        pub(crate) fn several<T>(_: &T, _: usize) -> Option<Vec<Self>> {
            None
        }

        pub(crate) fn wait(&self) -> bool {
            match *self {}
        }

        pub(crate) fn wake_others(&self) {
            match *self {}
        }
    }
}
