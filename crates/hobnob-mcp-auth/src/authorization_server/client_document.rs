//! Clients that are described by a document: the client id is the document's https address.
//!
//! The authorization endpoint fetches it. What must stay true: the document is found at the address
//! that is the id and names that id itself; cached documents are bounded in size, number and age.

use parking_lot::Mutex;
use std::collections::HashMap;

use reqwest::Url;
use serde::Deserialize;

use super::plain_text::plain_text;
use super::redirect_rule;
use crate::fetch::{Fetch, FetchRequest};

#[cfg(test)]
mod tests;

/// The largest document that is read, in bytes.
const MAX_DOCUMENT: usize = 5 * 1024;
/// The longest client id that is fetched, in bytes.
const MAX_ID: usize = 1024;
/// The longest client name that is shown, in characters.
pub(super) const MAX_CLIENT_NAME: usize = 100;
/// How many redirects a registered client may have; a document may have four times as many.
pub(super) const MAX_REDIRECTS: usize = 10;
/// How many documents are cached, and for how long, in seconds.
const MAX_CACHED: usize = 200;
const CACHE_SECONDS: u64 = 5 * 60;
/// How long a failed fetch is cached before the document is fetched again, in seconds.
const FAILURE_CACHE_SECONDS: u64 = 30;

/// What a document says about its client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DescribedClient {
    pub(super) name: Box<str>,
    pub(super) redirects: Vec<Box<str>>,
    /// The host of the document's address, which vouches for the client.
    pub(super) host: Box<str>,
}

#[derive(Deserialize)]
struct ClientDocument {
    client_id: Box<str>,
    client_name: Box<str>,
    redirect_uris: Vec<Box<str>>,
    token_endpoint_auth_method: Option<Box<str>>,
}

/// Whether a client id is the address of a document; no other id has a scheme.
pub(super) fn is_document_address(id: &str) -> bool {
    address(id).is_some()
}

fn address(id: &str) -> Option<Url> {
    if MAX_ID < id.len() || !id.starts_with("https://") {
        return None;
    }
    let url = Url::parse(id).ok()?;
    let path = id.splitn(4, '/').nth(3)?;
    let dots = path.split(['/', '?']).any(|part| matches!(part, "." | ".."));
    let plain = url.as_str() == id
        && url.username().is_empty()
        && url.password().is_none()
        && url.fragment().is_none();
    (plain && !dots && !path.is_empty()).then_some(url)
}

/// Reads the document found at the address `id`; the error says what is wrong with it.
pub(super) fn read(id: &str, body: &[u8]) -> Result<DescribedClient, &'static str> {
    let url = address(id).ok_or("the client id is not the address of a document")?;
    if MAX_DOCUMENT < body.len() {
        return Err("the document of the client is larger than 5 KiB");
    }
    let document: ClientDocument = serde_json::from_slice(body).map_err(|_| {
        "the document of the client cannot be read: it needs client_id, client_name and redirect_uris"
    })?;
    if *document.client_id != *id {
        return Err("the document of the client is of another client");
    }
    let method = document.token_endpoint_auth_method.as_deref();
    if method.is_some_and(|method| method.starts_with("client_secret")) {
        return Err("the document of the client asks for a secret, which everybody could read");
    }
    let redirects = document.redirect_uris;
    let good = redirects.iter().all(|redirect| redirect_rule::is_acceptable(redirect));
    if redirects.is_empty() || 4 * MAX_REDIRECTS < redirects.len() || !good {
        return Err("the document of the client has a redirect that is not accepted, or none");
    }
    let name = plain_text(&document.client_name, MAX_CLIENT_NAME).into();
    let host = url.host_str().unwrap_or_default().into();
    Ok(DescribedClient { name, redirects, host })
}

/// A cache of the documents fetched recently, and of the fetches that failed.
#[derive(Debug, Default)]
pub(super) struct DocumentCache(Mutex<HashMap<Box<str>, CachedDocument>>);

#[derive(Debug, Clone)]
struct CachedDocument {
    found: Result<DescribedClient, &'static str>,
    until: u64,
}

impl DocumentCache {
    /// The cached result for this client, until it expires.
    pub(super) fn get(&self, id: &str, now: u64) -> Option<Result<DescribedClient, &'static str>> {
        let cache = self.0.lock();
        cache.get(id).filter(|it| now < it.until).map(|it| it.found.clone())
    }

    /// Fetches the document and caches the result, good or bad.
    pub(super) async fn fetch(
        &self,
        fetch: &dyn Fetch,
        id: &str,
        now: u64,
    ) -> Result<DescribedClient, &'static str> {
        let url = address(id).ok_or("the client id is not the address of a document")?;
        let found = match fetch.fetch(FetchRequest::document(url)).await {
            Ok(response) if response.status == 200 => read(id, &response.body),
            Ok(_) => Err("there is no document at the address that is the client id"),
            Err(error) => {
                tracing::info!(client = id, %error, "the document of a client cannot be fetched");
                Err("the document at the address that is the client id cannot be fetched")
            }
        };
        let until = now + if found.is_ok() { CACHE_SECONDS } else { FAILURE_CACHE_SECONDS };
        let mut cache = self.0.lock();
        if MAX_CACHED <= cache.len() {
            cache.retain(|_, it| now < it.until);
        }
        if cache.len() < MAX_CACHED {
            cache.insert(id.into(), CachedDocument { found: found.clone(), until });
        }
        found
    }
}
