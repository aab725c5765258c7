//! The decision about a connection before anything is read from it: who may connect at all.
//!
//! The accept loop asks it once for each connection, so it must be quick.

use std::fmt;
use std::net::SocketAddr;

/// Knows whose program connects.
pub trait PeerCheck: fmt::Debug + Send + Sync + 'static {
    /// Whether the program that connects from `peer` to `local` is let in.
    fn admits(&self, peer: SocketAddr, local: SocketAddr) -> bool;
}
