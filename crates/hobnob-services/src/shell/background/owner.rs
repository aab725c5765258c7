//! Whose a process is: nobody else sees it, reads it or ends it.
//!
//! A legacy session and a pipe are their own owners. Modern requests over HTTP belong to no session, so
//! there all that come from one address, as one principal and under one name, are one owner; that their
//! ids cannot be guessed keeps strangers with the same name apart.

use hobnob_mcp_engine::{Caller, ClientId, Principal, ShareKey};
use hobnob_mcp_types::Era;

/// Whose a process is: nobody else sees it or ends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProcessOwner {
    principal: Principal,
    client: OwningClient,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OwningClient {
    /// Ends with the client, which is a pipe or a legacy session.
    Session(ClientId),
    /// Has no end that we could see.
    Requests(ShareKey),
}

/// Whether we will hear of a client's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClientEnd {
    /// We will, and its processes end with it.
    Heard,
    /// We will not: its processes live as long as it asks for them now and then.
    Unheard,
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
            OwningClient::Session(_) => ClientEnd::Heard,
            OwningClient::Requests(_) => ClientEnd::Unheard,
        }
    }

    /// Whether it ends with this client.
    pub(super) fn ends_with(&self, client: ClientId) -> bool {
        self.client == OwningClient::Session(client)
    }
}
