//! What a listener holds open now, beside its bounds: for a program that shows it to its operator.
//!
//! A program passes one [`HttpLoad`] in its options and reads it whenever it likes. What must stay
//! true: reading it disturbs no request.

use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

/// The load of one listener. It is empty before the listener opens and after it has ended.
#[derive(Debug, Default)]
pub struct HttpLoad {
    connections: AtomicUsize,
    site: Mutex<Option<Weak<dyn SiteLoad>>>,
}

/// What a listener holds open at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpUse {
    /// Connections that are open at the socket.
    pub connections: UsedHttpLimit,
    /// Legacy sessions of the server that has the most of them.
    pub sessions: UsedHttpLimit,
    /// Bytes that are reserved for large request bodies.
    pub body_bytes: UsedHttpLimit,
    /// WebSocket connections of all servers together.
    pub websockets: UsedHttpLimit,
}

/// How much of one limit is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsedHttpLimit {
    /// How much of the bound is in use now.
    pub used: usize,
    /// How much there may be.
    pub max: usize,
}

/// The site of a listener, which knows everything but the number of its connections.
pub(crate) trait SiteLoad: std::fmt::Debug + Send + Sync {
    /// The use of a listener with this many connections.
    fn http_use(&self, connections: usize) -> HttpUse;
}

impl HttpLoad {
    /// What the listener holds open now; `None` while it does not listen.
    pub fn read(&self) -> Option<HttpUse> {
        let site = self.site.lock().as_ref().and_then(Weak::upgrade)?;
        Some(site.http_use(self.connections.load(Ordering::Relaxed)))
    }

    /// A listener with this site is open.
    pub(crate) fn open(&self, site: &Arc<impl SiteLoad + 'static>) {
        let site: Weak<dyn SiteLoad> = Arc::downgrade(site) as _;
        *self.site.lock() = Some(site);
    }

    pub(crate) fn set_connections(&self, open: usize) {
        self.connections.store(open, Ordering::Relaxed);
    }
}
