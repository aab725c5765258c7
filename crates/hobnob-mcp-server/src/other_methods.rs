//! Requests of another protocol on the connections of an MCP server: methods that no revision of MCP
//! has.
//!
//! A program gives its server [`OtherMethods`]. Sessions and the HTTP transport hand requests over, and
//! whoever answers them calls the service through [`ServiceCalls`], within the same quotas and limits.

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

/// Answers requests whose methods are not MCP's.
pub trait OtherMethods: Send + Sync + 'static {
    /// A connection on which such a request came. It lives until [`OtherCalls::end`].
    fn open(&self, service: ServiceCalls, client: OtherClient) -> Arc<dyn OtherCalls>;
}

/// When clients may send such requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OtherMethodsAccess {
    /// At any time, before any handshake too.
    #[default]
    AnyTime,
    /// After the legacy handshake: on the same connection, or over HTTP with the session's id. Before
    /// it they get the error that a legacy request gets.
    AfterHandshake,
}

/// The requests of one connection.
pub trait OtherCalls: Send + Sync + 'static {
    /// Answers a request: the response and everything that follows go to the outbox. Dropping the
    /// future cancels what the request began.
    fn answer(
        &self,
        request: Request,
        outbox: Arc<Outbox>,
        delivery: OtherDelivery,
    ) -> BoxFuture<'static, ()>;

    /// The connection is over: everything that its requests began ends.
    fn end(&self);
}

/// Who is at the other end of a connection.
#[derive(Debug, Clone)]
pub struct OtherClient {
    /// Whom the transport knows the client to be.
    pub principal: Principal,
    /// Which client this is.
    pub client_id: ClientId,
}

/// What may follow a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherDelivery {
    /// Any number of further messages.
    Stream,
    /// Nothing: the response must say it all.
    Single,
}

/// The server's service, as whoever answers other methods may call it. Cheap to clone.
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

    /// A place among the calls that run, for as long as it is held; nothing if the caller has its
    /// share already.
    pub fn reserve(&self, method: Method, caller: &Caller) -> Option<Share> {
        self.quotas.of(method).take(caller.share())
    }

    /// Calls the service once, with the time limit of every call; a panic is an error of this call
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
