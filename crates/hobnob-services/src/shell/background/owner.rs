//! The owner of a background process: no other caller sees it, reads it or ends it.
//!
//! A legacy session and a pipe are owners of their own. Modern HTTP requests belong to no session,
//! so requests with the same address, principal and client name share one owner; process ids cannot
//! be guessed, which keeps strangers with the same name apart.

use hobnob_mcp_engine::{Caller, ClientId, Principal, ShareKey};
use hobnob_mcp_types::Era;

/// The owner of a process: no other caller sees it or ends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProcessOwner {
    principal: Principal,
    client: OwningClient,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OwningClient {
    /// A pipe or a legacy session; its processes end with it.
    Session(ClientId),
    /// Requests without a session, whose end cannot be observed.
    Requests(ShareKey),
}

/// Whether the end of a client can be observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClientEnd {
    /// It can, and the client's processes end with it.
    Observed,
    /// It cannot: the client's processes live as long as it asks for them from time to time.
    Unobserved,
}

impl ProcessOwner {
    pub(super) fn of(caller: &Caller) -> Self {
        let has_session = caller.client_id.is_pipe() || caller.revision.era() == Era::Legacy;
        let client = match has_session {
            true => OwningClient::Session(caller.client_id),
            false => OwningClient::Requests(caller.share()),
        };
        Self { principal: caller.principal.clone(), client }
    }

    pub(super) fn client_end(&self) -> ClientEnd {
        match self.client {
            OwningClient::Session(_) => ClientEnd::Observed,
            OwningClient::Requests(_) => ClientEnd::Unobserved,
        }
    }

    /// Whether the process ends with this client.
    pub(super) fn ends_with(&self, client: ClientId) -> bool {
        self.client == OwningClient::Session(client)
    }
}
