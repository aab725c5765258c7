//! Authenticates requests by their token, if the listener requires tokens.
//!
//! The site calls [`admit`] after the guard and before anything else. The token is removed from the
//! request here: no route and no service ever sees it.

use crate::server::answers;
use crate::server::authentication::{Authentication, ChallengeReason, Identity, IdentityRefusal};
use crate::server::refused_request::{RefusalObserver, RefusedRequest, RequestRefusal};
use crate::server::reply::{RefusalReply, ReplyBody};
use crate::server::single_header::{SingleHeader, single_header};
use crate::server::throttle::Throttle;
use hobnob_mcp_engine::{ClientId, Principal};
use hobnob_mcp_types::{ErrorCode, RpcError};
use http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use std::sync::Arc;
use std::time::Instant;

#[cfg(test)]
mod tests;

/// RFC 6750: the parameter that must not carry a token in a query, a form or a cookie.
const TOKEN_PARAMETER: &str = "access_token";

/// The identity of an authenticated request, and its token.
#[derive(Debug)]
pub(crate) struct Admitted {
    pub(crate) identity: Arc<dyn Identity>,
    pub(crate) token: BearerToken,
}

/// The bearer token of a request, located once in its header.
pub(crate) struct BearerToken {
    value: HeaderValue,
    /// The range of the token within the value, after the scheme.
    place: std::ops::Range<usize>,
}

impl BearerToken {
    /// `None` if the header has another scheme, no token after it, or is not UTF-8.
    fn new(value: HeaderValue) -> Option<Self> {
        // Unlike `to_str`, this checks many bytes at once, and signed tokens are long.
        let text = std::str::from_utf8(value.as_bytes()).ok()?;
        let (scheme, rest) = text.split_once(' ')?;
        let token = rest.trim();
        let begin = text.len() - rest.trim_start().len();
        let place = begin..begin + token.len();
        let is_token = scheme.eq_ignore_ascii_case("Bearer") && !token.is_empty();
        is_token.then_some(Self { value, place })
    }

    /// The token without its scheme.
    pub(crate) fn expose(&self) -> &str {
        let token = self.value.as_bytes().get(self.place.clone()).unwrap_or_default();
        // The text was valid UTF-8 when it was found, and an empty text identifies no principal.
        std::str::from_utf8(token).unwrap_or_default()
    }
}

impl std::fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BearerToken")
    }
}

/// How many bad tokens one address may send in a minute. Well-behaved clients send few.
const MAX_BAD_TOKENS: u32 = 30;
const WINDOW_SECONDS: u64 = 60;

/// Counts bad tokens by the address they came from.
#[derive(Debug)]
pub(crate) struct BadTokens {
    from: Throttle<u64>,
    opened: Instant,
}

impl Default for BadTokens {
    fn default() -> Self {
        Self { from: Throttle::new(MAX_BAD_TOKENS, WINDOW_SECONDS), opened: Instant::now() }
    }
}

/// The attempts of one client at one server. Clients on this machine are not counted: they share
/// one address, and a client with an old token would lock the others out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TokenAttempts<'a> {
    pub(crate) bad: &'a BadTokens,
    pub(crate) client: ClientId,
    pub(crate) prefix: &'a str,
    pub(crate) observer: Option<&'a dyn RefusalObserver>,
}

impl TokenAttempts<'_> {
    fn origin(self) -> Option<u64> {
        self.client.origin().filter(|_| !self.client.is_local())
    }

    /// Whether another unknown token may be tried; the error is the number of seconds to wait.
    fn check(self) -> Result<(), u64> {
        let now = self.bad.opened.elapsed().as_secs();
        self.origin().map_or(Ok(()), |origin| self.bad.from.check(&origin, now))
    }

    pub(crate) fn report(self, why: RequestRefusal<'_>) {
        self.report_by(None, why);
    }

    /// Reports a request of a principal whose token is valid.
    pub(crate) fn report_of(self, principal: &Principal, why: RequestRefusal<'_>) {
        self.report_by(Some(principal), why);
    }

    fn report_by(self, principal: Option<&Principal>, why: RequestRefusal<'_>) {
        if let Some(observer) = self.observer {
            let (address, prefix) = (self.client.address(), self.prefix);
            observer.request_refused(&RefusedRequest { address, prefix, principal, why });
        }
    }

    fn count_bad(self) {
        let now = self.bad.opened.elapsed().as_secs();
        if let Some(origin) = self.origin() {
            // The next check shows whether this attempt was the last allowed one.
            let _counted = self.bad.from.attempt(origin, now);
        }
    }
}

