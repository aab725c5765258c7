//! Requests to stop the process: SIGTERM and Ctrl-C on Unix, Ctrl-C elsewhere.
//!
//! `serve`, `doctor` and every command with a hub wait for them.

#[cfg(not(unix))]
pub use elsewhere::Signals;
#[cfg(unix)]
pub use on_unix::Signals;

#[cfg(unix)]
mod on_unix {
    use anyhow::Context as _;
    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// Requests to stop, one after the other.
    pub struct Signals {
        terminate: Signal,
        interrupt: Signal,
        terminated: bool,
    }

    impl Signals {
        /// Listens from now on.
        pub fn new() -> anyhow::Result<Self> {
            let listen = |kind| signal(kind).context("cannot listen for signals");
            Ok(Self {
                terminate: listen(SignalKind::terminate())?,
                interrupt: listen(SignalKind::interrupt())?,
                terminated: false,
            })
        }

        /// Waits for the next request.
        pub async fn next(&mut self) {
            tokio::select! {
                _ = self.terminate.recv() => self.terminated = true,
                _ = self.interrupt.recv() => {}
            }
        }

        /// Waits for a request that is not Ctrl-C; returns at once if there was one.
        pub async fn terminated(&mut self) {
            if !self.terminated {
                self.terminate.recv().await;
                self.terminated = true;
            }
        }

        /// Whether there was a request that is not Ctrl-C.
        pub fn is_terminated(&self) -> bool {
            self.terminated
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    /// Requests to stop, one after the other.
    pub struct Signals;

    impl Signals {
        /// Listens from now on.
        pub(crate) fn new() -> anyhow::Result<Self> {
            Ok(Self)
        }

        /// Waits for the next request; never returns if the system does not deliver it.
        pub(crate) async fn next(&mut self) {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        }

        /// Never returns: Ctrl-C is the only request on this system.
        pub(crate) async fn terminated(&mut self) {
            std::future::pending::<()>().await;
        }

        /// Always false: see `terminated`.
        pub(crate) fn is_terminated(&self) -> bool {
            false
        }
    }
}
