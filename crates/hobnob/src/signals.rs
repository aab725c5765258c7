//! What tells the process to stop: SIGTERM and Ctrl-C where there are signals, Ctrl-C elsewhere.

#[cfg(not(unix))]
pub(crate) use elsewhere::Signals;
#[cfg(unix)]
pub(crate) use on_unix::Signals;

#[cfg(unix)]
mod on_unix {
    use anyhow::Context as _;
    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// Requests to stop, one after the other.
    pub(crate) struct Signals {
        terminate: Signal,
        interrupt: Signal,
    }

    impl Signals {
        /// Listens from now on.
        pub(crate) fn new() -> anyhow::Result<Self> {
            let listen = |kind| signal(kind).context("signals cannot be listened for");
            Ok(Self {
                terminate: listen(SignalKind::terminate())?,
                interrupt: listen(SignalKind::interrupt())?,
            })
        }

        /// Waits for the next.
        pub(crate) async fn next(&mut self) {
            tokio::select! {
                _ = self.terminate.recv() => {}
                _ = self.interrupt.recv() => {}
            }
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    /// Requests to stop, one after the other.
    pub(crate) struct Signals;

    impl Signals {
        /// Listens from now on.
        pub(crate) fn new() -> anyhow::Result<Self> {
            Ok(Self)
        }

        /// Waits for the next; where it cannot be listened for, there is none.
        pub(crate) async fn next(&mut self) {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}
