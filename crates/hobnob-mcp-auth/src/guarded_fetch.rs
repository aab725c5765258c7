//! The [`Fetch`] of real logins: ten seconds, 64 KiB, no redirects, and only allowed addresses.
//!
//! What must stay true: a name is resolved once, all its addresses are checked, and the connection
//! goes to one of them. No proxy is used, since it would resolve the name again, unchecked.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hobnob_mcp_engine::BoxFuture;
use hobnob_web_client::{client_builder, describe_error};
use http::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{RequestBuilder, Response, Url, redirect};

use crate::address_policy::AddressPolicy;
use crate::error::AuthError;
use crate::fetch::{Fetch, FetchBody, FetchRequest, FetchResponse};

/// How long one fetch may take in all.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The largest body of a response, in bytes.
const MAX_BODY: usize = 64 * 1024;
/// How many addresses of a name are tried.
const MAX_IPS: usize = 16;

/// Resolves host names to addresses.
pub trait NameResolver: Send + Sync + 'static {
    /// All addresses of a host, in the order they should be tried.
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// The resolver of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl NameResolver for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// Fetches what a login needs, only from addresses that an [`AddressPolicy`] allows.
pub struct GuardedFetch {
    policy: AddressPolicy,
    resolver: Arc<dyn NameResolver>,
}

impl GuardedFetch {
    /// A fetch within this policy, with the system's resolver.
    pub fn new(policy: AddressPolicy) -> Self {
        Self::with_resolver(policy, Arc::new(SystemResolver))
    }

    /// A fetch within this policy, with another resolver.
    pub fn with_resolver(policy: AddressPolicy, resolver: Arc<dyn NameResolver>) -> Self {
        Self { policy, resolver }
    }

    /// The addresses to connect to. If one address of a name is not allowed, this is an error.
    async fn addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, AuthError> {
        let host = url.host_str().unwrap_or_default();
        let literal: Option<IpAddr> =
            host.trim_start_matches('[').trim_end_matches(']').parse().ok();
        let found = match literal {
            Some(address) => vec![address],
            None => self.resolver.resolve(host).await.map_err(|_| {
                AuthError::Unavailable(format!("the host `{host}` cannot be found").into())
            })?,
        };
        if let Some(refused) = found.iter().find(|address| !self.policy.allows(host, **address)) {
            tracing::warn!(host, address = %refused, "a login was kept from a private address");
            return Err(AuthError::stop(format!(
                "the host `{host}` is in a private network; if it is meant to be, allow it by \
                 `allow_private`"
            )));
        }
        let addresses: Vec<_> =
            found.into_iter().take(MAX_IPS).map(|address| SocketAddr::new(address, 0)).collect();
        if addresses.is_empty() {
            let why = format!("the host `{host}` has no address");
            return Err(AuthError::Unavailable(why.into()));
        }
        Ok(addresses)
    }

    async fn run(&self, request: FetchRequest) -> Result<FetchResponse, AuthError> {
        let addresses = self.addresses(&request.url).await?;
        let host = request.url.host_str().unwrap_or_default().to_owned();
        let http = client_builder(&request.url, TIMEOUT)
            .no_proxy()
            .redirect(redirect::Policy::none())
            .resolve_to_addrs(&host, &addresses)
            .build()
            .map_err(|error| AuthError::Unavailable(describe_error(error)))?;
        let response = prepare(&http, request).send().await;
        let response = response.map_err(|error| unreachable(&host, error))?;
        read(&host, response).await
    }
}

fn prepare(http: &reqwest::Client, request: FetchRequest) -> RequestBuilder {
    let FetchRequest { url, body, headers } = request;
    let builder = match body {
        FetchBody::Nothing => http.get(url),
        FetchBody::Form(form) => http
            .post(url)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(form.expose().to_owned()),
        FetchBody::Json(document) => {
            http.post(url).header(CONTENT_TYPE, "application/json").body(String::from(document))
        }
    };
    let builder = builder.header(ACCEPT, "application/json");
    headers.iter().fold(builder, |builder, (name, value)| builder.header(*name, value.expose()))
}

async fn read(host: &str, mut response: Response) -> Result<FetchResponse, AuthError> {
    let too_large =
        || AuthError::stop(format!("the answer of `{host}` is larger than {MAX_BODY} bytes"));
    if response.content_length().is_some_and(|length| (MAX_BODY as u64) < length) {
        return Err(too_large());
    }
    let status = response.status().as_u16();
    let headers = std::mem::take(response.headers_mut());
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| unreachable(host, error))? {
        if MAX_BODY < body.len() + chunk.len() {
            return Err(too_large());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(FetchResponse { status, headers, body })
}

fn unreachable(host: &str, error: reqwest::Error) -> AuthError {
    let why = describe_error(error);
    AuthError::Unavailable(format!("`{host}` cannot be reached: {why}").into())
}

impl Fetch for GuardedFetch {
    fn fetch(&self, request: FetchRequest) -> BoxFuture<'_, Result<FetchResponse, AuthError>> {
        Box::pin(async move {
            let host = request.url.host_str().unwrap_or_default().to_owned();
            tokio::time::timeout(TIMEOUT, self.run(request)).await.unwrap_or_else(|_| {
                let why = format!("`{host}` did not answer within {TIMEOUT:?}");
                Err(AuthError::Unavailable(why.into()))
            })
        })
    }
}

impl std::fmt::Debug for GuardedFetch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GuardedFetch").field("policy", &self.policy).finish_non_exhaustive()
    }
}
