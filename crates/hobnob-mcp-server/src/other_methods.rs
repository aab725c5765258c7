//! The port for another protocol on an MCP server's connections: requests with methods that no
//! revision of MCP has.
//!
//! A program gives its server [`OtherMethods`], and sessions and the HTTP transport pass requests
//! to it. It calls the service through [`ServiceCalls`], within the same quotas and limits.

use crate::call::call_service;
use crate::client_quotas::ClientQuotas;
use hobnob_mcp_engine::{
    BoxFuture, Call, CallError, Caller, ClientId, Notes, Outcome, Principal, Service, Share,
};
use hobnob_mcp_transport::Outbox;
use hobnob_mcp_types::{Method, Request};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Answers requests whose methods do not belong to MCP.
pub trait OtherMethods: Send + Sync + 'static {
    /// Opens a connection on its first such request. It stays open until [`OtherCalls::end`].
    fn open(&self, service: ServiceCalls, client: OtherClient) -> Arc<dyn OtherCalls>;
}

/// When clients may send such requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OtherMethodsAccess {
    /// At any time, even before a handshake.
    #[default]
    AnyTime,
    /// Only after the legacy handshake: on the same connection, or over HTTP with the session's id.
    /// Earlier requests get the error that a legacy request would get.
    AfterHandshake,
}

/// Answers the requests of one connection.
pub trait OtherCalls: Send + Sync + 'static {
    /// Answers a request: the response and everything after it go to the outbox. Dropping the
    /// future cancels the work that the request started.
    fn answer(
        &self,
        request: Request,
        outbox: Arc<Outbox>,
        delivery: OtherDelivery,
    ) -> BoxFuture<'static, ()>;

    /// Ends all work that the connection's requests started, because the connection is over.
    fn end(&self);
}

/// The client at the other end of a connection.
#[derive(Debug, Clone)]
pub struct OtherClient {
    /// The identity that the transport has authenticated.
    pub principal: Principal,
    /// Which client this is.
    pub client_id: ClientId,
}

/// What may follow a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherDelivery {
    /// Any number of further messages.
    Stream,
    /// Nothing: the response must contain everything.
    Single,
}

/// Access to the server's service for [`OtherMethods`]. Cheap to clone.
#[derive(Clone)]
pub struct ServiceCalls {
    service: Arc<dyn Service>,
    quotas: ClientQuotas,
    limit: Duration,
}

impl ServiceCalls {
    pub(crate) fn new(service: Arc<dyn Service>, quotas: ClientQuotas, limit: Duration) -> Self {
        Self { service, quotas, limit }
    }

    /// Reserves a place among the running calls until the share is dropped; `None` if the caller
    /// has used up its own share.
    pub fn reserve(&self, method: Method, caller: &Caller) -> Option<Share> {
        self.quotas.enter(method, caller.share())
    }

    /// Calls the service once, with the usual time limit; a panic becomes an error of this call
    /// alone. Dropping the future cancels the call.
    pub async fn call(&self, call: Call, notes: Notes) -> Result<Outcome, CallError> {
        call_service(&self.service, self.limit, call, notes).await
    }
}

impl fmt::Debug for ServiceCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceCalls").field("limit", &self.limit).finish_non_exhaustive()
    }
}
