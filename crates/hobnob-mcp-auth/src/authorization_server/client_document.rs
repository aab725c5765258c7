//! Clients that are described by a document: their id is its https address.
//!
//! The authorization endpoint fetches it. What must stay true: the document is at the address that is
//! the id and says so itself, and what was fetched is bounded in size, number and time.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use reqwest::Url;
use serde::Deserialize;

use super::plain_text::plain_text;
use super::redirect_rule;
use crate::fetch::{Fetch, FetchRequest};

#[cfg(test)]
mod tests;

/// The largest document that is read.
const MAX_DOCUMENT: usize = 5 * 1024;
/// The longest client id that is fetched.
const MAX_ID: usize = 1024;
/// The longest name of a client that is shown.
pub(super) const MAX_CLIENT_NAME: usize = 100;
/// Redirects that one client may have.
pub(super) const MAX_REDIRECTS: usize = 10;
/// Documents that are remembered, and for how long, in seconds.
const REMEMBERED: usize = 200;
const REMEMBERED_FOR: u64 = 5 * 60;
/// How long a document that could not be used is not asked for again.
const FAILED_FOR: u64 = 30;

/// What a document says of its client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DescribedClient {
    pub(super) name: Box<str>,
    pub(super) redirects: Vec<Box<str>>,
    /// The host that vouches for it.
    pub(super) host: Box<str>,
}

#[derive(Deserialize)]
struct ClientDocument {
    client_id: Box<str>,
    client_name: Box<str>,
    redirect_uris: Vec<Box<str>>,
    token_endpoint_auth_method: Option<Box<str>>,
}

/// Whether an id is the address of a document; no other id has a scheme.
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

/// Reads a document that was found at the address `id`; says what is wrong with it.
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

/// Documents that were fetched not long ago.
#[derive(Debug, Default)]
pub(super) struct DocumentCache(Mutex<HashMap<Box<str>, Remembered>>);

#[derive(Debug, Clone)]
struct Remembered {
    found: Result<DescribedClient, &'static str>,
    until: u64,
}

impl DocumentCache {
    /// What is remembered of this client.
    pub(super) fn get(&self, id: &str, now: u64) -> Option<Result<DescribedClient, &'static str>> {
        let remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        remembered.get(id).filter(|it| now < it.until).map(|it| it.found.clone())
    }

    /// Fetches the document, and remembers how that went.
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
        let until = now + if found.is_ok() { REMEMBERED_FOR } else { FAILED_FOR };
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if REMEMBERED <= remembered.len() {
            remembered.retain(|_, it| now < it.until);
        }
        if remembered.len() < REMEMBERED {
            remembered.insert(id.into(), Remembered { found: found.clone(), until });
        }
        found
    }
}
