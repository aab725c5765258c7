//! Sends requests with the credentials of an authorizer, and again after it has renewed them.
//!
//! `Wire` sends everything through it. What must stay true: a refused request is sent again only
//! after the authorizer has said so, and at most [`MAX_AUTHORIZATIONS`] times.

use parking_lot::Mutex;
use std::fmt;
use std::sync::Arc;

use http::header::WWW_AUTHENTICATE;
use http::{HeaderMap, HeaderName, StatusCode};
use reqwest::{Client, Request, Response};

use crate::client::authorizer::{
    CredentialRefusal, Initiative, RequestAuthorizer, RequestCredentials, RequestToAuthorize,
};

/// How often credentials are renewed for one request.
pub(super) const MAX_AUTHORIZATIONS: u32 = 3;

const NONCE: HeaderName = HeaderName::from_static("dpop-nonce");

/// The longest `WWW-Authenticate` value that is passed on, and how many values.
const MAX_BYTES: usize = 4096;
const MAX_CHALLENGES: usize = 8;

/// An HTTP client that adds the credentials of an authorizer, if there is one.
pub(super) struct AuthorizedClient {
    http: Client,
    authorizer: Option<Arc<dyn RequestAuthorizer>>,
    /// The headers sent last, to redact an answer that repeats them.
    sent: Mutex<HeaderMap>,
}

/// Why a request has no answer.
#[derive(Debug)]
pub(super) enum SendFault {
    Http(reqwest::Error),
    /// There are no credentials; the text says why and what to do.
    Authorization(Box<str>),
}

impl AuthorizedClient {
    pub(super) fn new(http: Client, authorizer: Option<Arc<dyn RequestAuthorizer>>) -> Self {
        Self { http, authorizer, sent: Mutex::default() }
    }

    /// Sends a request. The response may still be a refusal if renewing credentials did not help.
    pub(super) async fn send(
        &self,
        request: Request,
        initiative: Initiative,
    ) -> Result<Response, SendFault> {
        let Some(authorizer) = &self.authorizer else {
            return self.http.execute(request).await.map_err(SendFault::Http);
        };
        let mut attempt = 0;
        loop {
            let about = RequestToAuthorize { method: request.method(), url: request.url() };
            let credentials = authorizer.credentials(about).await;
            let credentials = credentials.map_err(|failed| SendFault::Authorization(failed.0))?;
            let version = credentials.version;
            // Only a streamed body cannot be sent twice, and ours are texts.
            let Some(again) = request.try_clone() else {
                return self.http.execute(request).await.map_err(SendFault::Http);
            };
            let response = self.execute(again, credentials).await?;
            if attempt == MAX_AUTHORIZATIONS || !wants_renewal(&response) {
                return Ok(response);
            }
            let refusal = refusal(&response, version, attempt, initiative);
            match authorizer.renew(refusal).await {
                Ok(()) => attempt += 1,
                Err(_) if initiative == Initiative::Background => return Ok(response),
                Err(failed) => return Err(SendFault::Authorization(failed.0)),
            }
        }
    }

    /// The credentials that were sent last.
    pub(super) fn sent(&self) -> HeaderMap {
        self.sent.lock().clone()
    }

    async fn execute(
        &self,
        mut request: Request,
        credentials: RequestCredentials,
    ) -> Result<Response, SendFault> {
        let mut headers = credentials.headers;
        for value in headers.values_mut() {
            value.set_sensitive(true);
        }
        self.sent.lock().clone_from(&headers);
        request.headers_mut().extend(headers);
        self.http.execute(request).await.map_err(SendFault::Http)
    }
}

/// Whether renewed credentials may help: always after 401, after 403 only if a scope is missing.
fn wants_renewal(response: &Response) -> bool {
    match response.status() {
        StatusCode::UNAUTHORIZED => true,
        StatusCode::FORBIDDEN => {
            challenges(response).iter().any(|text| text.contains("insufficient_scope"))
        }
        _ => false,
    }
}

fn refusal(
    response: &Response,
    version: u64,
    attempt: u32,
    initiative: Initiative,
) -> CredentialRefusal {
    CredentialRefusal {
        status: response.status().as_u16(),
        challenges: challenges(response),
        nonce: response.headers().get(NONCE).cloned(),
        version,
        attempt,
        initiative,
    }
}

fn challenges(response: &Response) -> Vec<Box<str>> {
    let values = response.headers().get_all(WWW_AUTHENTICATE).iter();
    let texts = values.filter_map(|value| value.to_str().ok());
    texts.filter(|text| text.len() <= MAX_BYTES).take(MAX_CHALLENGES).map(Into::into).collect()
}

impl fmt::Debug for AuthorizedClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let authorized = self.authorizer.is_some();
        f.debug_struct("AuthorizedClient").field("authorized", &authorized).finish_non_exhaustive()
    }
}
