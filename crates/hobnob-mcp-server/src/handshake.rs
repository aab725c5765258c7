//! The handshake of one peer, and the log level that the peer has set since.
//!
//! [`SessionState`](crate::session_state::SessionState) owns it. Its lock is held for a moment only.

use hobnob_mcp_engine::{ClientId, Dialogue, HandshakeRules, LegacyPeer, Principal, ShareKey};
use hobnob_mcp_types::logging::LoggingLevel;
use hobnob_mcp_types::{Params, Revision, RpcError};
use parking_lot::Mutex;

#[derive(Default)]
pub(crate) struct Handshake(Mutex<Reached>);

/// What the peer has said so far.
#[derive(Default)]
struct Reached {
    dialogue: Dialogue,
    log_level: Option<LoggingLevel>,
}

impl Handshake {
    /// Handles `initialize`; returns the revision of the session.
    pub(crate) fn initialize(
        &self,
        params: &Params,
        rules: HandshakeRules,
    ) -> Result<Revision, RpcError> {
        Ok(self.0.lock().dialogue.initialize(params, rules)?.revision)
    }

    /// Completes the handshake; ignored in any other state.
    pub(crate) fn initialized(&self) {
        self.0.lock().dialogue.initialized();
    }

    /// The peer after its handshake, and the log level it has set.
    pub(crate) fn answering(
        &self,
        rules: HandshakeRules,
    ) -> Result<(LegacyPeer, Option<LoggingLevel>), RpcError> {
        let reached = self.0.lock();
        let peer = reached.dialogue.answering(rules)?;
        Ok((peer.clone(), reached.log_level))
    }

    pub(crate) fn revision(&self) -> Option<Revision> {
        self.0.lock().dialogue.revision()
    }

    /// The revision of a peer that has completed its handshake.
    pub(crate) fn operating_revision(&self) -> Option<Revision> {
        self.0.lock().dialogue.operating().map(|peer| peer.revision)
    }

    /// The name that the peer gave itself, and its revision, once it has completed its handshake.
    pub(crate) fn client(&self) -> Option<(String, Revision)> {
        let reached = self.0.lock();
        reached.dialogue.operating().map(|peer| (peer.client.name.clone(), peer.revision))
    }

    /// The key under which the peer's use of shared resources is counted.
    pub(crate) fn share(&self, id: ClientId, principal: &Principal) -> ShareKey {
        let reached = self.0.lock();
        let name = reached.dialogue.operating().map(|peer| &*peer.client.name);
        ShareKey::new(id, principal, name)
    }

    pub(crate) fn set_log_level(&self, level: LoggingLevel) {
        self.0.lock().log_level = Some(level);
    }

    /// The lowest level of log messages that the peer gets. Without `logging/setLevel`, the server
    /// may choose.
    pub(crate) fn log_level(&self) -> LoggingLevel {
        self.0.lock().log_level.unwrap_or(LoggingLevel::Info)
    }

    /// Refuses all further requests.
    pub(crate) fn shut_down(&self) {
        self.0.lock().dialogue.shut_down();
    }
}
