//! Which servers are started although nobody called them.
//!
//! The binary chooses: a hub that stays learns everything, a command only what it needs.

use crate::upstream::server::Upstream;

/// Which servers are started without being asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstStarts {
    /// Those that are to start with Hobnob, and those nothing is known of: these are tried again
    /// and again until it is known what they offer. For whoever stays.
    Unknown,
    /// Those nothing is known of, once; not even once if they failed a short while ago. For a
    /// command that ends soon.
    UnknownOnce,
    /// These, if nothing is known of them, once.
    Only(Vec<String>),
    /// Servers start when they are called or watched, and not before.
    None,
}

/// What is to be done about a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FirstStart {
    /// It is started, and lists wait for it.
    Awaited,
    /// It is started, and nobody waits for it.
    InBackground,
    /// It stays as it is.
    None,
}

impl FirstStarts {
    /// Whether a start that fails is tried again.
    pub(super) fn retries(&self) -> bool {
        *self == Self::Unknown
    }

    /// What is to be done about this server.
    pub(super) fn decide(&self, upstream: &Upstream) -> FirstStart {
        let configured = upstream.configured();
        let (unknown, lately) = (upstream.is_unknown(), upstream.failed_lately());
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
