//! The responses of the page's server: JSON, problems as text in JSON, and the headers of every
//! response.
//!
//! What must stay true: no response is HTML made of data, none may be framed, cached by others or
//! read by another origin, and every script comes from the hub itself.

use crate::user_sign_in::UserRefusal;
use hobnob_mcp_http::ReplyBody;
use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY,
    RETRY_AFTER, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use http::{HeaderValue, Response, StatusCode};
use serde::Serialize;
use std::borrow::Cow;
use std::time::Duration;

/// What the page may load and do. Its own files, and images that are part of a document.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' \
                      data:; connect-src 'self'; form-action 'none'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// The headers of every response.
const HEADERS: [(HeaderName, &str); 6] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// A response to the page.
pub(crate) type PageResponse = Response<ReplyBody>;

/// A request that cannot be answered: its status, and what happened, where, and what to do next.
#[derive(Debug)]
pub(crate) struct PageProblem {
    status: StatusCode,
    text: Cow<'static, str>,
    remedy: ProblemRemedy,
}

/// What a page offers a person to do about a problem, besides showing its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProblemRemedy {
    Nothing,
    /// To sign in, in one of these ways.
    SignIn(&'static [&'static str]),
    RetryAfter(u64),
}

/// The JSON of a problem.
#[derive(Serialize)]
struct ProblemBody<'a> {
    error: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sign_in: Option<&'static [&'static str]>,
}

impl PageProblem {
    pub(crate) fn new(status: StatusCode, text: impl Into<Cow<'static, str>>) -> Self {
        Self { status, text: text.into(), remedy: ProblemRemedy::Nothing }
    }

    /// 401 where a person can sign in, in these ways.
    pub(crate) fn sign_in_first(text: &'static str, ways: &'static [&'static str]) -> Self {
        Self { remedy: ProblemRemedy::SignIn(ways), ..Self::new(StatusCode::UNAUTHORIZED, text) }
    }

    /// A user's name and password open nothing.
    pub(crate) fn not_signed_in(why: UserRefusal) -> Self {
        match why {
            UserRefusal::Wrong => Self::new(
                StatusCode::FORBIDDEN,
                "there is no such user, or the password is wrong; the owner of this hub sets a new \
                 one with `hobnob user password`",
            ),
            UserRefusal::NothingToUse => Self::new(
                StatusCode::FORBIDDEN,
                "this user may use none of the profiles that this hub serves; ask its owner",
            ),
            UserRefusal::TooOften(seconds) => {
                let text = "too many attempts; try again later";
                Self::later(StatusCode::TOO_MANY_REQUESTS, seconds, text)
            }
            UserRefusal::Unavailable => {
                let text = "logins cannot be checked at the moment; try again later";
                Self::later(StatusCode::SERVICE_UNAVAILABLE, 5, text)
            }
        }
    }

    fn later(status: StatusCode, seconds: u64, text: &'static str) -> Self {
        Self { remedy: ProblemRemedy::RetryAfter(seconds), ..Self::new(status, text) }
    }

    /// The principal has used up its requests of this minute.
    pub(crate) fn too_often(wait: Duration) -> Self {
        let text = "your requests of this minute are used up; wait a little";
        Self::later(StatusCode::TOO_MANY_REQUESTS, wait.as_secs() + 1, text)
    }

    pub(crate) fn too_many_tokens(seconds: u64) -> Self {
        let text = "too many tokens that are not valid came from this address; try again later";
        Self::later(StatusCode::TOO_MANY_REQUESTS, seconds, text)
    }

    pub(crate) fn unchecked_token() -> Self {
        let text = "tokens cannot be checked at the moment; try again later";
        Self::later(StatusCode::SERVICE_UNAVAILABLE, 5, text)
    }

    pub(crate) fn bad_token() -> Self {
        let text = "this token opens nothing here: it is wrong, has expired, was revoked, or is for \
                    another hub; ask the owner of this hub for another one";
        Self::new(StatusCode::FORBIDDEN, text)
    }

    pub(crate) fn no_sign_in() -> Self {
        let text = "tokens open nothing here; the owner opens this page with `hobnob ui`";
        Self::new(StatusCode::FORBIDDEN, text)
    }

    pub(crate) fn not_found(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::NOT_FOUND, text)
    }

    pub(crate) fn bad_input(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, text)
    }

    pub(crate) fn conflict(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::CONFLICT, text)
    }

    pub(crate) fn too_many(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, text)
    }

    pub(crate) fn internal(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, text)
    }

    pub(crate) fn stopping() -> Self {
        let text = "the hub is stopping; run `hobnob ui` again when it runs";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, text)
    }

    pub(crate) fn into_answer(self) -> PageResponse {
        let sign_in = match self.remedy {
            ProblemRemedy::SignIn(ways) => Some(ways),
            ProblemRemedy::Nothing | ProblemRemedy::RetryAfter(_) => None,
        };
        let body = ProblemBody { error: &self.text, sign_in };
        let body = serde_json::to_vec(&body).unwrap_or_default();
        let mut answer = json_text(self.status, body);
        if let ProblemRemedy::RetryAfter(seconds) = self.remedy {
            answer.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        answer
    }
}

/// 405 with the methods that the path has.
pub(crate) fn wrong_method(allowed: &'static str) -> PageResponse {
    let text = "this path does not take that method";
    let mut answer = PageProblem::new(StatusCode::METHOD_NOT_ALLOWED, text).into_answer();
    answer.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    answer
}

/// 200 with a JSON body.
pub(crate) fn json(body: &impl Serialize) -> Result<PageResponse, PageProblem> {
    let text = serde_json::to_vec(body);
    let text = text.map_err(|_| PageProblem::internal("the answer cannot be written as JSON"))?;
    Ok(json_text(StatusCode::OK, text))
}

/// A body that is JSON text already.
pub(crate) fn json_text(status: StatusCode, body: Vec<u8>) -> PageResponse {
    let mut answer = Response::new(ReplyBody::full(body));
    *answer.status_mut() = status;
    let kind = HeaderValue::from_static("application/json; charset=utf-8");
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    answer
}

/// A response that says only that something was done.
pub(crate) fn done() -> PageResponse {
    let mut answer = Response::new(ReplyBody::Empty);
    *answer.status_mut() = StatusCode::NO_CONTENT;
    answer
}

/// The response with the headers that all responses have. What does not say how long it may be
/// kept is not kept.
pub(crate) fn secured(mut answer: PageResponse) -> PageResponse {
    let headers = answer.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    answer
}
