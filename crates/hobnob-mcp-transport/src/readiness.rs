//! Readiness of an input that multiple threads wait for: the kernel wakes one of them.
//!
//! The threads that read standard input wait here. A thread that starts to work on a line need not
//! wake another one to read on: the kernel does that when more arrives. On Linux this is epoll;
//! other systems have no such watch, and their threads block in the read instead.

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

    /// One thread's place among the threads that wait for the same input.
    ///
    /// An arrival wakes one waiting thread (`EPOLLEXCLUSIVE`), the first one if it waits: while a
    /// peer sends and waits in turns, one thread does everything. The kernel reports each arrival
    /// to one thread only, so a thread that does not read all of it must wake the others.
    #[derive(Debug)]
    pub(crate) struct ReadinessWatch {
        epoll: OwnedFd,
        /// The event counters that wake the other threads.
        others: Vec<Arc<OwnedFd>>,
        /// The event counter that wakes this thread, kept open: its last writer may be gone.
        _own: Arc<OwnedFd>,
    }

    impl ReadinessWatch {
        /// One watch per thread. `None` for an input that epoll cannot watch (a file) or that may
        /// be read only in parts (a terminal): no thread would be woken for the rest.
        pub(crate) fn for_threads(input: &impl AsFd, count: usize) -> Option<Vec<Self>> {
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

        /// Blocks until there is something to read or the end (`true`), or until another thread
        /// wakes this one (`false`). The first thread to take the lock reads.
        pub(crate) fn wait(&self) -> bool {
            let mut events = [MaybeUninit::<Event>::uninit(); 2];
            loop {
                match epoll::wait(&self.epoll, &mut events, None) {
                    Err(Errno::INTR) => {}
                    // If epoll fails, the thread waits in the read instead.
                    Err(_) => return true,
                    Ok((events, _)) => return events.iter().any(|it| it.data.u64() == INPUT),
                }
            }
        }

        /// Wakes the other threads, including those that are about to wait.
        pub(crate) fn wake_others(&self) {
            for other in &self.others {
                // It fails only when the counter is full, after 2^64 wake-ups.
                let _ = rustix::io::write(other, &1_u64.to_ne_bytes());
            }
        }
    }

    fn watch(input: &impl AsFd, waker: &impl AsFd) -> Result<OwnedFd, Errno> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let arrives = EventFlags::IN | EventFlags::EXCLUSIVE;
        epoll::add(&epoll, input, EventData::new_u64(INPUT), arrives)?;
        // Edge-triggered, so that no thread has to reset the counter.
        let woken = EventFlags::IN | EventFlags::ET;
        epoll::add(&epoll, waker, EventData::new_u64(WAKE_UP), woken)?;
        Ok(epoll)
    }
}

#[cfg(not(target_os = "linux"))]
mod watch {
    /// Other systems have no way to wake only one of the waiting threads.
    #[derive(Debug)]
    pub(crate) enum ReadinessWatch {}

    impl ReadinessWatch {
        pub(crate) fn for_threads<T>(_: &T, _: usize) -> Option<Vec<Self>> {
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
