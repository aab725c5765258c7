//! Looks up the client of a request: one that registered itself, or one described by a document.
//!
//! The authorization and token endpoints call this. What must stay true: an id that is an address
//! is never looked up among registrations, and no other id is ever fetched.

use super::client_document::is_document_address;
use super::failure::ServerFailure;
use super::parts::ServerParts;
use super::records::{ClientBody, load};
use super::redirect_rule;
use hobnob_mcp_engine::ClientId;

/// A client as it is shown to people.
#[derive(Debug, Clone)]
pub(super) struct KnownClient {
    pub(super) id: Box<str>,
    pub(super) name: Box<str>,
    /// The host that vouches for the client, if its id is the address of a document.
    pub(super) host: Option<Box<str>>,
    redirects: Vec<Box<str>>,
}

impl KnownClient {
    /// The redirect for an answer: the requested one if it is registered, or the client's only one.
    pub(super) fn redirect(&self, asked: Option<&str>) -> Option<Box<str>> {
        match (asked, self.redirects.as_slice()) {
            (Some(asked), all) => {
                let known = all.iter().any(|redirect| redirect_rule::means(asked, redirect));
                known.then(|| asked.into())
            }
            (None, [only]) => Some(only.clone()),
            (None, _) => None,
        }
    }
}

/// Finds the client of a request; the inner error says why there is none.
pub(super) async fn find_client(
    parts: &ServerParts,
    id: &str,
    from: ClientId,
) -> Result<Result<KnownClient, &'static str>, ServerFailure> {
    if !is_document_address(id) {
        let client = load::<ClientBody>(&*parts.store, id).await?;
        let now = parts.now();
        let client = client.filter(|it| it.record.expires_at.is_none_or(|end| now < end));
        let unknown = "no client of this id is registered here; have the client register again";
        return Ok(client.ok_or(unknown).map(|client| KnownClient {
            id: id.into(),
            name: client.body.name,
            host: None,
            redirects: client.body.redirects,
        }));
    }
    let now = parts.now();
    let described = match parts.documents.get(id, now) {
        Some(known) => known,
        None if parts.throttles.documents_from.attempt(from.origin(), now).is_err() => {
            Err("too many clients were asked for from this address; try again later")
        }
        None => parts.documents.fetch(&*parts.fetch, id, now).await,
    };
    Ok(described.map(|client| KnownClient {
        id: id.into(),
        name: client.name,
        host: Some(client.host),
        redirects: client.redirects,
    }))
}
