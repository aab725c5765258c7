//! A request whose session the guard has found, as the files of `api` get it.

use crate::answers::PageProblem;
use crate::page::HubPage;
use crate::sessions::PageSession;
use bytes::Bytes;
use hobnob_mcp_engine::ClientId;
use http::Request;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// A request of a session.
pub(crate) struct SessionRequest<'a> {
    pub(crate) page: &'a HubPage,
    pub(crate) session: Arc<PageSession>,
    pub(crate) request: &'a Request<Bytes>,
    pub(crate) from: ClientId,
}

impl SessionRequest<'_> {
    /// The body, as this type; the error names the field.
    pub(super) fn body<T: DeserializeOwned>(&self) -> Result<T, PageProblem> {
        read_body(self.request.body())
    }
}

/// A body as this type; the error names the field.
pub(super) fn read_body<T: DeserializeOwned>(body: &Bytes) -> Result<T, PageProblem> {
    let wrong = |error| PageProblem::bad_input(format!("the body is not what is needed: {error}"));
    serde_json::from_slice(body).map_err(wrong)
}
