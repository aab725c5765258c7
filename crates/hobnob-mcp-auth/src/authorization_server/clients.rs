//! Which client a request is from: one that registered itself, or one that a document describes.
//!
//! The authorization endpoint and the token endpoint ask. What must stay true: an id that is an address
//! is never looked up among registrations, nor the other way round.

use super::client_document::is_document_address;
use super::failure::ServerFailure;
use super::parts::ServerParts;
use super::records::{ClientBody, load};
use super::redirect_rule;
use hobnob_mcp_engine::ClientId;

/// A client as people are shown it.
#[derive(Debug, Clone)]
pub(super) struct KnownClient {
    pub(super) id: Box<str>,
    pub(super) name: Box<str>,
    /// The host that vouches for it, if one does.
    pub(super) host: Option<Box<str>>,
    redirects: Vec<Box<str>>,
}

impl KnownClient {
    /// Where its answer goes: what it asked for if that is registered, else its only redirect.
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

/// Finds a client for its request; the text says why there is none.
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