/// Identifies the sender of a request, or returns the response that refuses it.
pub(crate) async fn admit<B>(
    authentication: &dyn Authentication,
    request: &mut Request<B>,
    attempts: TokenAttempts<'_>,
) -> Result<Admitted, RefusalReply> {
    let prefix = attempts.prefix;
    let refuse = |reason| Err(Box::new(refusal(authentication, prefix, &reason)));
    if has_misplaced_token(request) {
        attempts.report(RequestRefusal::MisplacedToken);
        return refuse(ChallengeReason::BadRequest);
    }
    let Some(token) = take_credentials(request.headers_mut()).and_then(BearerToken::new) else {
        attempts.report(RequestRefusal::NoToken);
        return refuse(ChallengeReason::NoToken);
    };
    let identified = identify(authentication, token.expose(), &[prefix], attempts).await;
    let refused = match identified {
        Ok((identity, _)) => return Ok(Admitted { identity, token }),
        Err(Unidentified::TooMany(seconds)) => {
            let message =
                "too many tokens that are not valid came from this address; try again later";
            return Err(Box::new(answers::later(seconds, message)));
        }
        Err(Unidentified::Refused(refused)) => refused,
    };
    match refused {
        IdentityRefusal::Expired
        | IdentityRefusal::Invalid
        | IdentityRefusal::NotYetValid
        | IdentityRefusal::OtherAudience => refuse(ChallengeReason::BadToken),
        IdentityRefusal::Forbidden => {
            let message = "your user may not use the server at this path; use the path of a profile \
                           that is open to you, or ask the owner of this server";
            Err(Box::new(answers::problem(StatusCode::FORBIDDEN, message)))
        }
        IdentityRefusal::Unavailable => Err(Box::new(unavailable())),
    }
}

/// Why nothing is known of the bearer of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unidentified {
    /// The token is not accepted.
    Refused(IdentityRefusal),
    /// It was not checked; the seconds until the next one may be tried.
    TooMany(u64),
}

/// The bearer of a token, and the first of these servers that accepts it. A token that none accepts
/// is reported and counted once.
pub(crate) async fn identify<'a>(
    authentication: &dyn Authentication,
    token: &str,
    prefixes: &[&'a str],
    attempts: TokenAttempts<'_>,
) -> Result<(Arc<dyn Identity>, &'a str), Unidentified> {
    for prefix in prefixes {
        if let Some(identity) = authentication.recall(token, prefix) {
            return Ok((identity, prefix));
        }
    }
    if let Err(seconds) = attempts.check() {
        attempts.report(RequestRefusal::TooManyBadTokens);
        return Err(Unidentified::TooMany(seconds));
    }
    let mut refused = IdentityRefusal::Invalid;
    for prefix in prefixes {
        refused = match authentication.verify(token, prefix).await {
            Ok(identity) => return Ok((identity, prefix)),
            Err(refused) => refused,
        };
        // Only these two depend on the server.
        if !matches!(refused, IdentityRefusal::OtherAudience | IdentityRefusal::Forbidden) {
            break;
        }
    }
    attempts.report(RequestRefusal::BadToken(refused));
    match refused {
        IdentityRefusal::Expired
        | IdentityRefusal::Invalid
        | IdentityRefusal::NotYetValid
        | IdentityRefusal::OtherAudience => attempts.count_bad(),
        IdentityRefusal::Forbidden | IdentityRefusal::Unavailable => {}
    }
    Err(Unidentified::Refused(refused))
}

/// Takes the credentials out of a request, so that they go no further.
fn take_credentials(headers: &mut HeaderMap) -> Option<HeaderValue> {
    let mut value = headers.remove(AUTHORIZATION)?;
    value.set_sensitive(true);
    Some(value)
}

/// Whether there are two tokens, or one in a place that is logged or that browsers fill in.
fn has_misplaced_token<B>(request: &Request<B>) -> bool {
    let headers = request.headers();
    let named = |pair: &str| pair.trim().split('=').next() == Some(TOKEN_PARAMETER);
    let in_query = request.uri().query().is_some_and(|query| query.split('&').any(named));
    let repeated = matches!(single_header(headers, &AUTHORIZATION), SingleHeader::Repeated);
    let in_cookie = headers
        .get_all(COOKIE)
        .iter()
        .any(|value| value.to_str().is_ok_and(|cookies| cookies.split(';').any(named)));
    // A form can contain nothing but a token, since messages are JSON.
    let form = headers
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/x-www-form-urlencoded"));
    in_query || repeated || in_cookie || form
}

fn refusal(
    authentication: &dyn Authentication,
    prefix: &str,
    reason: &ChallengeReason,
) -> Response<ReplyBody> {
    let (status, message) = match reason {
        ChallengeReason::NoToken => {
            (StatusCode::UNAUTHORIZED, "a token is needed; send it as Authorization: Bearer")
        }
        ChallengeReason::BadRequest => (
            StatusCode::BAD_REQUEST,
            "send one token, in one Authorization header and nowhere else",
        ),
        ChallengeReason::BadToken => {
            (StatusCode::UNAUTHORIZED, "the token is not valid here; get another one")
        }
        ChallengeReason::MissingScope(_) => {
            (StatusCode::FORBIDDEN, "this needs a token with more scopes")
        }
    };
    let mut response = answers::problem(status, message);
    if let Some(challenge) = authentication.challenge(prefix, reason) {
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    }
    response
}

fn unavailable() -> Response<ReplyBody> {
    let message = "tokens cannot be checked at the moment; try again later";
    let error = RpcError::new(ErrorCode::BUSY, message);
    let mut response = answers::refusal(StatusCode::SERVICE_UNAVAILABLE, None, &error);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    response
}
