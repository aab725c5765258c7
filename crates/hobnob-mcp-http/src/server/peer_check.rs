//! Decides about a connection before anything is read from it.
//!
//! The accept loop calls it once for each connection, so it must be quick.

use std::fmt;
use std::net::SocketAddr;

/// Decides which programs may connect.
pub trait PeerCheck: fmt::Debug + Send + Sync + 'static {
    /// Whether the program that connects from `peer` to `local` is let in.
    fn admits(&self, peer: SocketAddr, local: SocketAddr) -> bool;
}
