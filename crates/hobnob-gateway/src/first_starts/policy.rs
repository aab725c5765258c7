//! Which servers are started before a client calls them.
//!
//! The binary chooses: a hub that stays learns every server, a command only those it needs.

use crate::upstream::server::Upstream;

/// Which servers are started before they are called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstStarts {
    /// Every eager or unknown server; failed starts are retried until the server's lists are known.
    /// For a process that stays.
    Unknown,
    /// Every unknown server, once, unless it failed a short while ago. For a command that ends
    /// soon.
    UnknownOnce,
    /// These servers, if they are unknown, once.
    Only(Vec<String>),
    /// No server: each starts when it is called or watched.
    None,
}

/// How one server is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FirstStart {
    /// The server is started, and lists wait for it.
    Awaited,
    /// The server is started, and no list waits for it.
    InBackground,
    /// The server is not started.
    None,
}

impl FirstStarts {
    /// Whether failed starts are retried.
    pub(super) fn retries(&self) -> bool {
        *self == Self::Unknown
    }

    /// How this server is started.
    pub(super) fn decide(&self, upstream: &Upstream) -> FirstStart {
        let configured = upstream.configured();
        let (unknown, lately) = (upstream.lists.is_unknown(), upstream.failures.is_recent());
        let wanted = match self {
            Self::Unknown => unknown || configured.is_eager(),
            Self::UnknownOnce => unknown && !lately,
            Self::Only(names) => unknown && names.iter().any(|it| it == upstream.name()),
            Self::None => false,
        };
        let asked_for = matches!(self, Self::Only(_));
        match wanted && configured.is_startable() {
            true if unknown && (asked_for || !lately) => FirstStart::Awaited,
            true => FirstStart::InBackground,
            false => FirstStart::None,
        }
    }
}
