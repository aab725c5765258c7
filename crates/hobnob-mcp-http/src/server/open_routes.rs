//! Pages and documents of a listener besides MCP: metadata, an authorization server's endpoints.
//!
//! The site tries them before the MCP routes, after the check of `Host`. They need no credentials
//! and check `Origin` themselves: their own pages' forms, and native clients, may post to them.

use crate::server::body::{ReadBody, read_body};
use crate::server::budget::BodyBudget;
use crate::server::guard::{self, NamedPlace, OriginPolicy, Refusal};
use crate::server::limits::HttpLimits;
use crate::server::refused_request::{RefusalObserver, RefusedRequest, RequestRefusal};
use crate::server::reply::{RefusalReply, ReplyBody};
use bytes::Bytes;
use hobnob_mcp_engine::{BoxFuture, ClientId};
use http::header::ORIGIN;
use http::{HeaderMap, Method, Request, Response};
use hyper::body::Incoming;
use std::fmt;

/// The largest body of such a request in bytes, unless its routes allow more.
const USUAL_BODY: usize = 64 << 10;

/// What is known of a request before its body is read.
#[derive(Clone, Copy, Debug)]
pub struct OpenRequest<'a> {
    /// The HTTP method. Browsers visit pages with GET, and send forms with POST.
    pub method: &'a Method,
    /// The path of the request target, without the query.
    pub path: &'a str,
    /// All headers of the request; they are not checked yet.
    pub headers: &'a HeaderMap,
}

/// Answers the paths of a listener that are open to every client.
pub trait OpenRoutes: fmt::Debug + Send + Sync + 'static {
    /// Whether these routes answer the request; all others go on to the MCP endpoints.
    fn has(&self, request: OpenRequest<'_>) -> bool;

    /// The largest body that such a request may have, in bytes: 64 KiB unless the routes need more.
    /// The limit of the listener ([`HttpLimits::body`]) applies as well.
    fn max_body(&self, _request: OpenRequest<'_>) -> usize {
        USUAL_BODY
    }

    /// Answers a request for such a path, whose body has been read. At a listener that requires
    /// tokens, its extensions contain a [`TokenGate`](crate::TokenGate). The answer's body may be a
    /// stream; a stream of [`ReplyBody::stream`] that does not end delays the end of the listener.
    fn answer(&self, request: Request<Bytes>, from: ClientId)
    -> BoxFuture<'_, Response<ReplyBody>>;
}

/// The check of the host that a request names, before open routes see the request.
pub(crate) struct HostCheck<'a> {
    pub(crate) policy: &'a OriginPolicy,
    pub(crate) refusals: Option<&'a dyn RefusalObserver>,
}

impl HostCheck<'_> {
    /// The client, and whether it may be elsewhere; or the answer to a refused request.
    pub(crate) fn admit(
        &self,
        request: &Request<Incoming>,
        client: ClientId,
    ) -> Result<ClientId, RefusalReply> {
        match guard::check_host(request.headers(), request.uri(), self.policy) {
            Ok(NamedPlace::ThisMachine) => Ok(client),
            Ok(NamedPlace::Elsewhere) => Ok(client.from_elsewhere()),
            Err(refusal) => Err(Box::new(self.turn_away(request, client, refusal))),
        }
    }

    /// Answers a request that the guard refuses.
    pub(crate) fn turn_away(
        &self,
        request: &Request<Incoming>,
        client: ClientId,
        refusal: Refusal,
    ) -> Response<ReplyBody> {
        if let Some(observer) = self.refusals {
            let origin = request.headers().get(ORIGIN).and_then(|origin| origin.to_str().ok());
            let why = RequestRefusal::Guard { refusal, origin };
            let address = client.address();
            observer.request_refused(&RefusedRequest { address, prefix: "", principal: None, why });
        }
        refusal.response()
    }
}

/// Reads the body, then lets the routes answer.
pub(crate) async fn answer(
    routes: &dyn OpenRoutes,
    request: Request<Incoming>,
    client: ClientId,
    limits: &HttpLimits,
    budget: &BodyBudget,
) -> Response<ReplyBody> {
    let (head, body) = request.into_parts();
    let (method, path, headers) = (&head.method, head.uri.path(), &head.headers);
    let max_body = routes.max_body(OpenRequest { method, path, headers });
    let limits = HttpLimits { body: max_body.min(limits.body), ..limits.clone() };
    // Such bodies are short-lived; their reservation is freed once the response has begun.
    let ReadBody { bytes, reservation } = match read_body(body, &limits, budget).await {
        Ok(read) => read,
        Err(error) => return error.response(),
    };
    let response = routes.answer(Request::from_parts(head, bytes), client).await;
    drop(reservation);
    response
}
