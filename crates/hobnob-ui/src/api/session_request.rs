//! A request whose session the guard has found, as the files of `api` get it.

use crate::answers::PageProblem;
use crate::events::PageEvents;
use crate::page::HubPage;
use crate::principal_page::PrincipalPage;
use crate::sessions::{PageSession, SessionHolder};
use bytes::Bytes;
use hobnob_mcp_engine::ClientId;
use hobnob_mcp_http::Identity;
use http::Request;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// A request of a session, whose holder may use its path.
pub(crate) struct SessionRequest<'a> {
    pub(crate) page: &'a HubPage,
    pub(crate) session: Arc<PageSession>,
    /// What the token of a principal allows now; `None` for the owner.
    pub(crate) identity: Option<Arc<dyn Identity>>,
    pub(crate) request: &'a Request<Bytes>,
    pub(crate) from: ClientId,
    /// How principals sign in at the listener of the request.
    pub(crate) sign_in: &'static [&'static str],
}

impl SessionRequest<'_> {
    /// The page of the principal who signed in; `None` for the owner.
    pub(super) fn principal_page(&self) -> Option<&PrincipalPage> {
        match &self.session.holder {
            SessionHolder::Owner => None,
            SessionHolder::Principal(page) => Some(page),
        }
    }

    /// The events that the holder of the session may see.
    pub(super) fn events(&self) -> &Arc<PageEvents> {
        self.principal_page().map_or(&self.page.events, |page| &page.events)
    }

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
