//! The sender of a request, as every route sees it: the client, and the principal of its token.
//!
//! The site makes one for each request; without authentication every principal is anonymous.

use crate::server::answers;
use crate::server::authentication::{Authentication, ChallengeReason, Identity};
use crate::server::refused_request::{RefusalObserver, RefusedRequest, RequestRefusal};
use crate::server::reply::RefusalReply;
use crate::server::request_rate::RequestRates;
use hobnob_mcp_engine::{ClientId, Principal};
use hobnob_mcp_types::{Incoming, Message, Request as McpRequest, RequestId, RpcError};
use http::StatusCode;
use http::header::WWW_AUTHENTICATE;
use std::sync::Arc;

/// How many messages of a batch are checked; the session refuses longer batches.
const MAX_BATCH: usize = 1024;

/// The sender of a request.
#[derive(Debug)]
pub(crate) struct Requester<'a> {
    pub(crate) client: ClientId,
    /// The bearer of its token, if the listener requires tokens.
    pub(crate) known: Option<KnownRequester<'a>>,
}

/// The bearer of a valid token, at one server of the listener.
#[derive(Debug)]
pub(crate) struct KnownRequester<'a> {
    pub(crate) authentication: &'a dyn Authentication,
    pub(crate) identity: Arc<dyn Identity>,
    pub(crate) prefix: &'a str,
    /// The rate limits, if there are any.
    pub(crate) rates: Option<&'a RequestRates>,
    /// Receives reports of requests that the token does not allow.
    pub(crate) observer: Option<&'a dyn RefusalObserver>,
}

impl Requester<'_> {
    pub(crate) fn principal(&self) -> Principal {
        let named = self.known.as_ref().map(|known| known.identity.principal().clone());
        named.unwrap_or_default()
    }

    /// Counts bytes that were not announced when the request was accepted.
    pub(crate) fn count_unannounced(&self, bytes: usize) {
        if let Some(KnownRequester { identity, rates: Some(rates), .. }) = &self.known {
            rates.add_bytes(identity.principal(), bytes);
        }
    }

    /// Reports that the sender tried to use another principal's session.
    pub(crate) fn report(&self, why: RequestRefusal<'_>) {
        if let Some(known) = &self.known {
            known.report(self.client, why);
        }
    }

    /// Whether the sender is this principal.
    pub(crate) fn is(&self, principal: &Principal) -> bool {
        match &self.known {
            Some(known) => known.identity.principal() == principal,
            None => *principal == Principal::anonymous(),
        }
    }

    /// Whether the token allows this message; otherwise the challenge with the missing scopes.
    pub(crate) fn check(&self, message: &Incoming) -> Result<(), RefusalReply> {
        let Some(known) = &self.known else { return Ok(()) };
        match message {
            Incoming::One(Message::Request(request)) => match known.check(request) {
                Ok(()) => Ok(()),
                Err(scopes) => Err(known.step_up(self.client, Some(&request.id), scopes)),
            },
            // These belong to a request that was allowed before.
            Incoming::One(Message::Notification(_) | Message::Response(_)) => Ok(()),
            Incoming::Many(batch) => {
                let messages = batch.clone().split(MAX_BATCH).unwrap_or_default();
                let requests = messages.iter().filter_map(|message| match message {
                    Ok(Message::Request(request)) => Some(request),
                    Ok(Message::Notification(_) | Message::Response(_)) | Err(_) => None,
                });
                let needed: Vec<_> =
                    requests.filter_map(|request| known.check(request).err()).collect();
                if needed.is_empty() {
                    return Ok(());
                }
                Err(known.step_up(self.client, None, union(&needed)))
            }
        }
    }

    /// Whether the token allows every request.
    pub(crate) fn check_all(&self) -> Result<(), RefusalReply> {
        let Some(known) = &self.known else { return Ok(()) };
        let checked = known.identity.check_all(known.prefix);
        checked.map_err(|scopes| known.step_up(self.client, None, scopes))
    }
}

impl KnownRequester<'_> {
    fn report(&self, client: ClientId, why: RequestRefusal<'_>) {
        if let Some(observer) = self.observer {
            let (address, prefix) = (client.address(), self.prefix);
            let principal = Some(self.identity.principal());
            observer.request_refused(&RefusedRequest { address, prefix, principal, why });
        }
    }

    fn check(&self, request: &McpRequest) -> Result<(), Box<str>> {
        self.identity.check(self.prefix, &request.method, &request.params)
    }

    fn step_up(&self, client: ClientId, id: Option<&RequestId>, scopes: Box<str>) -> RefusalReply {
        self.report(client, RequestRefusal::MissingScope);
        let error = format!("this needs a token with more scopes: {scopes}");
        let error = RpcError::invalid_request(error);
        let mut response = answers::refusal(StatusCode::FORBIDDEN, id, &error);
        let reason = ChallengeReason::MissingScope(scopes);
        if let Some(challenge) = self.authentication.challenge(self.prefix, &reason) {
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        Box::new(response)
    }
}

/// The union of all scopes, in the order of the messages.
fn union(needed: &[Box<str>]) -> Box<str> {
    let mut all: Vec<&str> = Vec::new();
    for scope in needed.iter().flat_map(|scopes| scopes.split(' ')) {
        if !all.contains(&scope) {
            all.push(scope);
        }
    }
    all.join(" ").into()
}
